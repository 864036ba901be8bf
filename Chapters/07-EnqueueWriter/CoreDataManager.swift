import CoreData

/// One way in for everything that writes: `enqueue` a block, get a context in it, and hear whether it was
/// saved.
///
/// The view context is for reading, on the main thread. Writing goes through an operation queue of one, so
/// there is never a second writer, no save meets a row that changed under it, and blocks take effect in the
/// order in which they came. Blocks that wait while another is being saved are saved together; see
/// `CoreDataManager+GroupCommit.swift`.
///
/// All members may be called from any thread but `viewContext`.
public final class CoreDataManager: @unchecked Sendable {
  // Sendable: `waiting` and `savesDone` are touched under `lock`, everything else is set once, before it is
  // shared.

  public typealias Block = (NSManagedObjectContext) throws -> Void
  public typealias Completion = (Result<Void, any Error>) -> Void

  public static let storeName = "EnqueueWriter.sqlite"

  /// The most blocks that go into one save.
  public let groupLimit: Int

  /// Why the store is not there, if it is not. Blocks enqueued then fail with it.
  public private(set) var loadingFailure: (any Error)?

  let container: NSPersistentContainer
  let lock = NSLock()
  var waiting: [Job] = []
  var savesDone = 0

  private let log: @Sendable (String) -> Void

  //> writer-queue
  let writerQueue: OperationQueue = {
    let queue = OperationQueue()
    queue.name = "CoreDataManager.writer"
    queue.maxConcurrentOperationCount = 1
    return queue
  }()
  //< writer-queue

  struct Job {
    let block: Block
    let completion: Completion
  }

  /// - Parameters:
  ///   - folder: Where the store's file is.
  ///   - groupLimit: The most blocks that go into one save, at least 1.
  ///   - log: Told of misuse and of failed writes, whether or not anybody listens to their completions.
  //> set-up
  public init(
    folder: URL,
    groupLimit: Int = 64,
    log: @escaping @Sendable (String) -> Void = {
      FileHandle.standardError.write(Data(($0 + "\n").utf8))
    }
  ) {
    precondition(groupLimit >= 1, "A group has at least one block in it, not \(groupLimit).")
    self.groupLimit = groupLimit
    self.log = log
    let url = folder.appendingPathComponent(Self.storeName)
    container = NSPersistentContainer(name: "EnqueueWriter")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { [self] _, error in loadingFailure = error }
    container.viewContext.automaticallyMergesChangesFromParent = true
  }
  //< set-up

  //> view-context
  /// For reading, on the main thread only.
  ///
  /// Elsewhere it is handed out all the same, since the caller needs an answer, but the log says
  /// who asked. What is done with it there is then the context's own guard's affair.
  public var viewContext: NSManagedObjectContext {
    if !Thread.isMainThread {
      log(
        """
        The view context was asked for off the main thread.
          Queue: \(OperationQueue.current?.name ?? "none with a name")
        It belongs to the main thread, for reading. To write, call enqueue { context in … };
        to read in the background, call enqueue too and hand values out of the block, or
        their object ids.
        """)
    }
    return container.viewContext
  }
  //< view-context

  /// How many saves have reached the store so far.
  public var saveCount: Int { lock.withLock { savesDone } }

  //> enqueue
  /// Runs `block` with a context after all blocks enqueued before it, then saves what it changed.
  ///
  /// Nothing made or fetched in the block may leave it: the context is emptied afterwards. Hand
  /// out values or object ids. The block should change nothing but its context, since it may run
  /// twice: once in a group that could not be saved, and once more on its own.
  ///
  /// - Parameter completion: Called once, on the writer's queue, after the commit or with what
  ///   prevented it. The log is told of failures as well.
  public func enqueue(_ block: @escaping Block, completion: @escaping Completion = { _ in }) {
    lock.withLock { waiting.append(Job(block: block, completion: completion)) }
    writerQueue.addOperation { [self] in commitWaitingBlocks() }
  }
  //< enqueue

  //> enqueue-async
  /// The same for code that can wait: returns what the block returned, once it is saved.
  public func enqueue<Value>(
    _ block: @escaping (NSManagedObjectContext) throws -> Value
  ) async throws -> Value {
    var value: Value?
    try await withCheckedThrowingContinuation { (saved: CheckedContinuation<Void, any Error>) in
      enqueue({ value = try block($0) }, completion: { saved.resume(with: $0) })
    }
    guard let value else {
      preconditionFailure("A block that was committed has returned its value.")
    }
    return value
  }
  //< enqueue-async

  /// Waits until everything enqueued so far is saved or has failed. Not from within a block: it would wait
  /// for itself.
  public func waitUntilWritten() {
    writerQueue.waitUntilAllOperationsAreFinished()
  }

  /// Waits for the writer, then takes the store off the coordinator, which closes its file.
  public func close() throws {
    waitUntilWritten()
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  func report(_ error: any Error) {
    let error = error as NSError
    log("A block could not be written: \(error.localizedDescription) (\(error.domain) \(error.code))")
  }
}
