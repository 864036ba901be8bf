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
  // Strong, because an expression, or a property made for the index alone, has no other owner. A property does not keep
  // its entity alive, so this makes no cycle.
  private final var storedProperty: NSPropertyDescription?
  final var storedCollationType: NSFetchIndexElementType
  final var storedIsAscending = true

  /// Makes a column for a property of the index's entity, or for an expression. Of a property that is not the entity's
  /// the name counts, and copies of the entity lead to their own property of that name.
  ///
  /// A new store has the index if the expression is `self`, `objectID` or `entity`. With any other it is made without
  /// the index, and a warning on standard error names it.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    storedProperty = property
    storedCollationType = collationType
    super.init()
  }

  /// Makes a column of no property, which can't be indexed.
  public override init() {
    storedCollationType = .binary
    super.init()
  }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  /// The property, or the expression, whose values are indexed.
  open var property: NSPropertyDescription? { storedProperty }

  /// The name of `property`; empty if there is none.
  open var propertyName: String? { property?.storedName ?? "" }

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
        && storedIsAscending == other.storedIsAscending && expression == other.expression
  }

  private final var expression: NSExpressionDescription? { storedProperty as? NSExpressionDescription }

  /// A hash of the name only, which is quick.
  open override var hash: Int { propertyName?.hashValue ?? 0 }

  /// A copy that belongs to no index and refers to the same property.
  open func copy(with zone: NSZone? = nil) -> Any {
    copy(property: nil)
  }

  /// A copy that refers to `property`, or to the same property as this one if that is nil.
  final func copy(property replacement: NSPropertyDescription?) -> NSFetchIndexElementDescription {
    let copy = NSFetchIndexElementDescription()
    copy.storedProperty = replacement ?? property
    copy.storedCollationType = storedCollationType
    copy.storedIsAscending = storedIsAscending
    return copy
  }

  private final func willMutate(_ member: StaticString) {
    owningIndex?.willMutate(member)
  }
}
