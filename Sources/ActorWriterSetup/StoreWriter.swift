import CoreData

//> writer
/// Writes into one context that nobody else has. Its executor is the context's queue: whatever runs in the actor may
/// use the context as it stands, and the compiler sees to it that nothing else does.
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
  /// Runs `work` and saves. There is no `await` in between, so nobody else's changes get into the save. What cannot be
  /// saved is dropped.
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
