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
    DecimalHash.setUp
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
      layouts[layout.superIndex].extendSubtree(to: layout.subtreeEnd)
    }
    for property in layouts.lazy.flatMap(\.relationships) { property.link(self) }
  }

  package func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let layout = entity.layoutStorage, layout.model === self { return layout }
    // A description from another copy of the same model is found by its name, as in Apple's framework.
    return indexByName[entity.name ?? ""].map { layouts[$0] }
  }

  /// The places of an entity's properties, found without counting references to its layout.
  @inline(__always)
  func places(of entity: NSEntityDescription) -> PlaceTable? {
    if let layout = entity.layoutStorage, layout.model === self { return layout.places }
    return layout(of: entity)?.places
  }

  package func layout(named name: String) -> EntityLayout? { indexByName[name].map { layouts[$0] } }

  /// The layout of an entity, by its number.
  package subscript(entity: Int) -> EntityLayout { layouts[entity] }

  /// The layouts of entities that follow each other, as an entity and all below it do.
  subscript(entities: Range<Int>) -> ArraySlice<EntityLayout> { layouts[entities] }

  func index(of entity: NSEntityDescription?) -> Int {
    guard let entity else { return -1 }
    return indexByEntity[ObjectIdentifier(entity)] ?? indexByName[entity.name ?? ""] ?? -1
  }

  /// The topmost entity above `entity` that has a property of this name.
  func indexOfDeclaringEntity(of property: NSPropertyDescription, in entity: NSEntityDescription) -> Int {
    var declaring = entity
    while let parent = declaring.superentity, parent.propertiesByName[property.name] != nil { declaring = parent }
    return index(of: declaring)
  }
}
