/// Which entities and properties of one model correspond to which of another. A migration without a mapping model needs
/// nothing more.
///
/// Immutable. A migration freezes both models first; a delta for a program may be of models that aren't frozen.
package struct ModelDelta {
  /// An entity that is in both models.
  struct EntityPair {
    let source: NSEntityDescription
    let destination: NSEntityDescription
    /// Attributes and relationships that are kept, inherited ones included, in the order of the destination's names.
    /// Transient ones and fetched properties are not among them, nor derived attributes that have to be computed again,
    /// nor relationships to entities that are gone.
    let properties: [PropertyPair]
    /// What objects of a store need, in the order of the destination's names.
    let needed: [NeededValue]

    private let sources: [String: NSPropertyDescription]

    init(
      source: NSEntityDescription, destination: NSEntityDescription, properties: [PropertyPair],
      needed: [NeededValue] = []
    ) {
      self.source = source
      self.destination = destination
      self.properties = properties
      self.needed = needed
      sources = Dictionary(uniqueKeysWithValues: properties.map { ($0.destination.name, $0.source) })
    }

    func source(of property: String) -> NSPropertyDescription? { sources[property] }
  }

  /// A mandatory attribute, or element of a composite attribute, without a default value, or a mandatory to-one
  /// relationship, which is new or was optional.
  struct NeededValue {
    /// Of an element, its path.
    let name: String
    /// nil if it is new.
    let formerName: String?
    /// Of an element, the former name of its attribute. Where that has no value, the element needs none either.
    var group: String?
    var isAttribute = true
  }

  struct PropertyPair {
    let source: NSPropertyDescription
    let destination: NSPropertyDescription
    /// Of a composite attribute, the paths that its kept elements had, by those that they have.
    var formerPaths: [String: String] = [:]

    /// The names in the source, by those in the destination. Elements are key paths.
    var formerNames: [(name: String, former: String)] {
      [(destination.name, source.name)]
        + formerPaths.map { ("\(destination.name).\($0)", "\(source.name).\($1)") }
    }
  }

  package let source: NSManagedObjectModel
  package let destination: NSManagedObjectModel
  /// Sorted by the names of the destination's entities.
  let pairs: [EntityPair]
  /// Entities of the destination only, by name.
  let added: [NSEntityDescription]
  /// Entities of the source only, by name. Their objects are dropped.
  let removed: [NSEntityDescription]

  private let pairsOfDestinations: [ObjectIdentifier: Int]
  private let pairsOfSources: [ObjectIdentifier: Int]

  /// - Parameters: in any order.
  init(
    source: NSManagedObjectModel, destination: NSManagedObjectModel, pairs: [EntityPair],
    added: [NSEntityDescription], removed: [NSEntityDescription]
  ) {
    self.source = source
    self.destination = destination
    let pairs = pairs.sorted { NSEntityDescription.inNameOrder($0.destination, $1.destination) }
    self.pairs = pairs
    self.added = added.sorted(by: NSEntityDescription.inNameOrder)
    self.removed = removed.sorted(by: NSEntityDescription.inNameOrder)
    pairsOfDestinations = Dictionary(
      uniqueKeysWithValues: pairs.indices.map { (ObjectIdentifier(pairs[$0].destination), $0) })
    pairsOfSources = Dictionary(
      uniqueKeysWithValues: pairs.indices.map { (ObjectIdentifier(pairs[$0].source), $0) })
  }

  func pair(ofDestination entity: NSEntityDescription) -> EntityPair? {
    pairsOfDestinations[ObjectIdentifier(entity)].map { pairs[$0] }
  }

  func pair(ofSource entity: NSEntityDescription) -> EntityPair? {
    pairsOfSources[ObjectIdentifier(entity)].map { pairs[$0] }
  }
}
