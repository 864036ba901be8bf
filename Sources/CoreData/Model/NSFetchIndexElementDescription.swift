import Foundation

/// How an index orders a column.
public enum NSFetchIndexElementType: UInt, Sendable {
  /// An ordered index, for comparisons and for sorting.
  case binary = 0
  /// A spatial index; numbers only.
  case rTree = 1
}

/// One column of an index.
nonisolated open class NSFetchIndexElementDescription: NSObject, NSCopying {
  final weak var owningIndex: NSFetchIndexDescription?
  // Weak for a property of an entity, which owns both the property and this index; strong for an expression, which has
  // no other owner.
  private final weak var entityProperty: NSPropertyDescription?
  private final var expressionProperty: NSExpressionDescription?
  private final var storedPropertyName: String
  final var storedCollationType: NSFetchIndexElementType
  final var storedIsAscending = true

  /// Makes a column for a property of the index's entity, or for an expression.
  ///
  /// A new store has the index if the expression is `self`, `objectID` or `entity`. With any other it is made without
  /// the index, and a warning on standard error names it.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    storedPropertyName = property.storedName
    storedCollationType = collationType
    super.init()
    expressionProperty = property as? NSExpressionDescription
    if expressionProperty == nil { entityProperty = property }
  }

  /// Makes a column of no property, which can't be indexed.
  public override init() {
    storedPropertyName = ""
    storedCollationType = .binary
    super.init()
  }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  /// The property, or the expression, whose values are indexed.
  open var property: NSPropertyDescription? { expressionProperty ?? entityProperty }

  /// The name of `property`.
  open var propertyName: String? { property?.storedName ?? storedPropertyName }

  /// Default: `binary`.
  open var collationType: NSFetchIndexElementType {
    get { storedCollationType }
    set {
      willMutate("collationType")
      storedCollationType = newValue
    }
  }

  /// Default: true.
  open var isAscending: Bool {
    get { storedIsAscending }
    set {
      willMutate("isAscending")
      storedIsAscending = newValue
    }
  }

  /// The index that holds the element.
  open var indexDescription: NSFetchIndexDescription? { owningIndex }

  /// Whether the other column is of a property of the same name, in the same order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexElementDescription else { return false }
    return self === other
      || propertyName == other.propertyName && storedCollationType == other.storedCollationType
        && storedIsAscending == other.storedIsAscending && expressionProperty == other.expressionProperty
  }

  /// A hash of the name only, which is quick.
  open override var hash: Int { propertyName?.hashValue ?? 0 }

  /// A copy that belongs to no index and refers to the same property.
  open func copy(with zone: NSZone? = nil) -> Any {
    copy(property: nil)
  }

  /// A copy that refers to `property`, or to the same property as this one if that is nil.
  final func copy(property replacement: NSPropertyDescription?) -> NSFetchIndexElementDescription {
    guard let target = replacement ?? property else {
      misuse(.indexElementWithoutProperty(name: storedPropertyName, index: owningIndex?.storedName))
    }
    let copy = NSFetchIndexElementDescription(property: target, collationType: storedCollationType)
    copy.storedIsAscending = storedIsAscending
    return copy
  }

  private final func willMutate(_ member: StaticString) {
    owningIndex?.willMutate(member)
  }
}
