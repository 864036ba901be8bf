/// The classes of a schema, and what a context asks about them again and again.
struct ModelClasses {
  /// The classes, by their entities' names.
  let byName: [String: ModelType]
  /// Whether an object may be of a subclass of the model that is asked for.
  let haveSubclasses: Bool
  /// Whether a class has a property, or several together, whose values are unique.
  let haveUniqueValues: Bool

  init(_ schema: Schema) {
    byName = Dictionary(uniqueKeysWithValues: schema.types.map { ($0.name, $0) })
    haveSubclasses = schema.types.contains { $0.supertype != nil }
    haveUniqueValues = schema.types.contains { !$0.uniquenessConstraints(all: false).isEmpty }
  }
}
