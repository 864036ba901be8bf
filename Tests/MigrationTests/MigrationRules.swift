import DataModelFiles

/// What a migration without a mapping model does, said once more over plain values: which entity and which property
/// of one version is which of another, or why that needs a program's help.
///
/// It knows nothing of the stack. Everything is tried with everything; it is slow and plain.
struct MigrationRules {
  enum Outcome: Equatable {
    /// Values stay; the name in the source.
    case kept(from: String)
    /// New: the default value, the derivation's, or nothing.
    case added
  }

  struct EntityRule: Equatable {
    /// The source entity; nil for a new one.
    var source: String?
    /// By name in the destination, inherited ones included; without transient properties.
    var attributes: [String: Outcome] = [:]
    var relationships: [String: Outcome] = [:]
    /// Names in the source of what is not kept.
    var removedProperties: Set<String> = []
    /// Attributes and to-one relationships without which an object of the source is refused: mandatory, without a
    /// default value, and new or optional until now.
    var needed: Set<String> = []
  }

  enum Reason: String {
    case ambiguous, mergedHierarchies, typeChanged, toManyBecameToOne, otherInverse
  }

  struct Refusal: Error, Equatable {
    var entity: String
    var property: String?
    var reason: Reason
  }

  /// By name in the destination.
  private(set) var entities: [String: EntityRule] = [:]
  private(set) var removed: Set<String> = []

  private let from: DataModel
  private let to: DataModel
  /// Entities that are defined alike in both, by name.
  private let unchanged: Set<String>
  private var entitySources: [String: String] = [:]

  /// - Throws: `Refusal`.
  init(from: DataModel, to: DataModel) throws {
    self.from = from
    self.to = to
    let hashes = to.entityVersionHashes()
    unchanged = Set(from.entityVersionHashes().filter { hashes[$0.key] == $0.value }.keys)
    entitySources = try Self.matched(
      from.entities.map { ($0.name, $0.renamingIdentifier) },
      Self.treeOrder(to).map { ($0.name, $0.renamingIdentifier) }
    ) { Refusal(entity: $0, property: nil, reason: .ambiguous) }
    try refuseMergedHierarchies()
    for entity in Self.treeOrder(to) { entities[entity.name] = try rule(for: entity) }
    try refuseOtherInverses()
    removed = Set(from.entities.map(\.name)).subtracting(entitySources.values)
  }

  /// Whether the migration has to be refused because one of these objects lacks a value.
  func refuses(_ graph: ObjectGraph) -> Bool {
    entities.contains { entity, rule in
      guard let source = rule.source else { return false }
      return graph.objects[source]?.contains { object in
        rule.needed.contains { lacks($0, rule, entity, object) }
      } ?? false
    }
  }

  private func lacks(_ name: String, _ rule: EntityRule, _ entity: String, _ object: ObjectGraph.Object) -> Bool {
    if case .kept(let former)? = rule.attributes[name] { return object.values[former] == nil }
    if case .kept(let former)? = rule.relationships[name] { return object.members[former, default: []].isEmpty }
    // A new relationship has the members of its inverse, if that was there.
    guard let place = relationshipAndOwner(name, of: entity, in: to),
      let inverse = inverse(of: place.relationship, in: to),
      let inverseRule = entities[inverse.entity.name], let owner = inverseRule.source,
      case .kept(let former)? = inverseRule.relationships[inverse.relationship.name]
    else { return true }
    guard let back = relationshipAndOwner(former, of: owner, in: from)?.relationship.inverseName else { return false }
    return object.members[back, default: []].isEmpty
  }

  func source(ofEntity name: String) -> String? { entitySources[name] }

  // MARK: Names

  /// Destination names to source names. Destinations that `share` may all have one source.
  private static func matched(
    _ from: [(name: String, identifier: String?)], _ to: [(name: String, identifier: String?)],
    sharing share: Set<String> = [], refusal: (String) -> Refusal
  ) throws -> [String: String] {
    func told(_ item: (name: String, identifier: String?)) -> String? {
      item.identifier == item.name || item.identifier == "" ? nil : item.identifier
    }
    var found: [String: String] = [:]
    func isFree(_ source: String) -> Bool { !found.values.contains(source) }
    /// Makes pairs of all that fit; each may fit only one.
    func pair(_ fits: ((name: String, identifier: String?), (name: String, identifier: String?)) -> Bool) throws {
      var candidates: [(identifier: String, destination: String, source: String)] = []
      for destination in to where found[destination.name] == nil {
        for source in from where isFree(source.name) && fits(source, destination) {
          candidates.append((told(destination) ?? told(source) ?? "", destination.name, source.name))
        }
      }
      // Of several ties the one with the first identifier is told.
      candidates.sort { $0 < $1 }
      for candidate in candidates {
        let rivals = candidates.filter {
          ($0.source == candidate.source) != ($0.destination == candidate.destination)
        }
        let mayShare =
          share.contains(candidate.destination)
          && rivals.allSatisfy { $0.source == candidate.source && share.contains($0.destination) }
        if !rivals.isEmpty, !mayShare { throw refusal(candidate.destination) }
        found[candidate.destination] = candidate.source
      }
    }
    try pair { $0.name == $1.name && told($0) != nil && told($0) == told($1) }
    try pair { told($0) != nil && told($0) == told($1) }
    try pair { told($1) == $0.name }
    for _ in from {
      try pair { source, destination in
        let namesake = to.first { $0.name == source.name }
        return told(destination) == nil && told(source) == destination.name
          && (namesake == nil || found[namesake!.name] != nil)
      }
    }
    try pair { $0.name == $1.name }
    return found
  }

