import DataModelFiles

/// Compares the `@NSManaged` declarations of a module with its models. A property that the entity does not have, or
/// has with another type, compiles and links, but ends the program when it is used.
///
/// The check covers the classes that a model of the module names, and their superclasses. A property that no entity
/// of the class has in any version is an error, because it can mean nothing. A declaration whose meaning the models
/// don't tell is a warning.
struct DeclarationCheck {
  private struct Holder {
    var model: String
    var version: DataModel
    var entity: DataModel.Entity
  }

  let types: TypeIndex
  /// The entities of each class, in current versions.
  private var current: [String: [Holder]] = [:]
  /// The entities of each class, in all versions.
  private var all: [String: [Holder]] = [:]
  /// For each class, the class itself and the classes that inherit from it.
  private var heirs: [String: [String]] = [:]

  init(models: [DataModelPackage], types: TypeIndex) {
    self.types = types
    for package in models {
      for version in package.versions {
        for entity in version.entities {
          guard let name = ClassName.own(entity.className, module: types.module) else { continue }
          let holder = Holder(model: package.name, version: version, entity: entity)
          all[name, default: []].append(holder)
          if version.name == package.currentVersionName { current[name, default: []].append(holder) }
        }
      }
    }
    for path in types.ownClasses {
      let ancestry = types.ancestry(of: path)
      for ancestor in ancestry { heirs[ancestor, default: []].append(ancestry[0]) }
    }
  }

  func problems(in sources: [SwiftSource]) -> [SourceProblem] {
    sources.flatMap { source in source.members.compactMap { problem(of: $0, in: source) } }
  }

  /// The names of the transient attributes of each class's entities.
  var transients: [String: Set<String>] { names { $0.attributes.filter(\.isTransient).map(\.name) } }

  /// The names of the relationships of each class's entities.
  var relationships: [String: Set<String>] { names { $0.relationships.map(\.name) } }

  /// Names of each class's entities. A class also has those of its subclasses' entities.
  private func names(_ names: (DataModel.Entity) -> [String]) -> [String: Set<String>] {
    var found: [String: Set<String>] = [:]
    for (name, heirs) in heirs {
      let holders = heirs.flatMap { all[$0] ?? [] }
      let own = holders.flatMap { Self.lineage(of: $0).flatMap(names) }
      if !own.isEmpty { found[name] = Set(own) }
    }
    return found
  }

  private func problem(of member: SwiftSource.ManagedMember, in source: SwiftSource) -> SourceProblem? {
    guard let owner = types.ownType(member.owner) else { return nil }
    let name = owner.declaration.path.joined(separator: ".")
    let classes = heirs[name] ?? []
    let known = classes.flatMap { all[$0] ?? [] }
    guard !known.isEmpty else { return nil }
    let holders = classes.flatMap { current[$0] ?? [] }

    let names: [String]
    let type: TypeSyntax?
    switch member.kind {
    case .property(let declared): (names, type) = ([member.name] + PrimitiveName.properties(of: member.name), declared)
    case .function(let parameters):
      guard let call = ManagedCall(name: member.name, parameters: parameters) else { return nil }
      (names, type) = (call.keys, nil)
    }
    let wanted = names[0]
    func problem(isError: Bool, _ text: String) -> SourceProblem {
      SourceProblem(
        isError: isError && member.conditions.isEmpty, file: source.path, line: member.line, column: member.column,
        message: "@NSManaged \(member.name): \(text)")
    }

    let found = holders.lazy.compactMap { holder in
      names.lazy.compactMap { Self.property($0, of: holder) }.first
    }.first
    guard let found else {
      if let older = known.first(where: { holder in names.contains { Self.property($0, of: holder) != nil } }) {
        return problem(
          isError: false,
          "only the version \(older.version.name) of \(older.model) has \(older.entity.name).\(wanted); "
            + "the current version does not")
      }
      let holder = holders.first ?? known[0]
      return problem(
        isError: current[name] != nil,
        "the entity \(holder.entity.name) of \(holder.model) has no property \"\(wanted)\". "
          + Self.listed(holder, near: wanted))
    }
    guard let type else {
      if case .relationship(let relationship, _) = found, relationship.isToMany { return nil }
      return problem(isError: false, "\"\(wanted)\" is not a to-many relationship in the model")
    }
    guard let expected = mismatch(type, found, in: member.owner) else { return nil }
    return problem(isError: false, "declared as \(type.text), but \(expected)")
  }

  /// Whether a class of this module, or one that inherits from it, is an entity's.
  func isEntityClass(_ path: [String]) -> Bool {
    (heirs[path.joined(separator: ".")] ?? []).contains { all[$0] != nil }
  }

  // What the model has.

  enum Property {
    case attribute(DataModel.Attribute)
    case relationship(DataModel.Relationship, destinationClass: String?)
    case fetched
  }

  private static func lineage(of holder: Holder) -> [DataModel.Entity] { holder.version.lineage(of: holder.entity) }

  private static func property(_ name: String, of holder: Holder) -> Property? {
    for entity in lineage(of: holder) {
      if let attribute = entity.attributes.first(where: { $0.name == name }) { return .attribute(attribute) }
      if let relationship = entity.relationships.first(where: { $0.name == name }) {
        let destination = holder.version.entities.first { $0.name == relationship.destinationName }
        return .relationship(relationship, destinationClass: destination?.className)
      }
      if entity.fetchedProperties.contains(where: { $0.name == name }) { return .fetched }
    }
    return nil
  }

  /// "It has author, pages, title", the likeliest first where there are many.
  private static func listed(_ holder: Holder, near wanted: String) -> String {
    let names = lineage(of: holder).flatMap { entity in
      entity.attributes.map(\.name) + entity.relationships.map(\.name) + entity.fetchedProperties.map(\.name)
    }.sorted()
    if names.isEmpty { return "It has none" }
    let nearby = wanted.count < 4 ? 1 : max(2, wanted.count / 3)
    let near = names.filter { Spelling.distance($0.lowercased(), wanted.lowercased()) <= nearby }
    if !near.isEmpty { return "Did you mean \(near.joined(separator: " or "))?" }
    return names.count <= 12 ? "It has \(names.joined(separator: ", "))" : "It has \(names.count) others"
  }
}
