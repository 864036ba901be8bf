/// Which entities and properties of one model are which of another: all that a migration has to know which no program
/// helps.
///
/// Immutable. A migration freezes both models first; one that a program asked for may be of models that are not.
package struct ModelDelta {
  /// An entity that is in both.
  struct EntityPair {
    let source: NSEntityDescription
    let destination: NSEntityDescription
    /// Attributes and relationships that are kept, inherited ones included, in the order of the destination's names.
    /// Transient ones and fetched properties are not among them, nor derived attributes whose values are to be
    /// computed anew, nor relationships to entities that are gone.
    let properties: [PropertyPair]

    private let sources: [String: NSPropertyDescription]

    init(source: NSEntityDescription, destination: NSEntityDescription, properties: [PropertyPair]) {
      self.source = source
      self.destination = destination
      self.properties = properties
      sources = Dictionary(uniqueKeysWithValues: properties.map { ($0.destination.name, $0.source) })
    }

    func source(of property: String) -> NSPropertyDescription? { sources[property] }
  }

  struct PropertyPair {
    let source: NSPropertyDescription
    let destination: NSPropertyDescription
  }

  package let source: NSManagedObjectModel
  package let destination: NSManagedObjectModel
  /// In the order of the destination's entities by name.
  let pairs: [EntityPair]
  /// In the destination only, by name.
  let added: [NSEntityDescription]
  /// In the source only, by name: their objects go.
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
