/// A class with `@Model`, read from its source.
package struct ModelDeclaration: Sendable {
  package let name: String
  package let isFinal: Bool
  /// The access of generated members. The class limits it, or an extension around the class, which the macro isn't
  /// shown.
  package let access = "public "
  /// Whether it states the conformance that the macro would add.
  package let statesConformance: Bool
  /// Whether the superclass is a model too. The source doesn't tell, but the compiler does.
  package let isSubclass: Bool
  /// The access of generated members that subclasses override.
  let overridableAccess: String
  package let properties: [PropertyDeclaration]
  let macros: [DeclarationReader.MacroUse]

  /// Throws a `SourceProblem` if the declaration isn't a class, or if it has properties that can't be persistent.
  ///
  /// - Parameter isSubclass: whether the class inherits from a model.
  package init(_ source: String, isSubclass: Bool = false) throws {
    self.isSubclass = isSubclass
    var reader = DeclarationReader(source)
    let header = try reader.header()
    guard header.kind == "class" else {
      throw SourceProblem("@Model makes a class persistent; '\(header.name)' is no class.", at: header.kindOffset)
    }
    if header.isGeneric {
      throw SourceProblem(
        "The generic class '\(header.name)' cannot be a model: an entity has one set of types.", at: header.kindOffset)
    }
    name = header.name
    isFinal = header.modifiers.contains("final")
    overridableAccess = header.modifiers.contains("open") ? "open " : "public "
    statesConformance = header.inherited.contains { ["PersistentModel", "SwiftData.PersistentModel"].contains($0) }
    let members = try reader.members()
    for property in members.properties { if let problem = property.problem { throw problem } }
    properties = members.properties.filter(\.isPersistent)
    macros = members.macros.filter { $0.name == "Unique" || $0.name == "Index" }
  }
}

extension PropertyDeclaration {
  /// Reads one declaration; nil if it doesn't declare a property.
  package static func reading(_ source: String) throws -> PropertyDeclaration? {
    var reader = DeclarationReader(source)
    return try reader.member().properties.first
  }
}
