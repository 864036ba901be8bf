import CoreData

/// What runs the jobs of an actor that has a model context.
public protocol ModelExecutor: Executor {
  /// The actor's context.
  var modelContext: ModelContext { get }
}

/// The same, one job after the other.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs the jobs of an actor on a queue of its own.
public final class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // `@unchecked Sendable`: the context is only used by the jobs, one after the other.

  /// The actor's context.
  public let modelContext: ModelContext
  private let queue = DispatchQueue(label: "DefaultSerialModelExecutor")

  /// An executor for a context that nobody else uses.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    guard modelContext.autosaveQueue == nil else { return }
    modelContext.autosaveQueue = { [queue] block in queue.async(execute: block) }
  }

  /// Runs a job when its turn comes.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// The executor as the runtime takes it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// An actor with a model context of its own. ``ModelActor()`` writes the conformance.
public protocol ModelActor: Actor {
  /// Where the actor's models are stored.
  nonisolated var modelContainer: ModelContainer { get }
  /// What runs the actor's jobs.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// What runs the actor's jobs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      misuse(
        MisuseReport(
          "The executor of \(Self.self) is not serial.", facts: [("Executor", "\(type(of: modelExecutor))")],
          how: "An actor runs one job after the other.", remedy: "Use DefaultSerialModelExecutor."))
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The actor's context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// A model of the actor's context; nil if no store has it any more. A store that cannot be read is told of on
  /// standard error, and gives nil too.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    modelContext.existingModel(id, type)
  }
}

extension ModelContext {
  fileprivate func existingModel<T: PersistentModel>(_ identifier: PersistentIdentifier, _ type: T.Type) -> T? {
    guard container.classes.byName[identifier.entityName]?.inherits(from: ModelType.of(type)) == true,
      let objectID = objectID(of: identifier)
    else { return nil }
    do {
      return model(of: try managedContext.existingObject(with: objectID), type)
    } catch let error as NSError {
      let isGone = error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
      if !isGone {
        warn(
          MisuseReport(
            "A model could not be read.", facts: [("Identity", identifier.uri), ("Error", "\(error)")],
            how: "The store did not answer, and a subscript cannot throw.",
            remedy: "Fetch the model with a FetchDescriptor, which throws the error."))
      }
      return nil
    }
  }
}
