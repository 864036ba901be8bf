/// The triggers that maintain derived attributes.
enum DerivedTriggers {
  static func createStatements(_ schema: StoreSchema) throws -> [String] {
    for entity in schema.entities.compactMap({ $0 }) {
      for property in entity.layout.slots where property.description is NSDerivedAttributeDescription {
        throw Failure.unsupportedFeature(
          "The derived attribute \(entity.layout.name).\(property.name) in a new SQLite store")
      }
    }
    return []
  }
}
