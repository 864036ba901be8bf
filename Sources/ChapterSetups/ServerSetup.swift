import Comparison
import CoreData
import PostgreSQLStore

private let stackFile = "Sources/ChapterSetups/ServerStack.swift"

/// Chapter 15's store: what chapter 4 does in background tasks, with the rows on a PostgreSQL server.
public final class ServerSetup: StackSetup {
  public nonisolated static let info = SetupInfo(
    id: "server", title: "PostgreSQL server",
    summary: "A container over a database on a server; each write has a new context, and the view context merges.",
    folder: "Sources/ChapterSetups", modelName: "ServerStack", storeName: "Server.url",
    steps: [
      SetupStep(.model, note: "The container finds it by its name."),
      SetupStep(.coordinator, note: "The container makes it."),
      SetupStep(.store, [.region("open", in: stackFile)]),
      SetupStep(.context, note: "The container makes it; the initializer lets it merge."),
      SetupStep(.errors, note: "The initializer throws."),
      SetupStep(.saving, note: "The program calls save() on the context."),
      SetupStep(.writing, [.region("write", in: stackFile)]),
      SetupStep(.testing, note: "The URL is a parameter: a schema of its own for each test."),
    ], isOnServer: true)

  private let stack: ServerStack
  public var viewContext: NSManagedObjectContext { stack.container.viewContext }

  public init(folder: URL) async throws {
    let text = try String(contentsOf: folder.appendingPathComponent(Self.info.storeName), encoding: .utf8)
    guard let url = URL(string: text) else { throw ComparisonFailure("\(Self.info.storeName) has no URL in it.") }
    stack = try calling("ServerStack.init(modelName:url:)") {
      try ServerStack(modelName: Self.info.modelName, url: url)
    }
  }

  public func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await calling("ServerStack.write(_:)") { [stack] in try await stack.write(block) }
  }

  public func saveView() async throws { try calling("save()") { try viewContext.save() } }

  public func close() async throws { try stack.close() }
}
