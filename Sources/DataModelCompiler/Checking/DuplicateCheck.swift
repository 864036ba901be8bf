import DataModelFiles

/// Finds declarations of a module that are also generated from the model. Without this check, the Swift compiler calls
/// such a class ambiguous at each use, and names a generated file.
struct DuplicateCheck {
  let package: DataModelPackage
  let module: String

  func problems(in sources: [SwiftSource]) -> [SourceProblem] {
    package.currentVersion.entities.flatMap { entity -> [SourceProblem] in
      guard let name = ClassName.own(entity.className, module: module) else { return [] }
      switch entity.codeGeneration {
      case .manual: return []
      case .classDefinition: return sources.flatMap { classes(name, entity, in: $0) }
      case .categoryExtension: return sources.flatMap { members(of: name, entity, in: $0) }
      }
    }
  }

  private func classes(_ name: String, _ entity: DataModel.Entity, in source: SwiftSource) -> [SourceProblem] {
    source.types.filter { $0.path == [name] && $0.conditions.isEmpty && $0.line > 0 }.map { type in
      SourceProblem(
        isError: true, file: source.path, line: type.line, column: type.column,
        message: "the class \(name) is declared here, and generated from the entity \(entity.name) of \(package.name) "
          + "as well. Delete one: this declaration, or codeGenerationType=\"class\" in the model")
    }
  }

  private func members(
    of name: String, _ entity: DataModel.Entity, in source: SwiftSource
  ) -> [SourceProblem] {
    let generated = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
    return source.members.filter { member in
      guard case .property = member.kind else { return false }
      return member.owner == [name] && member.conditions.isEmpty && generated.contains(member.name)
    }.map { member in
      SourceProblem(
        isError: true, file: source.path, line: member.line, column: member.column,
        message: "@NSManaged \(member.name): it is declared here, and generated in an extension of \(name) as well. "
          + "Delete one: this declaration, or codeGenerationType=\"category\" in the model")
    }
  }
}