  // MARK: Entities

  private func refuseMergedHierarchies() throws {
    for root in Self.treeOrder(to) where root.parentName == nil && entitySources[root.name] == nil {
      // Those below the new root with only new entities above them.
      let nearest = to.entities.filter { entity in
        entitySources[entity.name] != nil && to.lineage(of: entity).last?.name == root.name
          && to.lineage(of: entity).dropFirst().allSatisfy { entitySources[$0.name] == nil }
      }
      let roots = Set(
        nearest.compactMap { entity in
          from.entity(named: entitySources[entity.name]!).flatMap { from.lineage(of: $0).last?.name }
        })
      if roots.count > 1 { throw Refusal(entity: root.name, property: nil, reason: .mergedHierarchies) }
    }
  }

  private func rule(for entity: DataModel.Entity) throws -> EntityRule {
    let attributes = to.allAttributes(of: entity).filter { !$0.isTransient }
    let relationships = to.allRelationships(of: entity).filter { !$0.isTransient }
    var rule = EntityRule(source: entitySources[entity.name])
    guard let source = rule.source.flatMap(from.entity(named:)) else {
      for attribute in attributes { rule.attributes[attribute.name] = .added }
      for relationship in relationships { rule.relationships[relationship.name] = .added }
      return rule
    }
    let formerAttributes = from.allAttributes(of: source).filter { !$0.isTransient }
    let formerRelationships = from.allRelationships(of: source).filter { !$0.isTransient }
    let isSame = source.name == entity.name && unchanged.contains(source.name)
    func sources(
      _ from: [(name: String, identifier: String?)], _ to: [(name: String, identifier: String?)],
      sharing share: Set<String> = []
    ) throws -> [String: String] {
      if isSame { return Dictionary(uniqueKeysWithValues: to.map { ($0.name, $0.name) }) }
      return try Self.matched(from, to, sharing: share) {
        Refusal(entity: entity.name, property: $0, reason: .ambiguous)
      }
    }
    let sharing = attributes.filter {
      !$0.isDerived && $0.type != .composite && !$0.allowsExternalBinaryDataStorage
    }
    let attributeSources = try sources(
      formerAttributes.map { ($0.name, $0.renamingIdentifier) },
      attributes.map { ($0.name, $0.renamingIdentifier) }.sorted { $0.0 < $1.0 }, sharing: Set(sharing.map(\.name)))
    let relationshipSources = try sources(
      formerRelationships.map { ($0.name, $0.renamingIdentifier) },
      relationships.map { ($0.name, $0.renamingIdentifier) }.sorted { $0.0 < $1.0 })

    var refusals: [Refusal] = []
    for attribute in attributes {
      let former = attributeSources[attribute.name].flatMap { name in formerAttributes.first { $0.name == name } }
      if !attribute.isDerived, !attribute.isOptional, attribute.defaultValue == nil, former?.isOptional ?? true {
        rule.needed.insert(attribute.name)
      }
      if let reason = self.reason(attribute, former) {
        refusals.append(Refusal(entity: entity.name, property: attribute.name, reason: reason))
      }
      let isKept = former.map { !attribute.isDerived || isSameDerivation(attribute, $0) } ?? false
      rule.attributes[attribute.name] = isKept ? .kept(from: former!.name) : .added
    }
    for relationship in relationships {
      guard
        let former = relationshipSources[relationship.name].flatMap({ name in
          formerRelationships.first { $0.name == name }
        })
      else {
        rule.relationships[relationship.name] = .added
        if !relationship.isOptional, relationship.maxCount == 1 { rule.needed.insert(relationship.name) }
        continue
      }
      if let reason = self.reason(relationship, former) {
        refusals.append(Refusal(entity: entity.name, property: relationship.name, reason: reason))
      }
      let isKept = whatBecame(ofMembersOf: former).contains { member in
        isKind(member, of: relationship.destinationName) || isKind(relationship.destinationName, of: member)
      }
      rule.relationships[relationship.name] = isKept ? .kept(from: former.name) : .added
      if !relationship.isOptional, relationship.maxCount == 1, !isKept || former.isOptional {
        rule.needed.insert(relationship.name)
      }
    }
    if let first = refusals.min(by: { $0.property! < $1.property! }) { throw first }
    let kept = (Array(rule.attributes.values) + Array(rule.relationships.values)).compactMap {
      if case .kept(let name) = $0 { name } else { nil }
    }
    rule.removedProperties = Set(formerAttributes.map(\.name) + formerRelationships.map(\.name)).subtracting(kept)
    return rule
  }

