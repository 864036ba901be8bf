import CoreData

/// The one way in for everything that writes: `enqueue` a block, get a context in it, and hear whether it was
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

  /// Why the store could not be opened; nil if it could. Every enqueued block then fails with it.
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
  ///   - log: Hears of misuse and of failed writes, even if their completions are ignored.
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
  /// Other callers get it as well, since they need an answer, and the log says who they are. The
  /// context's own guard sees what they do with it.
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
  /// Runs `block` with a context, after all blocks enqueued earlier, then saves what it changed.
  ///
  /// No object may leave the block, since its context is emptied afterwards: hand out values or
  /// object ids. Change nothing but the context: the block may run twice, once in a group that
  /// could not be saved, and once more on its own.
  ///
  /// - Parameter completion: Called once, on the writer's queue, after the commit or with what
  ///   prevented it. The log hears of failures as well.
  public func enqueue(_ block: @escaping Block, completion: @escaping Completion = { _ in }) {
    lock.withLock { waiting.append(Job(block: block, completion: completion)) }
    writerQueue.addOperation { [self] in commitWaitingBlocks() }
  }
  //< enqueue

  //> enqueue-async
  /// For code that can wait: returns what the block returned, once it is saved.
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

  /// Waits until everything enqueued so far is saved or has failed. Never call it in a block, which would wait
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
