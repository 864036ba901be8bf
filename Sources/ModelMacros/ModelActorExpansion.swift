/// The code that `@ModelActor` generates.
package struct ModelActorDeclaration: Sendable {
  // The actor limits it, or an extension around the actor, which the macro isn't shown.
  private let access = "public "

  /// Throws a `SourceProblem` if the declaration isn't an actor.
  package init(_ source: String) throws {
    var reader = DeclarationReader(source)
    let header = try reader.header()
    guard header.kind == "actor" else {
      throw SourceProblem(
        "@ModelActor gives an actor a model context; '\(header.name)' is no actor.", at: header.kindOffset)
    }
  }

  /// The members that the macro adds to the actor.
  package var members: String {
    """
    \(access)nonisolated let modelExecutor: any SwiftData.ModelExecutor

    \(access)nonisolated let modelContainer: SwiftData.ModelContainer

    \(access)init(modelContainer: SwiftData.ModelContainer) {
      let modelContext = SwiftData.ModelContext(modelContainer)
      self.modelExecutor = SwiftData.DefaultSerialModelExecutor(modelContext: modelContext)
      self.modelContainer = modelContainer
    }
    """
  }

  package static func conformance(of type: String) -> String {
    "nonisolated extension \(type): SwiftData.ModelActor {\n}"
  }
}