  // MARK: Properties

  private func reason(_ attribute: DataModel.Attribute, _ former: DataModel.Attribute?) -> Reason? {
    guard !attribute.isDerived, let former, !isSameType(attribute, former) else { return nil }
    return .typeChanged
  }

  private func isSameType(_ attribute: DataModel.Attribute, _ former: DataModel.Attribute) -> Bool {
    guard attribute.type == former.type else { return (Self.widerTypes[former.type] ?? []).contains(attribute.type) }
    guard attribute.type == .composite else { return true }
    let elements = to.composites.first { $0.name == attribute.compositeName }?.attributes ?? []
    let formerElements = from.composites.first { $0.name == former.compositeName }?.attributes ?? []
    return elements.allSatisfy { element in
      formerElements.first { $0.name == element.name }.map { isSameType(element, $0) } ?? true
    }
  }

  /// The numeric types that take all values of another one.
  private static let widerTypes: [DataModel.AttributeType: Set<DataModel.AttributeType>] = [
    .boolean: [.integer16, .integer32, .integer64],
    .integer16: [.integer32, .integer64, .float, .double],
    .integer32: [.integer64, .double],
    .integer64: [.double],
    .float: [.double],
  ]

  private func isSameDerivation(_ attribute: DataModel.Attribute, _ former: DataModel.Attribute) -> Bool {
    attribute.type == former.type && attribute.derivationExpression == former.derivationExpression
  }

  private func reason(_ relationship: DataModel.Relationship, _ former: DataModel.Relationship) -> Reason? {
    former.maxCount != 1 && relationship.maxCount == 1 ? .toManyBecameToOne : nil
  }

  /// The destination entities of all objects that the relationship can lead to.
  private func whatBecame(ofMembersOf relationship: DataModel.Relationship) -> [String] {
    to.entities.map(\.name).filter { name in
      guard let source = entitySources[name].flatMap(from.entity(named:)) else { return false }
      return from.lineage(of: source).contains { $0.name == relationship.destinationName }
    }
  }

  private func isKind(_ name: String, of other: String) -> Bool {
    to.entity(named: name).map { to.lineage(of: $0).contains { $0.name == other } } ?? false
  }

  private func refuseOtherInverses() throws {
    for entity in to.entities.sorted(by: { $0.name < $1.name }) {
      guard let rule = entities[entity.name], let source = rule.source.flatMap(from.entity(named:)) else { continue }
      for relationship in to.allRelationships(of: entity).sorted(by: { $0.name < $1.name }) {
        guard case .kept(let name)? = rule.relationships[relationship.name],
          let former = from.allRelationships(of: source).first(where: { $0.name == name }),
          let formerInverse = inverse(of: former, in: from), let inverse = inverse(of: relationship, in: to),
          let inverseRule = entities[inverse.entity.name],
          case .kept(let keptName)? = inverseRule.relationships[inverse.relationship.name],
          let kept = relationshipAndOwner(keptName, of: inverseRule.source!, in: from),
          kept.relationship.inverseName != nil
        else { continue }
        if kept.entity.name != formerInverse.entity.name || keptName != formerInverse.relationship.name {
          throw Refusal(entity: entity.name, property: relationship.name, reason: .otherInverse)
        }
      }
    }
  }

  private typealias Place = (entity: DataModel.Entity, relationship: DataModel.Relationship)

  /// The inverse with the entity that declares it.
  private func inverse(of relationship: DataModel.Relationship, in model: DataModel) -> Place? {
    relationship.inverseName.flatMap { relationshipAndOwner($0, of: relationship.destinationName, in: model) }
  }

  private func relationshipAndOwner(_ name: String, of entity: String, in model: DataModel) -> Place? {
    guard let entity = model.entity(named: entity) else { return nil }
    for owner in model.lineage(of: entity) {
      if let relationship = owner.relationships.first(where: { $0.name == name }) { return (owner, relationship) }
    }
    return nil
  }

  /// The roots by name, each followed by what is below it.
  private static func treeOrder(_ model: DataModel) -> [DataModel.Entity] {
    func below(_ parent: String?) -> [DataModel.Entity] {
      model.entities.filter { $0.parentName == parent }.sorted { $0.name < $1.name }
        .flatMap { [$0] + below($0.name) }
    }
    return below(nil)
  }
}
