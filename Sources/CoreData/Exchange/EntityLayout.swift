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
  /// Relationships: the indexes of the entities that a destination may have.
  fileprivate(set) var destinations = 0..<0
  /// Attributes: the rules that a value must meet before it is saved.
  let limits: AttributeLimits?
  let predicates: [(predicate: NSPredicate, warning: Any?)]

  /// Whether this is a mandatory attribute without further rules.
  var isMerelyMandatory: Bool {
    slot >= 0 && kind != .toOne && !isOptional && limits == nil && predicates.isEmpty
  }

  fileprivate var needsValidation: Bool {
    switch kind.role {
    case .fetched: false
    case .composite: !isOptional
    case .toMany: relationship.minCount > 0 || relationship.maxCount > 0 || !predicates.isEmpty
    case .attribute, .toOne: !isOptional || limits != nil || !predicates.isEmpty
    }
  }

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
}

/// Collects the properties of an entity, in their order.
private struct LayoutParts {
  let entity: NSEntityDescription
  let index: Int
  let superIndex: Int
  let model: ModelLayouts
  private(set) var properties: [LayoutProperty] = []
  private(set) var slots: [LayoutProperty] = []
  private(set) var toMany: [LayoutProperty] = []
  private(set) var fetched: [LayoutProperty] = []

  init(entity: NSEntityDescription, index: Int, superIndex: Int, model: ModelLayouts) {
    self.entity = entity
    self.index = index
    self.superIndex = superIndex
    self.model = model
  }

