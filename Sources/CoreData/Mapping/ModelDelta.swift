/// Which entities and properties of one model are which of another: all that a migration has to know which no program
/// helps.
///
/// Immutable. Both models are frozen.
struct ModelDelta {
  /// An entity that is in both.
  struct EntityPair {
    let source: NSEntityDescription
    let destination: NSEntityDescription
    /// Attributes and relationships that are kept, inherited ones included, in the order of the destination's names.
    /// Transient ones and fetched properties are not among them.
    let properties: [PropertyPair]

    func source(of property: String) -> NSPropertyDescription? {
      properties.first { $0.destination.name == property }?.source
    }
  }

  struct PropertyPair {
    let source: NSPropertyDescription
    let destination: NSPropertyDescription
  }

  let source: NSManagedObjectModel
  let destination: NSManagedObjectModel
  /// In the order of the destination's entities by name.
  let pairs: [EntityPair]
  /// In the destination only, by name.
  let added: [NSEntityDescription]
  /// In the source only, by name: their objects go.
  let removed: [NSEntityDescription]

  func pair(ofDestination entity: NSEntityDescription) -> EntityPair? { pairs.first { $0.destination === entity } }

  func pair(ofSource entity: NSEntityDescription) -> EntityPair? { pairs.first { $0.source === entity } }
}
