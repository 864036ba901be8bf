import ModelMacros

/// A request from the compiler, and the answer to it.
struct CompilerRequest {
  private let kind: String
  private let content: [String: Any]

  init(_ message: [String: Any]) {
    kind = message.keys.first ?? ""
    content = message[kind] as? [String: Any] ?? [:]
  }

  var answer: [String: Any] {
    switch kind {
    case "getCapability": ["getCapabilityResult": ["capability": ["protocolVersion": 7]]]
    case "expandAttachedMacro", "expandFreestandingMacro": expansion
    default: ["expandMacroResult": result("", problem: SourceProblem("The request \(kind) is not known.", at: 0))]
    }
  }

  private var expansion: [String: Any] {
    do {
      return ["expandMacroResult": result(try expandedSource(), problem: nil)]
    } catch {
      let problem = error as? SourceProblem ?? SourceProblem("\(error)", at: 0)
      return ["expandMacroResult": result("", problem: problem)]
    }
  }

  private func result(_ source: String, problem: SourceProblem?) -> [String: Any] {
    ["expandedSource": source, "diagnostics": problem.map { [diagnostic($0)] } ?? []]
  }

  /// A diagnostic in the compiler's form. The compiler counts offsets from the beginning of the file.
  private func diagnostic(_ problem: SourceProblem) -> [String: Any] {
    let location = declaration["location"] as? [String: Any] ?? [:]
    let start = location["offset"] as? Int ?? 0
    let position: [String: Any] = ["fileName": location["fileName"] ?? "", "offset": start + problem.offset]
    return [
      "message": problem.message, "severity": "error", "position": position, "highlights": [String](),
      "notes": [String](), "fixIts": [String](),
    ]
  }

  private var declaration: [String: Any] {
    (content["declSyntax"] ?? content["syntax"]) as? [String: Any] ?? [:]
  }

  private func source(_ key: String) -> String { (content[key] as? [String: Any])?["source"] as? String ?? "" }

  private func expandedSource() throws -> String {
    let macro = (content["macro"] as? [String: Any])?["typeName"] as? String ?? ""
    let role = content["macroRole"] as? String ?? ""
    let declaration = source("declSyntax")
    switch (macro, role) {
    case ("PersistentModelMacro", "member"):
      // If the class already conforms because its superclass does, the compiler asks for no conformances.
      let conforms = !source("conformanceListSyntax").contains("PersistentModel")
      let model = try ModelDeclaration(declaration)
      let isSubclass = conforms && !model.statesConformance
      return isSubclass ? try ModelDeclaration(declaration, isSubclass: true).members : model.members
    case ("PersistentModelMacro", "memberAttribute"): return ModelDeclaration.memberAttribute(for: declaration)
    case ("PersistentModelMacro", "extension"):
      // If the declaration can't be read, the expansion of the members reports that.
      guard let model = try? ModelDeclaration(declaration) else { return "" }
      return model.conformances(of: source("extendedTypeSyntax"), wanted: source("conformanceListSyntax"))
    case ("PersistedPropertyMacro", "accessor"):
      return try PropertyDeclaration.reading(declaration)?.accessors(isTransformable: false) ?? ""
    case ("TransformablePersistedPropertyMacro", "accessor"):
      return try PropertyDeclaration.reading(declaration)?.accessors(isTransformable: true) ?? ""
    case ("PersistedPropertyMacro", "peer"), ("TransformablePersistedPropertyMacro", "peer"):
      return try PropertyDeclaration.reading(declaration)?.marker ?? ""
    case ("ModelActorMacro", "member"): return try ModelActorDeclaration(declaration).members
    case ("ModelActorMacro", "extension"):
      guard (try? ModelActorDeclaration(declaration)) != nil else { return "" }
      return source("conformanceListSyntax").contains("ModelActor")
        ? ModelActorDeclaration.conformance(of: source("extendedTypeSyntax")) : ""
    // `@Model` reads these macros. They expand to nothing.
    case ("MarkerMacro", _), ("TypeMarkerMacro", _): return ""
    default: throw SourceProblem("The macro \(macro) has no expansion as \(role).", at: 0)
    }
  }
}
