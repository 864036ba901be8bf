import CoreData

//> writer
/// Writes into a context of its own. The actor's executor is the context's queue, so its code may use the context
/// directly, and the compiler keeps all other code away from it.
public actor StoreWriter {
  private let context: NSManagedObjectContext
  private let executor: ContextExecutor

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  public init(_ container: NSPersistentContainer) {
    context = container.newBackgroundContext()
    executor = ContextExecutor(context)
  }
  //< writer

  //> write
  /// Runs `work` and saves. There is no `await` in between, so other calls can't add changes to the save. Changes that
  /// can't be saved are discarded.
  public func write<Value: Sendable>(
    _ work: @Sendable (NSManagedObjectContext) throws -> Value
  ) throws -> Value {
    defer { context.reset() }
    let value = try work(context)
    if context.hasChanges { try context.save() }
    return value
  }
  //< write
}
