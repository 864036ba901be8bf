import CoreData

//> executor
/// Runs an actor's code on the queue of a context.
public final class ContextExecutor: SerialExecutor {
  private let context: NSManagedObjectContext

  public init(_ context: NSManagedObjectContext) { self.context = context }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    context.perform { job.runSynchronously(on: executor) }
  }
}
//< executor
