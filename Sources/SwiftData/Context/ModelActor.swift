import CoreData

/// An executor that runs an actor's jobs and owns the actor's model context.
public protocol ModelExecutor: Executor {
  /// The actor's context.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one job after the other.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs the jobs of one actor on a queue of its own, or on the main queue if its context is a container's main context.
public final class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // `@unchecked Sendable`: only the jobs use the context, one after the other.

  /// The actor's context.
  public let modelContext: ModelContext
  private let queue: DispatchQueue

  /// Makes an executor for a context that nothing else uses, or for a main context.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    queue =
      modelContext.managedContext.concurrencyType == .mainQueueConcurrencyType
      ? .main : DispatchQueue(label: "DefaultSerialModelExecutor")
    guard modelContext.autosaveQueue == nil else { return }
    modelContext.autosaveQueue = { [queue] block in queue.async(execute: block) }
  }

  /// Runs a job when all earlier ones have ended.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// The executor in the form that the Swift runtime wants.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// An actor with a model context of its own. The macro ``ModelActor()`` writes the conformance.
///
///     @ModelActor actor Importer {
///       func add(_ titles: [String]) throws {
///         for title in titles { modelContext.insert(Book(title: title)) }
///         try modelContext.save()
///       }
///     }
public protocol ModelActor: Actor {
  /// The container that stores the actor's models.
  nonisolated var modelContainer: ModelContainer { get }
  /// The executor that runs the actor's jobs.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor that runs the actor's jobs.
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

  /// The model with an identity, in the actor's context. Nil if no store has it any more. It is nil as well if the
  /// store can't be read; standard error then says why.
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
