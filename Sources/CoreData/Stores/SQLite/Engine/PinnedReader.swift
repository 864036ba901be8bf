/// A connection that stays in one read transaction, so that everything it reads is one state of the database,
/// whatever is committed meanwhile.
///
/// It needs a write-ahead log, and the log can't start over while the transaction is open. So release or close the
/// reader as soon as its state is no longer needed. Any thread; callers of one reader wait for each other.
final class PinnedReader: @unchecked Sendable {
  // `@unchecked Sendable`: the connection is only touched under `lock`.

  private let lock = NSLock()
  private var connection: Connection?
  private let readers: PinnedReaders
  private let epoch: Int

  fileprivate init(_ connection: Connection, _ readers: PinnedReaders, epoch: Int) throws {
    self.readers = readers
    self.epoch = epoch
    try connection.begin(.deferred)
    do {
      // A transaction's first read settles what it sees, not its beginning.
      _ = try connection.rows("SELECT 1 FROM sqlite_master LIMIT 1")
    } catch {
      connection.rollback()
      throw error
    }
    self.connection = connection
  }

  deinit { close() }

  /// Runs `body` with the connection. Throws code 21 (`SQLITE_MISUSE`) once the reader is closed.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    lock.lock()
    defer { lock.unlock() }
    guard let connection else { throw SQLiteError(extendedCode: 21, message: "the pinned reader is closed") }
    return try body(connection)
  }

  /// Ends the transaction, after waiting for a read in progress.
  func close() {
    lock.lock()
    let ended = connection
    connection = nil
    lock.unlock()
    guard let ended else { return }
    do { try ended.commit() } catch { ended.rollback() }
    readers.didEnd(ended, epoch: epoch)
  }
}

/// The pinned readers of one pool. Any thread.
final class PinnedReaders: @unchecked Sendable {
  // `@unchecked Sendable`: all that changes is only touched under `lock`.

  private let open: () throws -> Connection
  private let lock = NSLock()
  private var readers = WeakList<PinnedReader>()
  /// How many readers there are, or are about to be, by the epoch in which they began.
  private var counts: [Int: Int] = [:]
  /// The number of the present epoch. Each call of `whenEarlierOnesHaveEnded` that has to wait ends one.
  private var epoch = 0
  /// Connections of readers that have ended, kept for the next readers.
  private var spares: [Connection] = []
  /// What waits for the end of all readers of an epoch and of those before it.
  private var waiting: [(epoch: Int, work: () -> Void)] = []
  private var isClosed = false

  private static let spareLimit = 2

  init(open: @escaping () throws -> Connection) { self.open = open }

  /// A reader of the state that the database has now.
  func pin() throws -> PinnedReader {
    lock.lock()
    // Counted before its transaction begins: see `whenEarlierOnesHaveEnded`.
    let epoch = epoch
    counts[epoch, default: 0] += 1
    let spare = spares.popLast()
    lock.unlock()
    let reader: PinnedReader
    do {
      reader = try PinnedReader(try spare ?? open(), self, epoch: epoch)
    } catch {
      didEnd(nil, epoch: epoch)
      throw error
    }
    lock.lock()
    let others = readers.append(reader)
    let isClosed = isClosed
    lock.unlock()
    // Ours may be the last reference to a reader, and its `deinit` takes the lock.
    withExtendedLifetime(others) {}
    if isClosed { reader.close() }
    return reader
  }

  /// Runs `work` once all readers have ended that began before this call, whatever readers have begun since. Runs it at
  /// once if there are none.
  func whenEarlierOnesHaveEnded(_ work: @escaping () -> Void) {
    lock.lock()
    let isFree = counts.isEmpty
    if !isFree {
      waiting.append((epoch, work))
      epoch += 1
    }
    lock.unlock()
    if isFree { work() }
  }

  fileprivate func didEnd(_ connection: Connection?, epoch: Int) {
    lock.lock()
    counts[epoch]! -= 1
    if counts[epoch] == 0 { counts[epoch] = nil }
    if let connection, !isClosed, spares.count < PinnedReaders.spareLimit { spares.append(connection) }
    let oldest = counts.keys.min() ?? .max
    let free = waiting.prefix { $0.epoch < oldest }
    waiting.removeFirst(free.count)
    lock.unlock()
    for free in free { free.work() }
  }

  /// Ends all readers and closes their connections.
  func close() {
    lock.lock()
    isClosed = true
    spares = []
    let standing = readers.elements
    readers = WeakList()
    lock.unlock()
    for reader in standing { reader.close() }
  }
}
