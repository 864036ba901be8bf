import Synchronization

/// The connections of one store: one that writes, and readers that work beside it. Safe from any thread.
///
/// Readers exist only if the journal is a write-ahead log. Otherwise all callers share the connection that writes, one
/// after the other.
///
/// A reader's transaction stays open for a moment after its last use (a *lease*), because beginning one costs more than
/// firing a fault. The states of a reader's transaction, and what changes them:
///
///     none ──read──▶ open ──read, no commit since──▶ open
///     open ──a commit of this pool (`willCommit`, then `commitCount` has grown)──▶ none
///     open ──`read(isFresh: true)`, by this or another reader──▶ none
///     open ──no use between two ticks of the timer──▶ none
///     open ──use after more than two ticks──▶ none
///
/// So a reader sees the commits of this process at once, and those of another process or pool a few milliseconds later,
/// or when a fetch has seen them.
final class ConnectionPool: @unchecked Sendable {
  // `@unchecked Sendable`: `writer` and `file` are only touched under `writerLock`; `file` is also read by the thread
  // that moves the store. All other variables are only touched under `lock`. A reader that is handed out belongs to its
  // borrower.

  private final class Reader {
    let connection: Connection
    var isOpen = false
    /// The pool's `commitCount` when the reader was last taken.
    var commitsSeen = 0
    var uses = 0
    var usesAtTick = -1
    /// The pool's `tickCount` when its transaction began.
    var openedAtTick = 0
    /// The number of the file that it reads; see `fileNumber`.
    let file: Int

    init(_ connection: Connection, file: Int) {
      self.connection = connection
      self.file = file
    }
  }

  /// The readers that each stay at one state of the database.
  private var pinned: PinnedReaders
  private var open: () throws -> Connection
  private let maximumReaders: Int
  private var writer: Connection
  private let writerLock = NSLock()
  /// The thread that has the writer, 0 for none. If that thread asked for the writer again, it would wait for itself.
  private let writingThread = AtomicWord()

  /// The path, without links, of the file that others may have open too, whether the pool reads it or a copy; nil in
  /// memory.
  private(set) var file: String?

  private let lock = NSCondition()
  // Unchecked, as the count of `fire` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var idle: [Reader] = []
  private var readerCount = 0
  /// Grows with every commit of this pool, with every fresh read, which may see another's commit, and when the pool
  /// moves to another file.
  private var commitCount = 0
  private var tickCount = 0
  private var timerRuns = false
  private var isClosed = false
  /// Grows when the pool moves to another file.
  private var fileNumber = 0

  /// How long a reader may stand idle in its transaction.
  private static let idleTime = DispatchTimeInterval.milliseconds(5)
  private static let timerQueue = {
    let queue = DispatchQueue(label: "SQLite reader leases", qos: .utility)
    queue.setSpecific(key: isTimerQueue, value: true)
    return queue
  }()
  private static let isTimerQueue = DispatchSpecificKey<Bool>()
  /// Whether the pool is closed. The timer's blocks keep it, and read it before they retain the pool.
  private let isTimerOver = Flag()

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  /// - Parameters:
  ///   - writer: an open connection.
  ///   - maximumReaders: 0 for a pool that has only the writer.
  ///   - file: the path, without links, of the file that others may have open too; nil in memory.
  ///   - openReader: opens another connection to the same file.
  init(
    writer: Connection, maximumReaders: Int, file: String?, openReader: @escaping () throws -> Connection
  ) {
    self.writer = writer
    self.file = file
    self.maximumReaders = maximumReaders
    open = openReader
    pinned = PinnedReaders(open: openReader)
  }

  deinit { writingThread.free() }

  /// Runs `body` with the connection that writes. Other callers of `write` wait; readers don't.
  func write<Result>(_ body: (Connection) throws -> Result) rethrows -> Result {
    let thread = UInt(pthread_self())
    if !writerLock.try() {
      if writingThread.value == thread { misuse(.writeInsideWrite()) }
      writerLock.lock()
    }
    writingThread.value = thread
    defer {
      // A rollback may fail for lack of memory, and its lock would stay until the next
      // transaction.
      let isStuck = writer.isInTransaction
      writingThread.value = 0
      writerLock.unlock()
      if isStuck { rollBackLater() }
    }
    // What a read-only store does here is to read.
    guard let watched = WatchedFile.find(file), !writer.isReadOnly else {
      return try body(writer)
    }
    return try watched.duringOwnWrite(writer) { try body(writer) }
  }

  private func rollBackLater() {
    let reference = LivingReference(self)
    ConnectionPool.timerQueue.asyncAfter(deadline: .now() + .milliseconds(100)) { [isTimerOver] in
      if !isTimerOver.isSet { reference.object?.write { $0.rollback() } }
    }
  }

  /// Ends the idle readers' transactions, so that the following commit can move the log into the database.
  func willCommit() {
    guard maximumReaders > 0 else { return }
    lock.lock()
    for reader in idle { end(reader) }
    lock.unlock()
  }

  /// Makes all reads from now on see the commit that was just made.
  func didCommit() {
    guard maximumReaders > 0 else { return }
    lock.lock()
    commitCount += 1
    lock.unlock()
  }

  /// Runs `body` with a connection that reads.
  ///
  /// - Parameter isFresh: whether `body` must see every commit up to this call, those of other processes too. `body`
  ///   then begins outside any transaction. If false, it runs in a transaction that may be open already.
  func read<Result>(isFresh: Bool, _ body: (Connection) throws -> Result) throws -> Result {
    guard maximumReaders > 0 else { return try write(body) }
    let reader = try takeConnection(isFresh: isFresh)
    defer { giveBack(reader) }
    if isFresh { return try body(reader.connection) }
    if !reader.isOpen {
      try reader.connection.beginReading()
      reader.isOpen = true
    }
    do { return try body(reader.connection) } catch {
      // The next read must see what the file has then.
      end(reader)
      throw error
    }
  }

