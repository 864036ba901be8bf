/// The classes of a schema, with the answers that a context needs again and again.
struct ModelClasses {
  /// The classes, by their entities' names.
  let byName: [String: ModelType]
  /// Whether the schema has a class that inherits from another: an object may then be of a subclass of the one asked
  /// for.
  let haveSubclasses: Bool
  /// Whether a class declares unique properties, alone or in combination.
  let haveUniqueValues: Bool
  /// Whether a relationship is declared with a class of another version, whose place one of these has taken.
  let haveStandIns: Bool

  /// Whether a class of a hierarchy has a property of this name, which stands for it where objects have a key of the
  /// same name.
  func haveProperty(named name: String, inHierarchyOf type: ModelType) -> Bool {
    let root = sequence(first: type, next: \.supertype).reduce(type) { $1 }
    return byName.values.contains { $0.inherits(from: root) && $0.property(named: name) != nil }
  }

  init(_ schema: Schema) {
    let byName = Dictionary(uniqueKeysWithValues: schema.types.map { ($0.name, $0) })
    self.byName = byName
    haveStandIns = schema.types.flatMap(\.properties).compactMap(\.destination).map(ModelType.of)
      .contains { byName[$0.name] !== $0 }
    haveSubclasses = schema.types.contains { $0.supertype != nil }
    haveUniqueValues = schema.types.contains { !$0.uniquenessConstraints(all: false).isEmpty }
  }
}
