/// A database that somebody wants to know about when another process writes it.
///
/// What tells that somebody else has committed is `PRAGMA data_version`, which changes for a connection with every
/// commit that is not its own. `monitor` is a connection that never writes; it is asked
///
/// - after an event of the file, a few times, since a commit can be read a moment after its last event only;
/// - before and after each write of this process, whose stores of the file write one after the other. What changed
///   before is another process'. After it, `monitor` is brought up to date; and if the connection that wrote sees a
///   commit that is not its own, another process' came between.
///
/// So no commit of this process is taken for another's, and none of another's is missed. Where the file has a history,
/// only its transactions count: other commits, such as those that reserve keys, are not told.
final class WatchedFile: @unchecked Sendable {
  // `@unchecked Sendable`: `monitor`, `version` and `number` are only touched under `lock`, listeners and what is
  // scheduled under `listLock`.

  private let path: String
  /// Held while a store of this process writes.
  private let lock = NSLock()
  private let monitor: Connection
  private var version = ""
  /// Of the last transaction in the history; nil without one.
  private var number: Int64?

  private let listLock = NSLock()
  private var listeners: [ObjectIdentifier: (Int64?) -> Void] = [:]
  private var lastEvent = 0
  private var isCheckPending = false

  private init(_ path: String) throws {
    self.path = path
    var options = Connection.Options()
    options.isReadOnly = true
    options.busyTimeout = 1000
    monitor = try Connection(path: path, options: options)
    _ = hasNews()
  }

  // All of them.

  private static let registryLock = NSLock()
  private nonisolated(unsafe) static var files: [String: WatchedFile] = [:]
  /// How many there are: most programs have none.
  private static let count = AtomicWord()

  /// The watched file at a path; what a store asks before each write.
  @inline(__always)
  static func find(_ path: String?) -> WatchedFile? {
    if count.value == 0 { return nil }
    guard let path else { return nil }
    return registryLock.withLock { files[path] }
  }

  /// Lets `told` know of other processes' commits, with the number of the last transaction in the history, if there is
  /// one. False if the system can't watch the file.
  static func begin(_ path: String, owner: ObjectIdentifier, told: @escaping (Int64?) -> Void) throws -> Bool {
    try registryLock.withLock {
      if let file = files[path] {
        file.listLock.withLock { file.listeners[owner] = told }
        return true
      }
      let file = try WatchedFile(path)
      guard FileEvents.shared.begin(path, { [weak file] in file?.noteEvent() }) else { return false }
      file.listeners[owner] = told
      files[path] = file
      count.value = UInt(files.count)
      return true
    }
  }

  static func end(_ path: String, _ owner: ObjectIdentifier) {
    registryLock.withLock {
      guard let file = files[path] else { return }
      let isLast = file.listLock.withLock {
        file.listeners[owner] = nil
        return file.listeners.isEmpty
      }
      guard isLast else { return }
      FileEvents.shared.end(path)
      files[path] = nil
      count.value = UInt(files.count)
    }
  }

  // Events.

  /// When to look after the last event, in milliseconds: soon, and then for a writer that was held up between its
  /// last page and its commit.
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
    // A store of this process that is writing looks by itself.
    guard lock.try() else { return }
    let hasNews = hasNews()
    let number = number
    lock.unlock()
    if hasNews { tellOwners(number) }
  }

  private func tellOwners(_ number: Int64?) {
    for told in listLock.withLock({ Array(listeners.values) }) { told(number) }
  }

  // Writes of this process.

  /// Runs a write of this process with the connection that writes.
  func duringOwnWrite<Result>(_ writer: Connection, _ body: () throws -> Result) rethrows -> Result {
    lock.lock()
    var isNews = hasNews()
    var seen = try? writer.dataVersion()
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

  /// Brings `monitor` up to date; whether there is what was not known. A file that is locked is asked again later.
  private func hasNews() -> Bool {
    guard let now = try? monitor.dataVersion(), now != version else { return false }
    version = now
    let known = number
    if let row = try? monitor.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002").first {
      number = row[0].flatMap { Int64($0) }
    }
    guard let number, let known else { return true }
    return number > known
  }
}

extension Connection {
  private static let dataVersionText = StatementText("PRAGMA data_version")

  /// Another value after each commit of another connection.
  fileprivate func dataVersion() throws -> String {
    let statement = try statement(Connection.dataVersionText)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) ?? "" : ""
  }
}