  /// A reader that stays at the database's current state; nil if there are no readers beside
  /// the writer.
  func pin() throws -> PinnedReader? { maximumReaders > 0 ? try lock.withLock { pinned }.pin() : nil }

  /// Runs `work` once all readers that are pinned now have ended. Then no reader sees the state before the last commit.
  func whenEarlierReadersHaveEnded(_ work: @escaping () -> Void) {
    lock.withLock { pinned }.whenEarlierOnesHaveEnded(work)
  }

  /// Moves the pool to another file. Reads in progress end in the old file.
  ///
  /// - Parameters:
  ///   - keepsPinned: whether pinned readers stay in the old file. If false, they are closed.
  ///   - didMove: runs before any caller gets the new writer.
  func move(
    to writer: Connection, file: String?, openReader: @escaping () throws -> Connection, keepsPinned: Bool = false,
    didMove: () -> Void
  ) {
    writerLock.lock()
    defer { writerLock.unlock() }
    didMove()
    lock.lock()
    self.writer = writer
    // A read-only store moves to another copy while others read this name.
    if file != self.file { self.file = file }
    open = openReader
    let old = pinned
    pinned = PinnedReaders(open: openReader)
    fileNumber += 1
    commitCount += 1
    for reader in idle { end(reader) }
    // Readers that are handed out don't count any more; see `giveBack`.
    readerCount = 0
    idle = []
    lock.broadcast()
    lock.unlock()
    if !keepsPinned { old.close() }
  }

  /// Takes the idle reader that was used last. If there is none, opens a new one, or waits if the pool has its maximum.
  /// Its transaction is over if it may be behind.
  private func takeConnection(isFresh: Bool) throws -> Reader {
    lock.lock()
    if isFresh { commitCount += 1 }
    while idle.isEmpty, readerCount >= maximumReaders { lock.wait() }
    if let reader = idle.popLast() {
      let (now, tick) = (commitCount, tickCount)
      lock.unlock()
      if reader.commitsSeen != now || tick - reader.openedAtTick > 2 { end(reader) }
      reader.commitsSeen = now
      if !reader.isOpen { reader.openedAtTick = tick }
      return reader
    }
    readerCount += 1
    let (now, tick) = (commitCount, tickCount)
    let (open, file) = (open, fileNumber)
    lock.unlock()
    do {
      let reader = Reader(try open(), file: file)
      reader.commitsSeen = now
      reader.openedAtTick = tick
      return reader
    } catch {
      lock.lock()
      if file == fileNumber { readerCount -= 1 }
      lock.signal()
      lock.unlock()
      throw error
    }
  }

  private func giveBack(_ reader: Reader) {
    reader.uses += 1
    lock.lock()
    guard reader.file == fileNumber else {
      end(reader)
      lock.unlock()
      return
    }
    idle.append(reader)
    if isClosed { end(reader) }
    let startsTimer = !timerRuns && reader.isOpen
    if startsTimer { timerRuns = true }
    lock.signal()
    lock.unlock()
    if startsTimer { scheduleTick() }
  }

  private func end(_ reader: Reader) {
    guard reader.isOpen else { return }
    reader.isOpen = false
    do { try reader.connection.endReading() } catch { reader.connection.rollback() }
  }

  private func scheduleTick() {
    let reference = LivingReference(self)
    ConnectionPool.timerQueue.asyncAfter(deadline: .now() + ConnectionPool.idleTime) { [isTimerOver] in
      if !isTimerOver.isSet { reference.object?.tick() }
    }
  }

  private func tick() {
    lock.lock()
    tickCount += 1
    var isAnyOpen = idle.count < readerCount
    for reader in idle where reader.isOpen {
      if reader.uses == reader.usesAtTick { end(reader) }
      reader.usesAtTick = reader.uses
      if reader.isOpen { isAnyOpen = true }
    }
    timerRuns = isAnyOpen
    lock.unlock()
    if isAnyOpen { scheduleTick() }
  }

  /// Ends all leases and pinned readers. A reader that is still in use ends its lease when it comes back.
  ///
  /// The connections are closed with the last reference to the pool. That must be the caller's reference, and not one
  /// that the timer holds a little longer. So `close` waits for the timer's block, and no further block retains the
  /// pool.
  func close() {
    isTimerOver.set()
    if DispatchQueue.getSpecific(key: ConnectionPool.isTimerQueue) == nil { ConnectionPool.timerQueue.sync {} }
    lock.withLock { pinned }.close()
    lock.lock()
    isClosed = true
    for reader in idle { end(reader) }
    readerCount -= idle.count
    idle = []
    lock.unlock()
  }

  /// Closes the pool and returns its writer, for another pool to move to.
  func surrenderWriter() -> Connection {
    close()
    return writerLock.withLock { writer }
  }
}

extension MisuseReport {
  fileprivate static func writeInsideWrite() -> MisuseReport {
    MisuseReport(
      "A block asked a store for something while the store was waiting for that block to end.",
      how: "A batch insert calls its handler while it writes to the store. The handler saved a context of that store, "
        + "or read from a store without a write-ahead log. Both would wait forever for the insert to end.",
      remedy: "Read what the handler needs before the request is executed, and save afterwards.")
  }
}
