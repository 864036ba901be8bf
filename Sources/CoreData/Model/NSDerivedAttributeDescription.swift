import Foundation

/// An attribute that the store computes from others when it saves; read-only for the program.
open class NSDerivedAttributeDescription: NSAttributeDescription {
  final var storedDerivationExpression: FoundationExpression?
  final var storedFilteringPredicate: NSPredicate?
  /// The derivation as the model file writes it, such as `articles.@count` or `canonical:(name)`. Kept beside the
  /// expression, because this room can't parse it.
  final var storedDerivationFormat: String?

  /// The expression that is computed.
  open var derivationExpression: FoundationExpression? {
    get { storedDerivationExpression }
    set {
      willRedefine("derivationExpression")
      storedDerivationExpression = newValue
      storedDerivationFormat = nil
    }
  }

  /// The objects that an aggregate includes; nil for all. A new SQLite store refuses a model that has one.
  open var filteringPredicate: NSPredicate? {
    get { storedFilteringPredicate }
    set {
      willRedefine("filteringPredicate")
      storedFilteringPredicate = newValue
    }
  }

  override var isReadOnly: Bool { true }

  override func hasSameDetails(as other: NSPropertyDescription) -> Bool {
    guard super.hasSameDetails(as: other), let other = other as? NSDerivedAttributeDescription else { return false }
    return storedDerivationFormat == other.storedDerivationFormat
      && ModelEquality.sameText(storedDerivationExpression, other.storedDerivationExpression)
      && ModelEquality.sameText(storedFilteringPredicate, other.storedFilteringPredicate)
  }

  override func blankCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

  override func copyDefinition(to copy: NSPropertyDescription) {
    super.copyDefinition(to: copy)
    guard let copy = copy as? NSDerivedAttributeDescription else { return }
    copy.storedDerivationExpression = storedDerivationExpression
    copy.storedFilteringPredicate = storedFilteringPredicate
    copy.storedDerivationFormat = storedDerivationFormat
  }
}
