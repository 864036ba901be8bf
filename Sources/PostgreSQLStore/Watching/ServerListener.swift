internal import CoreData
import Foundation

/// Waits for other writers' commits on a connection and a thread of its own.
///
/// | | how it learns of them |
/// |---|---|
/// | LISTEN is possible | by notifications; besides, it looks into the history every thirty seconds |
/// | it is not, or notifications are off | it looks into the history every two seconds |
/// | neither notifications nor history | not at all |
/// | the connection is lost | it connects again, and looks: into the history, or tells once without |
///
/// A notification is a hint: with a history, what counts are the numbers of its transactions, less the store's own.
final class ServerListener: @unchecked Sendable {
  // `@unchecked Sendable`: `isStopped` is only touched under `lock`, what else changes by the thread alone.

  private let open: () throws -> Connection
  private let notice: CommitNotice?
  private let history: PostgreSQLHistory?
  private let told: (Int64?) -> Void
  /// Ends a wait: written to by `stop`.
  private let wake = Pipe()
  private let lock = NSLock()
  private var isStopped = false
  /// The last number that was told, or that was there at the beginning; nil before the first look.
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
    // What is committed from here on is news, whenever the thread comes to listen.
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
        // Something may have come in between.
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

  /// False where notifications are off, or the server does not have them: a standby, for example.
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

  /// Tells if the history has transactions that are not the store's own.
  private func look(_ connection: Connection) throws {
    guard let history else { return }
    let last = try history.lastNumber(connection)
    guard let before = seen else {
      seen = last
      return
    }
    guard last > before else { return }
    // An own transaction is counted a moment after its commit.
    for pause in [0, 0.01, 0.05, 0.2] {
      if pause > 0 { wait(pause) }
      if history.ownCount(after: before, through: last) == last - before { break }
    }
    seen = last
    if history.takeOwn(after: before, through: last) < last - before { told(last) }
  }
}
