import Foundation

/// A computed column of a fetch with dictionary results. It is never a property of an entity.
///
///     let average = NSExpressionDescription()
///     average.name = "averagePages"
///     average.expression = NSExpression(
///       forFunction: "average:", arguments: [NSExpression(forKeyPath: "pages")])
///     average.expressionResultType = .doubleAttributeType
///     request.propertiesToFetch = ["author.name", average]
///     request.propertiesToGroupBy = ["author.name"]
///     request.resultType = .dictionaryResultType
open class NSExpressionDescription: NSPropertyDescription {
  final var storedExpression: FoundationExpression?
  final var storedExpressionResultType = NSAttributeType.undefinedAttributeType

  /// The expression that is computed.
  open var expression: FoundationExpression? {
    get { storedExpression }
    set {
      willMutate("expression")
      storedExpression = newValue
    }
  }

  /// The type of the result.
  open var expressionResultType: NSAttributeType {
    get { storedExpressionResultType }
    set {
      willMutate("expressionResultType")
      storedExpressionResultType = newValue
    }
  }

  /// The type of the result, by its short name.
  public var resultType: NSAttributeDescription.AttributeType {
    get { .init(rawValue: expressionResultType) }
    set { expressionResultType = newValue.rawValue }
  }

  override var isReadOnly: Bool { true }

  override func hasSameDetails(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSExpressionDescription else { return false }
    return storedExpressionResultType == other.storedExpressionResultType
      && ModelEquality.sameText(storedExpression, other.storedExpression)
  }

  override func blankCopy() -> NSPropertyDescription { NSExpressionDescription() }

  override func copyDefinition(to copy: NSPropertyDescription) {
    super.copyDefinition(to: copy)
    guard let copy = copy as? NSExpressionDescription else { return }
    copy.storedExpression = storedExpression
    copy.storedExpressionResultType = storedExpressionResultType
  }
}
