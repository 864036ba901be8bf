import Foundation

/// An index of an entity's table. Not part of the version hash.
///
///     let newModel = model.copy() as! NSManagedObjectModel
///     let book = newModel.entitiesByName["Book"]!
///     let pages = NSFetchIndexElementDescription(property: book.attributesByName["pages"]!, collationType: .binary)
///     book.indexes.append(NSFetchIndexDescription(name: "byPages", elements: [pages]))
///     print(book.indexes.map(\.name))  // ["byPages"]
nonisolated open class NSFetchIndexDescription: NSObject, NSCopying {
  private final var owningReference = LivingReference<NSEntityDescription>()
  final var storedName: String
  final var storedElements: [NSFetchIndexElementDescription]
  final var storedPartialIndexPredicate: NSPredicate?
  /// The predicate as the model file writes it, because this room can't parse it.
  final var storedPartialIndexPredicateFormat: String?
  final var isFrozen = false

  /// Makes an index of these columns. It has an effect once it is among an entity's ``NSEntityDescription/indexes``.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    storedName = name
    storedElements = elements ?? []
    super.init()
    for element in storedElements { element.owningIndex = self }
  }

  /// Makes an index without a name and columns, for you to set.
  public override convenience init() { self.init(name: "", elements: nil) }

  /// For subclasses, of which Apple's framework asks for it. Models are in no archive here: this ends the program.
  public required init?(coder: NSCoder) { misuse(.archivedModel) }

  final var owningEntity: NSEntityDescription? {
    get { owningReference.object }
    set { owningReference.object = newValue }
  }

  /// The name, unique within the entity.
  open var name: String {
    get { storedName }
    set {
      willMutate("name")
      storedName = newValue
    }
  }

  /// The columns, in order.
  open var elements: [NSFetchIndexElementDescription] {
    get { storedElements }
    set {
      willMutate("elements")
      storedElements = newValue
      for element in newValue { element.owningIndex = self }
    }
  }

  /// The entity whose table is indexed; set by `NSEntityDescription.indexes`.
  open var entity: NSEntityDescription? { owningEntity }

  /// The condition for rows to be in the index; nil for all rows.
  open var partialIndexPredicate: NSPredicate? {
    get { storedPartialIndexPredicate }
    set {
      willMutate("partialIndexPredicate")
      storedPartialIndexPredicate = newValue
      storedPartialIndexPredicateFormat = nil
    }
  }

  /// Whether the other index, of an entity of the same name, has the same name, columns and condition.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSFetchIndexDescription else { return false }
    return self === other
      || storedName == other.storedName && owningEntity?.storedName == other.owningEntity?.storedName
        && storedElements == other.storedElements
        && storedPartialIndexPredicateFormat == other.storedPartialIndexPredicateFormat
        && ModelEquality.sameText(storedPartialIndexPredicate, other.storedPartialIndexPredicate)
  }

  /// A hash of the name only, which is quick.
  open override var hash: Int { storedName.hashValue }

  /// A copy that belongs to no entity; its elements refer to the same properties.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSFetchIndexDescription(
      name: storedName, elements: storedElements.map { $0.copy() as! NSFetchIndexElementDescription })
    copy.storedPartialIndexPredicate = storedPartialIndexPredicate
    copy.storedPartialIndexPredicateFormat = storedPartialIndexPredicateFormat
    return copy
  }

  final func willMutate(_ member: StaticString) {
    if isFrozen { misuse(.immutableIndex(self, member: "\(member)")) }
  }
}
