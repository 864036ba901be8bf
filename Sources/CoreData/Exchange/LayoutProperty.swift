/// A resolved property of an entity: its place in a row, its destination, its inverse.
///
/// Immutable once its model's layouts are linked, and shared by all threads.
package final class LayoutProperty: @unchecked Sendable {
  // `@unchecked Sendable`: written only while `ModelLayouts.init` runs.

  package let name: String
  /// The description's name. For an element of a composite attribute it is the last key of `name`.
  let ownName: String
  let keyNumber: Int
  package unowned(unsafe) let description: NSPropertyDescription
  package let kind: SlotKind
  /// How its value lies in a row.
  package let form: RowForm
  package let isTransient: Bool
  let isOptional: Bool
  package let isOrdered: Bool

  /// Composite attributes: the elements, in the order given. Elements may be composite themselves.
  fileprivate(set) var elements: [LayoutProperty] = []
  /// Elements of a composite attribute: the outermost one, of which `name` is a path, `address.city`. Kept
  /// alive by its layout.
  fileprivate(set) unowned(unsafe) var composite: LayoutProperty?

  /// Position among all properties of the entity: attributes by name, then relationships by name.
  package let index: Int
  /// Position among the slots (attributes and to-one relationships); -1 for to-many and fetched.
  package let slot: Int
  /// Position among the to-many relationships, behind them among the fetched properties; -1 for others.
  package let toManyIndex: Int
  /// First word of the value in a row; -1 when the row does not hold it.
  package fileprivate(set) var word = -1
  /// First word of the value among an object's changed values, which also hold what rows don't; 0 without a slot.
  fileprivate(set) var home = 0

  /// Index of the entity that declares the property (Z_ENT is one more, without a configuration).
  package let declaringEntity: Int
  /// Relationships: index of the destination entity as declared; -1 for others.
  package let destination: Int
  /// Relationships: whether the destination has subentities, so that its actual entity must be kept.
  package let isPolymorphic: Bool
  /// Relationships: name of the inverse, if there is one.
  let inverseName: String?
  /// Relationships: the inverse, as the declared destination has it, if that names this relationship in turn. Kept
  /// alive by its layout.
  package fileprivate(set) unowned(unsafe) var inverse: LayoutProperty?
  /// Relationships: an inverse that does not name this relationship in turn. Then `inverse` is nil.
  fileprivate(set) unowned(unsafe) var oneSidedInverse: LayoutProperty?
  // Unchecked, as the count of `insert` asks for; see CONTRIBUTING.md.
  /// Relationships: the indexes of the entities that a destination may have.
  @exclusivity(unchecked) fileprivate(set) var destinations = 0..<0
  /// Attributes: the rules that a value must meet before it is saved.
  let limits: AttributeLimits?
  let predicates: [(predicate: NSPredicate, warning: Any?)]

  /// Whether this is a mandatory attribute without further rules.
  var isMerelyMandatory: Bool {
    slot >= 0 && kind != .toOne && !isOptional && limits == nil && predicates.isEmpty
  }

  /// Whether a save has rules to check. It passes over optional transient properties.
  var needsValidation: Bool {
    if isTransient && isOptional { return false }
    return switch kind.role {
    case .fetched: false
    case .composite: !isOptional
    case .toMany: relationship.minCount > 0 || relationship.maxCount > 0 || !predicates.isEmpty
    case .attribute, .toOne: !isOptional || limits != nil || !predicates.isEmpty
    }
  }

  /// Whether the other one, of another model, has the same name and kind, and the same places. A relationship's
  /// destination has the same name.
  func hasPlace(like other: LayoutProperty) -> Bool {
    name == other.name && keyNumber == other.keyNumber && kind == other.kind && isTransient == other.isTransient
      && isOrdered == other.isOrdered && index == other.index && slot == other.slot
      && toManyIndex == other.toManyIndex && word == other.word && home == other.home
      && destinationName == other.destinationName && isPolymorphic == other.isPolymorphic
      && inverseName == other.inverseName
  }

  private var destinationName: String? { isRelationship ? relationship.destinationEntity?.name : nil }

  package var isRelationship: Bool { kind == .toOne || kind == .toMany }
  package var attribute: NSAttributeDescription { unsafeDowncast(description, to: NSAttributeDescription.self) }
  package var relationship: NSRelationshipDescription {
    unsafeDowncast(description, to: NSRelationshipDescription.self)
  }

  fileprivate init(
    description: NSPropertyDescription, name: String, kind: SlotKind, isTransient: Bool, index: Int, slot: Int,
    toManyIndex: Int, declaringEntity: Int, destination: Int, isPolymorphic: Bool
  ) {
    self.description = description
    self.name = name
    ownName = description.name
    keyNumber = KeyRegistry.shared.number(of: name)
    self.kind = kind
    form = kind.form
    self.isTransient = isTransient
    isOptional = description.isOptional
    let relationship = description as? NSRelationshipDescription
    isOrdered = relationship?.isOrdered ?? false
    inverseName = relationship?.inverseRelationship?.name
    let given = (description as? NSAttributeDescription)?.limits
    limits = given?.isEmpty == false ? given : nil
    let warnings = description.storedValidationWarnings
    predicates = description.storedValidationPredicates.enumerated().map { index, predicate in
      (predicate, index < warnings.count ? warnings[index] : nil)
    }
    self.index = index
    self.slot = slot
    self.toManyIndex = toManyIndex
    self.declaringEntity = declaringEntity
    self.destination = destination
    self.isPolymorphic = isPolymorphic
  }

  /// Finds the inverse and the destinations, once all layouts of the model are there.
  func link(_ layouts: ModelLayouts) {
    guard destination >= 0 else { return }
    destinations = layouts[destination].subtree
    let named = inverseName.flatMap(layouts[destination].property(named:))
    if relationship.isInverseMutual {
      inverse = named
    } else {
      oneSidedInverse = named.flatMap { $0.isRelationship ? $0 : nil }
    }
  }
}

