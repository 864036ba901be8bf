/// A database that is watched for commits of other processes.
///
/// `PRAGMA data_version` reveals such a commit: its value changes for a connection with every commit that is not its
/// own. `monitor` is a connection that never writes. It is asked:
///
/// - a few times after an event of the file, because a commit can only be read a moment after its last event;
/// - before and after each write of this process, whose stores write the file one at a time. A change that it sees
///   before the write is another process'. After the write, `monitor` is brought up to date. If the connection that
///   wrote then sees a commit that is not its own, another process has committed in between.
///
/// So no commit of this process is taken for another process', and none of theirs is missed. If the file has a history,
/// only new transactions in it count: other commits, such as those that reserve keys, are not reported.
///
/// If no one has a file with a write-ahead log open, a connection to it would leave files beside it. As long as only
/// read-only stores watch such a file, there is no `monitor`, and the file's stamp is compared instead: each writing
/// counts then. So it is where the monitor can't be opened, and until it is.
///
/// A write may be long, and may run the program's code, which writes other files. So `lock` is never waited for under
/// `registryLock`, and never by a store that begins to watch.
final class WatchedFile: @unchecked Sendable {
  // `@unchecked Sendable`: `monitor`, `isOver`, `version` and `number` are only touched under `lock`, listeners and
  // what is scheduled under `listLock`.

  private let place: DatabasePlace
  /// Held while a store of this process writes.
  private let lock = NSLock()
  private var monitor: Connection?
  /// Whether there are no listeners any longer.
  private var isOver = false
  private var version = ""
  /// What is compared without a monitor.
  private var stamp: DatabaseStamp?
  /// The number of the last transaction in the history; nil without a history.
  private var number: Int64?

  private let listLock = NSLock()
  private var listeners: [ObjectIdentifier: (Int64?) -> Void] = [:]
  private var lastEvent = 0
  private var isCheckPending = false

  private init(_ path: String) {
    place = DatabasePlace(path)
    stamp = place.stamp
  }

  /// Opens the monitor for a new owner. If a store of this process is writing, that has opened it.
  private func openMonitor(isQuiet: Bool) {
    guard lock.try() else { return }
    defer { lock.unlock() }
    if monitor != nil { return }
    if isQuiet { openMonitorQuietly() } else { try? openMonitor() }
  }

  private func openMonitor() throws {
    var options = Connection.Options()
    options.isReadOnly = true
    options.busyTimeout = 1000
    monitor = try Connection(path: place.path, options: options)
    _ = hasNews()
  }

  /// Opens the monitor if that makes no file. That is so where others have the log open, and where there is none.
  private func openMonitorQuietly() {
    try? DatabaseFiles.sharing(place.path) {
      guard case .database(let isLogged) = try StoreFileState(place.url), !isLogged || place.sharesLog else { return }
      try openMonitor()
    }
  }

  // All watched files.

  private static let registryLock = NSLock()
  private nonisolated(unsafe) static var files: [String: WatchedFile] = [:]
  /// How many files are watched. Most programs watch none.
  private static let count = AtomicWord()

  /// The watched file at a path; nil if it is not watched. A store asks this before each write.
  static func find(_ path: String?) -> WatchedFile? {
    if count.value == 0 { return nil }
    guard let path else { return nil }
    return registryLock.withLock { files[path] }
  }

  /// Calls `told` after other processes' commits, with the number of the last transaction in the history, if there is
  /// one and it is known. Returns false if the system can't watch the file.
  ///
  /// - Parameter isQuiet: whether the owner must not make files beside the file.
  static func begin(
    _ path: String, owner: ObjectIdentifier, isQuiet: Bool, told: @escaping (Int64?) -> Void
  ) -> Bool {
    guard let file = entered(path, owner: owner, told: told) else { return false }
    file.openMonitor(isQuiet: isQuiet)
    return true
  }

