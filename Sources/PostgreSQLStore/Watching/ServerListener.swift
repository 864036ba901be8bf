internal import CoreData
import Foundation

/// Waits for other writers' commits, on its own connection and thread.
///
/// | situation | how it learns of commits |
/// |---|---|
/// | LISTEN works | from notifications; it also checks the history every thirty seconds |
/// | LISTEN fails, or notifications are off | it checks the history every two seconds |
/// | neither notifications nor history | not at all |
/// | the connection is lost | it reconnects, then checks the history; without a history it reports a change once |
///
/// A notification is only a hint if the store has a history: then the listener reports a change only if the history
/// has new transactions that are not the store's own.
final class ServerListener: @unchecked Sendable {
  // `@unchecked Sendable`: `isStopped` is only touched under `lock`; once started, only the thread touches the rest.

  private let open: () throws -> Connection
  private let notice: CommitNotice?
  private let history: PostgreSQLHistory?
  private let told: (Int64?) -> Void
  /// The pipe that `stop` writes to, to end a wait.
  private let wake = Pipe()
  private let lock = NSLock()
  private var isStopped = false
  /// The last transaction that was reported or existed at the start; nil until the history could be read.
  private var seen: Int64?

  private static let (slow, quick) = (30.0, 2.0)
  private static let longestPause = 5.0

  init(_ store: PostgreSQLStore, _ told: @escaping (Int64?) -> Void) {
    open = store.openConnection
    notice = store.notice
    history = store.history
    self.told = told
  }

  func start() {
    history?.beginCounting()
    // Every later commit is news, even one made before the thread listens.
    seen = try? history?.lastNumber()
    Thread { self.run() }.start()
  }

  func stop() {
    lock.withLock { isStopped = true }
    history?.endCounting()
    try? wake.fileHandleForWriting.write(contentsOf: Data([0]))
  }

  private var goesOn: Bool { lock.withLock { !isStopped } }

  private func run() {
    var pause = 0.1
    var isFirst = true
    while goesOn {
      do {
        let connection = try open()
        let listens = try listen(connection)
        if !listens, history == nil { return }
        // Something may have been committed before it listened.
        if history != nil { try look(connection) } else if !isFirst { told(nil) }
        isFirst = false
        pause = 0.1
        while goesOn { try wait(connection, listens) }
      } catch {
        wait(pause)
        pause = min(pause * 2, ServerListener.longestPause)
      }
    }
  }

  /// Listens for notifications. Returns false if they are off, or if the server has none, as on a standby.
  private func listen(_ connection: Connection) throws -> Bool {
    guard let notice else { return false }
    do {
      try connection.run("LISTEN \(notice.channel)")
      return true
    } catch let error as ServerError where !error.isLost {
      return false
    }
  }

  private func wait(_ connection: Connection, _ listens: Bool) throws {
    let payloads = try connection.notifications(
      orReadable: wake.fileHandleForReading.fileDescriptor, for: listens ? ServerListener.slow : ServerListener.quick)
    guard goesOn else { return }
    if history != nil {
      try look(connection)
    } else if payloads.contains(where: { $0 != notice?.sender }) {
      told(nil)
    }
  }

  private func wait(_ seconds: TimeInterval) {
    var file = pollfd(fd: wake.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
    _ = poll(&file, 1, Int32(seconds * 1000))
  }

  /// Reports a change if the history has new transactions that are not the store's own.
  private func look(_ connection: Connection) throws {
    guard let history else { return }
    let last = try history.lastNumber(connection)
    guard let before = seen else {
      seen = last
      return
    }
    guard last > before else { return }
    // The store counts its own transaction a moment after the commit.
    for pause in [0, 0.01, 0.05, 0.2] {
      if pause > 0 { wait(pause) }
      if history.ownCount(after: before, through: last) == last - before { break }
    }
    seen = last
    if history.takeOwn(after: before, through: last) < last - before { told(last) }
  }
}
