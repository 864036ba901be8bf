/// A class with `@Model`, as it is written.
package struct ModelDeclaration: Sendable {
  package let name: String
  package let isFinal: Bool
  /// `public ` or `package `, for what the macro adds; empty without either.
  package let access: String
  package let inherited: String
  /// Whether the class it inherits from is a model too. Its source does not tell; the compiler does.
  package let isSubclass: Bool
  /// What a member has that subclasses override.
  let overridableAccess: String
  package let properties: [PropertyDeclaration]
  let macros: [DeclarationReader.MacroUse]

  /// Throws a `SourceProblem` for what is no class, or has properties that cannot be persistent.
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
    let isPublic = header.modifiers.contains("public") || header.modifiers.contains("open")
    overridableAccess =
      header.modifiers.contains("open")
      ? "open " : isPublic ? "public " : header.modifiers.contains("package") ? "package " : ""
    access = isPublic ? "public " : header.modifiers.contains("package") ? "package " : ""
    inherited = header.inherited
    let members = try reader.members()
    for property in members.properties { if let problem = property.problem { throw problem } }
    properties = members.properties.filter(\.isPersistent)
    macros = members.macros.filter { $0.name == "Unique" || $0.name == "Index" }
  }
}

extension PropertyDeclaration {
  /// Reads one declaration; nil where it declares no property.
  package static func reading(_ source: String) throws -> PropertyDeclaration? {
    var reader = DeclarationReader(source)
    return try reader.member().first
  }
}