/// Collects the properties of an entity, in their order.
struct LayoutParts {
  private let entity: NSEntityDescription
  private let index: Int
  private let superIndex: Int
  private let model: ModelLayouts
  private(set) var properties: [LayoutProperty] = []
  private(set) var slots: [LayoutProperty] = []
  private(set) var toMany: [LayoutProperty] = []
  private(set) var fetched: [LayoutProperty] = []

  init(entity: NSEntityDescription, index: Int, superIndex: Int, model: ModelLayouts) {
    self.entity = entity
    self.index = index
    self.superIndex = superIndex
    self.model = model
    func byName(_ a: NSPropertyDescription, _ b: NSPropertyDescription) -> Bool { a.storedName < b.storedName }
    let declared = entity.properties
    for attribute in declared.compactMap({ $0 as? NSAttributeDescription }).sorted(by: byName) {
      add(attribute, SlotKind(attribute))
    }
    for relationship in declared.compactMap({ $0 as? NSRelationshipDescription }).sorted(by: byName) {
      let destination = relationship.destinationEntity
      add(
        relationship, relationship.isToMany ? .toMany : .toOne, destination: model.index(of: destination),
        polymorphic: destination.map { !$0.subentities.isEmpty } ?? false)
    }
    for description in declared.compactMap({ $0 as? NSFetchedPropertyDescription }).sorted(by: byName) {
      add(description, .fetched)
    }
  }

  @discardableResult
  private mutating func add(
    _ description: NSPropertyDescription, _ kind: SlotKind, destination: Int = -1, polymorphic: Bool = false,
    path: String? = nil, of composite: LayoutProperty? = nil
  ) -> LayoutProperty {
    let isSlot = kind != .toMany && kind != .fetched && kind != .composite
    let hasMembers = kind == .toMany || kind == .fetched
    let property = LayoutProperty(
      description: description, name: path ?? description.name, kind: kind,
      isTransient: description.isTransient || composite?.isTransient ?? false, index: properties.count,
      slot: isSlot ? slots.count : -1, toManyIndex: hasMembers ? toMany.count + fetched.count : -1,
      declaringEntity: superIndex < 0
        ? index : model.indexOfDeclaringEntity(of: composite?.description ?? description, in: entity),
      destination: destination, isPolymorphic: polymorphic)
    property.composite = composite
    properties.append(property)
    if isSlot { slots.append(property) }
    if kind == .toMany { toMany.append(property) }
    if kind == .fetched { fetched.append(property) }
    if kind == .composite {
      property.elements = property.compositeAttribute.elements.map {
        add($0, SlotKind($0), path: "\(property.name).\($0.name)", of: composite ?? property)
      }
    }
    return property
  }
}

/// The words of an entity's rows: the null bitmap, then the values. Tells each slot where its value is.
struct RowWords {
  let nullWords: Int
  let fixedWords: Int
  /// The words of a row, and behind them those of the values that only changed values hold.
  let imageWords: Int
  /// The slots that rows don't hold.
  let transientSlots: SlotMask

  init(_ slots: [LayoutProperty]) {
    nullWords = (slots.count + 63) / 64
    var word = nullWords
    var transients = SlotMask()
    for property in slots {
      if property.isTransient {
        transients.insert(property.slot)
        continue
      }
      property.word = word
      word += property.kind.words(isPolymorphic: property.isPolymorphic)
    }
    fixedWords = word
    for property in slots {
      let count = property.kind.words(isPolymorphic: property.isPolymorphic)
      if property.isTransient || count == 0 {
        property.home = word
        word += max(count, 1)
      } else {
        property.home = property.word
      }
    }
    imageWords = word
    transientSlots = transients
  }
}
