import CoreData

/// What two versions of a model don't have in common, as a migration sees it.
public struct ModelDifference {
  /// One line for each difference, `+` for what is new, `-` for what is gone, `~` for what has another name.
  public let lines: [String]

  //> difference
  public init(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
    var lines: [String] = []
    let pairs = Self.matched(old.entities, new.entities, \.name!, \.renamingIdentifier)
    for entity in new.entities.sorted(by: { $0.name! < $1.name! }) {
      guard let former = pairs[entity.name!] else {
        lines.append("+ \(entity.name!)")
        lines += entity.properties.sorted { $0.name < $1.name }
          .map { "+ \(entity.name!).\(Self.words($0))" }
        continue
      }
      if former.name != entity.name { lines.append("~ \(former.name!) is now \(entity.name!)") }
      lines += Self.properties(former, entity)
    }
    let kept = Set(pairs.values.compactMap(\.name))
    let gone = old.entities.compactMap(\.name).filter { !kept.contains($0) }
    lines += gone.sorted().map { "- \($0)" }
    self.lines = lines
  }

  /// Who is who: by the renaming identifier, which is the name unless the model says otherwise.
  private static func matched<Part>(
    _ old: [Part], _ new: [Part], _ name: (Part) -> String, _ identifier: (Part) -> String?
  ) -> [String: Part] {
    var found: [String: Part] = [:]
    for part in new {
      let wanted = identifier(part)
      found[name(part)] = old.first { name($0) == wanted || identifier($0) == wanted }
    }
    return found
  }
  //< difference

  private static func properties(_ former: NSEntityDescription, _ entity: NSEntityDescription) -> [String] {
    let pairs = matched(former.properties, entity.properties, \.name, \.renamingIdentifier)
    var lines: [String] = []
    for property in entity.properties.sorted(by: { $0.name < $1.name }) {
      guard let before = pairs[property.name] else {
        lines.append("+ \(entity.name!).\(words(property))")
        continue
      }
      if before.name != property.name {
        lines.append("~ \(former.name!).\(before.name) is now \(entity.name!).\(property.name)")
      }
    }
    let kept = Set(pairs.values.map(\.name))
    let gone = former.properties.filter { !kept.contains($0.name) }.sorted { $0.name < $1.name }
    return lines + gone.map { "- \(former.name!).\(words($0))" }
  }

  /// `name: String`, `books: to many Book`.
  private static func words(_ property: NSPropertyDescription) -> String {
    switch property {
    case let attribute as NSAttributeDescription:
      let start = attribute.defaultValue.map { ", at first \($0 as? String == "" ? "empty" : "\($0)")" }
      return "\(attribute.name): \(typeName(attribute.attributeType))"
        + (start ?? (attribute.isOptional ? ", optional" : ""))
    case let relationship as NSRelationshipDescription:
      let destination = relationship.destinationEntity?.name ?? "nothing"
      return "\(relationship.name): \(relationship.isToMany ? "many" : "one") \(destination)"
    default:
      return property.name
    }
  }

  private static func typeName(_ type: NSAttributeType) -> String {
    switch type {
    case .stringAttributeType: "String"
    case .integer16AttributeType: "Integer 16"
    case .booleanAttributeType: "Boolean"
    default: "type \(type.rawValue)"
    }
  }
}
