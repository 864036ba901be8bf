/// The classes of a schema, with the answers that a context needs again and again.
struct ModelClasses {
  /// The classes, by their entities' names.
  let byName: [String: ModelType]
  /// Whether the schema has a class that inherits from another: an object may then be of a subclass of the one asked
  /// for.
  let haveSubclasses: Bool
  /// Whether a class declares unique properties, alone or in combination.
  let haveUniqueValues: Bool

  init(_ schema: Schema) {
    byName = Dictionary(uniqueKeysWithValues: schema.types.map { ($0.name, $0) })
    haveSubclasses = schema.types.contains { $0.supertype != nil }
    haveUniqueValues = schema.types.contains { !$0.uniquenessConstraints(all: false).isEmpty }
  }
}