  @discardableResult
  mutating func add(
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

/// Where the properties of one entity live: in a row, and among an object's changed values.
///
/// Immutable after `ModelLayouts.init`; shared by all contexts, stores and threads.
package final class EntityLayout: @unchecked Sendable {
  // `@unchecked Sendable`: written only while `ModelLayouts.init` runs.

  /// Kept alive by the model, and so by everything that keeps a layout.
  package unowned(unsafe) let entity: NSEntityDescription
  package unowned(unsafe) let model: ModelLayouts
  package let name: String
  /// Position in the model: roots by name, each followed depth-first by its subentities.
  package let index: Int
  package let rootIndex: Int
  /// Index of the parent entity, or -1.
  package let superIndex: Int
  /// One past the last entity of this entity's subtree.
  package fileprivate(set) var subtreeEnd: Int

  /// Attributes by name, elements behind their composite, then relationships by name; inherited ones included.
  package let properties: [LayoutProperty]
  /// The attributes and to-one relationships, in the order of their slot numbers.
  package let slots: [LayoutProperty]
  /// The attributes whose values may lie in files of their own.
  let external: [LayoutProperty]
  package let toMany: [LayoutProperty]
  let fetched: [LayoutProperty]
  let relationships: [LayoutProperty]
  /// Words before the tail: null bitmap first, then the values.
  package let fixedWords: Int
  let nullWords: Int
  let transientSlots: SlotMask
  /// The slots whose bytes are in the row's tail, behind its words.
  let tailSlots: SlotMask
  let hasTransformables: Bool
  /// The uniqueness constraints that the entity declares, each a list of names. A composite attribute stands there as
  /// its elements, which have the values.
  package let constraints: [[String]]
  /// The properties that a save has to validate.
  let validated: [LayoutProperty]
  /// The validated properties that are more than mandatory attributes, whose slots `places.mandatory` has.
  let ruled: [LayoutProperty]

  private let indexByName: [String: Int]
  private let names: NameTable
  let places: PlaceTable
  package let isAbstract: Bool
  /// The default values of a new object's attributes.
  let defaults: [(slot: Int, value: Value)]
  /// Whether transient attributes, which no row has, are among these.
  let hasTransientDefaults: Bool

  package var isRoot: Bool { index == rootIndex }
  package var hasSubentities: Bool { subtreeEnd > index + 1 }
  package var subtree: Range<Int> { index..<subtreeEnd }
  package var root: EntityLayout { model.layouts[rootIndex] }

  /// The class of this entity's objects; found once, when a context first needs it. See `objectClass`.
  let classWord = AtomicWord()
  /// The accessors that the objects' class itself has, once they were looked up: a retained object. See `OwnAccessors`.
  let ownAccessorsWord = AtomicWord()

  package func property(named name: String) -> LayoutProperty? { index(named: name).map { properties[$0] } }

  // Inlined by force, as the count of `rereadkey` asks for; see CONTRIBUTING.md.
  /// The position among `properties` of the one with a name.
  @inline(__always)
  package func index(named name: String) -> Int? { names[name] ?? indexByName[name] }

  @inline(__always)
  func property(_ key: ManagedKey) -> LayoutProperty? { property(keyNumber: key.number) }

  @inline(__always)
  func property(keyNumber number: Int) -> LayoutProperty? {
    places.index(keyNumber: number).map { properties[$0] }
  }

  /// The other side of a relationship, as the declared destination has it.
  package func inverse(of property: LayoutProperty) -> LayoutProperty? { property.inverse }

  fileprivate init(entity: NSEntityDescription, index: Int, rootIndex: Int, superIndex: Int, model: ModelLayouts) {
    self.entity = entity
    self.model = model
    name = entity.name ?? ""
    self.index = index
    self.rootIndex = rootIndex
    self.superIndex = superIndex
    subtreeEnd = index + 1

    var parts = LayoutParts(entity: entity, index: index, superIndex: superIndex, model: model)
    func byName(_ a: NSPropertyDescription, _ b: NSPropertyDescription) -> Bool { a.storedName < b.storedName }
    let declared = entity.properties
    for attribute in declared.compactMap({ $0 as? NSAttributeDescription }).sorted(by: byName) {
      parts.add(attribute, SlotKind(attribute))
    }
    for relationship in declared.compactMap({ $0 as? NSRelationshipDescription }).sorted(by: byName) {
      let destination = relationship.destinationEntity
      parts.add(
        relationship, relationship.isToMany ? .toMany : .toOne,
        destination: model.index(of: destination),
        polymorphic: destination.map { !$0.subentities.isEmpty } ?? false)
    }
    for description in declared.compactMap({ $0 as? NSFetchedPropertyDescription }).sorted(by: byName) {
      parts.add(description, .fetched)
    }
    let (properties, slots) = (parts.properties, parts.slots)
    let (toMany, fetched) = (parts.toMany, parts.fetched)

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
    transientSlots = transients
    external = slots.filter {
      $0.kind == .binary && $0.word >= 0 && $0.attribute.allowsExternalBinaryDataStorage
    }
    hasTransformables = slots.contains { $0.kind == .transformable || $0.kind == .undefined }
    self.properties = properties
    self.slots = slots
    self.toMany = toMany
    self.fetched = fetched
    relationships = properties.filter(\.isRelationship)
    tailSlots = SlotMask(slots.lazy.filter(\.kind.hasTail).map(\.slot))
    validated = properties.filter(\.needsValidation)
    ruled = validated.filter { !$0.isMerelyMandatory }

    let indexByName = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0.index) })
    self.indexByName = indexByName
    constraints = entity.constraintNames.map { constraint in
      constraint.flatMap { name in indexByName[name].map { properties[$0].leaves.map(\.name) } ?? [name] }
    }
    names = NameTable(properties.map(\.name))
    isAbstract = entity.isAbstract
    defaults = slots.compactMap { property in
      guard property.kind != .toOne, let value = property.defaultValue else { return nil }
      return Value(value, for: property).map { (property.slot, $0) }
    }
    hasTransientDefaults = defaults.contains { transients.contains($0.slot) }
    places = PlaceTable(
      entity: index, keys: KeyRegistry.shared.count, properties: properties, slots: slots, defaults: defaults)
    var traits: EntityTraits = []
    if !toMany.isEmpty { traits.insert(.toMany) }
    if !places.destinations.isEmpty { traits.insert(.toOne) }
    if hasTransformables || !transients.isEmpty { traits.insert(.keptValues) }
    if !external.isEmpty { traits.insert(.external) }
    if !validated.isEmpty { traits.insert(.validation) }
    if !ruled.isEmpty { traits.insert(.rules) }
    if isAbstract { traits.insert(.abstract) }
    if defaults.allSatisfy(\.value.isPlain) { traits.insert(.plainDefaults) }
    places.belong(to: self, traits)
  }

  deinit {
    places.free()
    names.free()
    classWord.free()
    if let accessors = UnsafeRawPointer(bitPattern: ownAccessorsWord.value) {
      Unmanaged<AnyObject>.fromOpaque(accessors).release()
    }
    ownAccessorsWord.free()
  }
}