  /// The watched file at a path, with one more listener; nil if the system can't watch it.
  private static func entered(
    _ path: String, owner: ObjectIdentifier, told: @escaping (Int64?) -> Void
  ) -> WatchedFile? {
    registryLock.withLock {
      if let file = files[path] {
        file.listLock.withLock { file.listeners[owner] = told }
        return file
      }
      let file = WatchedFile(path)
      guard FileEvents.shared.begin(path, { [weak file] in file?.noteEvent() }) else { return nil }
      file.listeners[owner] = told
      files[path] = file
      count.value = UInt(files.count)
      return file
    }
  }

  static func end(_ path: String, _ owner: ObjectIdentifier) {
    let ended = registryLock.withLock { () -> WatchedFile? in
      guard let file = files[path] else { return nil }
      let isLast = file.listLock.withLock {
        file.listeners[owner] = nil
        return file.listeners.isEmpty
      }
      guard isLast else { return nil }
      FileEvents.shared.end(path)
      files[path] = nil
      count.value = UInt(files.count)
      return file
    }
    ended?.closeMonitor()
  }

  /// Closes the monitor before the store closes its connections: the last one takes the log away, which the monitor
  /// can't. A check that is under way is waited for. So is a write, which may be long, but only for a moment.
  private func closeMonitor() {
    guard lock.lock(before: Date(timeIntervalSinceNow: 0.1)) else { return }
    isOver = true
    monitor = nil
    lock.unlock()
  }

  // Events.

  /// The pauses before each further check after the last event, in milliseconds. The long ones are for a writer that
  /// was held up between its last page and its commit.
  private static let delays = [40, 200, 1000, 5000]

  private func noteEvent() {
    let (event, isFirst) = listLock.withLock {
      lastEvent += 1
      let isFirst = !isCheckPending
      isCheckPending = true
      return (lastEvent, isFirst)
    }
    if isFirst {
      FileEvents.queue.asyncAfter(deadline: .now() + .milliseconds(5)) { [weak self] in
        self?.listLock.withLock { self?.isCheckPending = false }
        self?.check()
      }
    }
    lookAgain(after: event, 0)
  }

  private func lookAgain(after event: Int, _ round: Int) {
    guard round < WatchedFile.delays.count else { return }
    FileEvents.queue.asyncAfter(deadline: .now() + .milliseconds(WatchedFile.delays[round])) { [weak self] in
      guard let self, self.listLock.withLock({ self.lastEvent == event }) else { return }
      check()
      lookAgain(after: event, round + 1)
    }
  }

  private func check() {
    // If a store of this process is writing, it checks by itself.
    guard lock.try() else { return }
    let isNews = !isOver && hasNews()
    let number = number
    lock.unlock()
    if isNews { tellOwners(number) }
  }

  private func tellOwners(_ number: Int64?) {
    for told in listLock.withLock({ Array(listeners.values) }) { told(number) }
  }

  // Writes of this process.

  /// Runs a write of this process. Tells the owners if another process has committed before or meanwhile.
  func duringOwnWrite<Result>(_ writer: Connection, _ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    var isNews = hasNews()
    var seen = try? writer.dataVersion()
    // The store that writes has the log open.
    if monitor == nil { try? openMonitor() }
    defer {
      for _ in 0..<10 {
        _ = hasNews()
        let now = try? writer.dataVersion()
        if now == seen { break }
        seen = now
        isNews = true
      }
      let number = number
      lock.unlock()
      if isNews { tellOwners(number) }
    }
    return try body()
  }

  /// Brings `monitor` up to date, and returns whether it sees news. It sees none while the file is locked, and is asked
  /// again later.
  private func hasNews() -> Bool {
    if monitor == nil {
      let old = stamp
      stamp = place.stamp
      if stamp == old { return false }
      openMonitorQuietly()
      return true
    }
    guard let monitor, let now = try? monitor.dataVersion(), now != version else { return false }
    version = now
    let known = number
    let entity = HistoryTables.Table.transaction.rawValue
    if let row = try? monitor.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)").first {
      number = row[0].flatMap { Int64($0) }
    }
    guard let number, let known else { return true }
    return number > known
  }
}

extension Connection {
  private static let dataVersionText = StatementText("PRAGMA data_version")

  /// A value that changes with each commit of another connection.
  fileprivate func dataVersion() throws -> String {
    let statement = try statement(Connection.dataVersionText)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) ?? "" : ""
  }
}
