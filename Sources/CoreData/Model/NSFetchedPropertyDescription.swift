import Foundation

/// A property whose value is the result of a fetch. Never stored, and not part of the version hash of its entity. The
/// public `fetchRequest` is declared beside `NSFetchRequest`.
open class NSFetchedPropertyDescription: NSPropertyDescription {
  /// The room Fetching reads and writes it, under a lock of its own.
  final var storedFetchRequest: (any ModelRequest)?

  /// Makes a fetched property without a request. It is transient.
  public override init() {
    super.init()
    storedIsTransient = true
  }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  override var isReadOnly: Bool { true }

  override func hasSameDetails(as other: NSPropertyDescription) -> Bool {
    storedFetchRequest?.definition == (other as? NSFetchedPropertyDescription)?.storedFetchRequest?.definition
  }

  override func blankCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

  override func copyDefinition(to copy: NSPropertyDescription) {
    super.copyDefinition(to: copy)
    guard let copy = copy as? NSFetchedPropertyDescription else { return }
    copy.storedFetchRequest = storedFetchRequest?.copy(of: [:])
  }
}
