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

  /// Whether an object of the other entity, of another model, is laid out as this one's objects are.
  func hasPlaces(like other: EntityLayout) -> Bool {
    name == other.name && properties.elementsEqual(other.properties) { $0.hasPlace(like: $1) }
  }

  /// Whether a row of the other entity, of another model, could be one of this one: rows name entities by number.
  func hasRows(like other: EntityLayout) -> Bool {
    index == other.index && rootIndex == other.rootIndex && subtreeEnd == other.subtreeEnd
      && properties.elementsEqual(other.properties) { $0.destination == $1.destination }
  }

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

  /// Called for each entity below this one.
  func extendSubtree(to end: Int) { subtreeEnd = max(subtreeEnd, end) }

  init(entity: NSEntityDescription, index: Int, rootIndex: Int, superIndex: Int, model: ModelLayouts) {
    self.entity = entity
    self.model = model
    name = entity.name ?? ""
    self.index = index
    self.rootIndex = rootIndex
    self.superIndex = superIndex
    subtreeEnd = index + 1

    let parts = LayoutParts(entity: entity, index: index, superIndex: superIndex, model: model)
    let (properties, slots) = (parts.properties, parts.slots)
    let words = RowWords(slots)
    transientSlots = words.transientSlots
    external = slots.filter {
      $0.kind == .binary && $0.word >= 0 && $0.attribute.allowsExternalBinaryDataStorage
    }
    hasTransformables = slots.contains { $0.kind == .transformable || $0.kind == .undefined }
    self.properties = properties
    self.slots = slots
    toMany = parts.toMany
    fetched = parts.fetched
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
    hasTransientDefaults = defaults.contains { words.transientSlots.contains($0.slot) }
    places = PlaceTable(
      entity: index, keys: KeyRegistry.shared.count, properties: properties, slots: slots, words: words,
      defaults: defaults)
    places.belong(to: self, EntityTraits(of: self))
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

extension EntityTraits {
  fileprivate init(of layout: EntityLayout) {
    self = []
    if !layout.toMany.isEmpty { insert(.toMany) }
    if !layout.places.destinations.isEmpty { insert(.toOne) }
    if layout.hasTransformables || !layout.transientSlots.isEmpty { insert(.keptValues) }
    if !layout.external.isEmpty { insert(.external) }
    if !layout.validated.isEmpty { insert(.validation) }
    if !layout.ruled.isEmpty { insert(.rules) }
    if layout.isAbstract { insert(.abstract) }
  }
}