extension EntityLayout {
  /// The entity's own and inherited uniqueness constraints, with the entities that declare them: its own first.
  var allConstraints: [(names: [String], declaring: EntityLayout)] {
    var found = constraints.map { (names: $0, declaring: self) }
    if superIndex >= 0 { found += model.layouts[superIndex].allConstraints }
    return found
  }
}

/// The layouts of all entities of one model, made when the model is frozen.
package final class ModelLayouts: @unchecked Sendable {
  // `@unchecked Sendable`: immutable after `init`.

  /// Kept alive by the coordinator and contexts that use the layouts.
  package unowned(unsafe) let model: NSManagedObjectModel
  // Unchecked, as the count of `fire` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) package private(set) var layouts: [EntityLayout] = []
  /// Whether key paths may lead into composite attributes.
  let hasComposites: Bool
  private let indexByEntity: [ObjectIdentifier: Int]
  private let indexByName: [String: Int]

  /// The layouts of a model; made and attached to it at the first call. This freezes the model.
  package static func of(_ model: NSManagedObjectModel) -> ModelLayouts {
    creation.lock()
    defer { creation.unlock() }
    if let made = model.layoutsStorage { return made }
    model.freeze()
    let made = ModelLayouts(model)
    model.layoutsStorage = made
    return made
  }

  private static let creation = NSLock()

  private init(_ model: NSManagedObjectModel) {
    _ = SmallString.setUp
    _ = MiddleString.setUp
    self.model = model
    let entities = model.entitiesInStoreOrder
    indexByEntity = Dictionary(uniqueKeysWithValues: entities.enumerated().map { (ObjectIdentifier($1), $0) })
    indexByName = Dictionary(
      entities.enumerated().map { ($1.name ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    // All names get their numbers before the first table is made, since its size is the count of numbers.
    for entity in entities {
      for property in entity.properties { _ = KeyRegistry.shared.number(of: property.name) }
      for path in entity.elementPaths { _ = KeyRegistry.shared.number(of: path) }
    }
    hasComposites = entities.contains { !$0.elementPaths.isEmpty }
    for (index, entity) in entities.enumerated() {
      let superIndex = self.index(of: entity.superentity)
      let layout = EntityLayout(
        entity: entity, index: index, rootIndex: superIndex < 0 ? index : layouts[superIndex].rootIndex,
        superIndex: superIndex, model: self)
      layouts.append(layout)
      entity.layoutStorage = layout
    }
    for layout in layouts.reversed() where layout.superIndex >= 0 {
      let parent = layouts[layout.superIndex]
      parent.subtreeEnd = max(parent.subtreeEnd, layout.subtreeEnd)
    }
    for property in layouts.lazy.flatMap(\.relationships) where property.destination >= 0 {
      property.destinations = layouts[property.destination].subtree
      let named = property.inverseName.flatMap(layouts[property.destination].property(named:))
      if property.relationship.isInverseMutual {
        property.inverse = named
      } else {
        property.oneSidedInverse = named.flatMap { $0.isRelationship ? $0 : nil }
      }
    }
  }

  package func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let layout = entity.layoutStorage, layout.model === self { return layout }
    // A description from another copy of the same model is found by its name, as in Apple's framework.
    return indexByName[entity.name ?? ""].map { layouts[$0] }
  }

  package func layout(named name: String) -> EntityLayout? { indexByName[name].map { layouts[$0] } }

  fileprivate func index(of entity: NSEntityDescription?) -> Int {
    guard let entity else { return -1 }
    return indexByEntity[ObjectIdentifier(entity)] ?? indexByName[entity.name ?? ""] ?? -1
  }

  /// The topmost entity above `entity` that has a property of this name.
  fileprivate func indexOfDeclaringEntity(of property: NSPropertyDescription, in entity: NSEntityDescription) -> Int {
    var declaring = entity
    while let parent = declaring.superentity, parent.propertiesByName[property.name] != nil { declaring = parent }
    return index(of: declaring)
  }
}
