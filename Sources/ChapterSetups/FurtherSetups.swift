import ActorWriterSetup
import Comparison
import CoreData
import ParentChildSetup

private let parentChildFile = "Sources/ParentChildSetup/ParentChildStack.swift"
private let actorFile = "Sources/ActorWriterSetup/ActorStack.swift"
private let writerFile = "Sources/ActorWriterSetup/StoreWriter.swift"

/// Contexts with parent contexts.
public final class ParentChildSetup: StackSetup {
  public nonisolated static let info = SetupInfo(
    id: "child", title: "Parent and child",
    summary: "Three generations of contexts; each save goes one up, and only the last reaches the file.",
    folder: "Sources/ParentChildSetup", modelName: "ParentChild", storeName: "ParentChild.sqlite",
    steps: [
      SetupStep(.model, note: "The container finds it by its name."),
      SetupStep(.coordinator, note: "The container makes it."),
      SetupStep(.store, [.region("container", in: parentChildFile)]),
      SetupStep(.context, [.region("contexts", in: parentChildFile)]),
      SetupStep(.errors, note: "The initializer throws."),
      SetupStep(.saving, [.region("save", in: parentChildFile)]),
      SetupStep(.writing, [.region("write", in: parentChildFile)]),
      SetupStep(.testing, note: "The store's URL is a parameter."),
    ])

  private let stack: ParentChildStack
  public var viewContext: NSManagedObjectContext { stack.viewContext }

  public init(folder: URL) async throws {
    stack = try calling("ParentChildStack.init(modelName:storeURL:)") {
      try ParentChildStack(
        modelName: Self.info.modelName, storeURL: folder.appendingPathComponent(Self.info.storeName))
    }
  }

  public func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await calling("ParentChildStack.write(_:)") { [stack] in try await stack.write(block) }
  }

  public func saveView() async throws {
    try await calling("ParentChildStack.save()") { [stack] in try await stack.save() }
  }

  public func close() async throws { try await stack.close() }
}

/// An actor that owns the writing context.
public final class ActorSetup: StackSetup {
  public nonisolated static let info = SetupInfo(
    id: "actor", title: "Actor", summary: "A container; an actor owns one writing context and runs on its queue.",
    folder: "Sources/ActorWriterSetup", modelName: "ActorWriter", storeName: "ActorWriter.sqlite",
    steps: [
      SetupStep(.model, note: "The container finds it by its name."),
      SetupStep(.coordinator, note: "The container makes it."),
      SetupStep(.store, [.region("open", in: actorFile)]),
      SetupStep(
        .context,
        [
          .symbol("ActorStack.viewContext", in: actorFile), .region("writer", in: writerFile),
          .region("executor", in: "Sources/ActorWriterSetup/ContextExecutor.swift"),
        ]),
      SetupStep(.errors, note: "The initializer and write(_:) throw."),
      SetupStep(.saving, [.region("save", in: actorFile)]),
      SetupStep(.writing, [.region("write", in: writerFile)]),
      SetupStep(.testing, note: "The store's URL is a parameter."),
    ])

  private let stack: ActorStack
  public var viewContext: NSManagedObjectContext { stack.viewContext }

  public init(folder: URL) async throws {
    stack = try await calling("ActorStack.init(modelName:storeURL:)") {
      try await ActorStack(
        modelName: Self.info.modelName, storeURL: folder.appendingPathComponent(Self.info.storeName))
    }
  }

  public func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try await calling("StoreWriter.write(_:)") { [writer = stack.writer] in try await writer.write(block) }
  }

  public func saveView() async throws { try calling("ActorStack.save()") { try stack.save() } }

  public func close() async throws { try stack.close() }
}
