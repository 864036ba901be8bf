import Foundation

/// A property whose value is the result of a fetch. Never stored, never a part of the version hash of its
/// entity. The public `fetchRequest` stands with `NSFetchRequest`.
open class NSFetchedPropertyDescription: NSPropertyDescription {
  /// The room of fetching reads and writes it, under a lock of its own.
  final var storedFetchRequest: (any ModelRequest)?

  /// A fetched property without a request; it is transient.
  public override init() {
    super.init()
    storedIsTransient = true
  }

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
