internal import CoreData
import Foundation

/// Decides which server answers a read: the primary, which takes all changes, or a streaming replica of it.
///
/// After the store has saved, read the history or been told of a change, the primary answers until the replica has
/// replayed everything that the primary had then. So a context never finds its own save undone.
///
/// | event | result |
/// |---|---|
/// | the store marks that it has seen the primary's state | the primary answers; the replica is looked at 50 ms later |
/// | a second has passed | the replica must have replayed what the primary had at the previous look |
/// | the replica is behind | the primary answers; looks follow after 0.1 s, 0.2 s, up to 1 s |
/// | it is away, or takes changes itself | the same, after 1 s, 2 s, up to 30 s |
/// | it turns out to be a replica of something else | an error when the store is opened; later it is never used again |
/// | it refuses a statement, as when replay cancels it | the primary answers that one |
///
/// Safe on any thread.
final class ReadReplica: @unchecked Sendable {
  // `@unchecked Sendable`: `state`, `marks` and `isLooking` are only touched under `lock`.

  private enum State {
    /// Reads go to the replica, on connections that have replayed `floor`. The primary had `latest` at the time `seen`.
    case following(floor: Int64, latest: Int64, seen: TimeInterval)
    /// The primary answers. `isTold`: whether a line of log has said so.
    case waiting(until: TimeInterval, pause: TimeInterval, isTold: Bool)
    case refused
  }

  /// The time between two looks at a replica that keeps up, in seconds.
  private static let period = 1.0
  private static let firstPause = 0.05
  /// How long a look waits for a replica that was behind. Under a steady load it is always a little behind.
  private static let grace = 0.02

  private let pool: ConnectionPool
  private let primary: ConnectionPool
  private let original: ReplicaOrigin
  /// The replica's URL without a password.
  private let shown: URL
  private let trace: StatementTrace?

  private let lock = NSLock()
  private var state = State.waiting(until: 0, pause: ReadReplica.firstPause, isTold: false)
  /// Counts the calls of `mark()`, so that a look notices one that came meanwhile.
  private var marks = 0
  private var isLooking = false

  init(
    at address: StoreAddress, of primary: ConnectionPool, _ original: ReplicaOrigin, _ settings: StoreSettings,
    trace: StatementTrace?
  ) {
    self.primary = primary
    self.original = original
    self.trace = trace
    shown = address.shown
    pool = ConnectionPool(limit: settings.connections, patience: settings.patience) {
      do {
        return try Connection(address, preparesStatements: settings.preparesStatements, trace: trace)
      } catch let error as ServerError {
        throw ReplicaUnusable(reason: error.message)
      }
    }
  }

  var trips: Int { pool.trips }

  /// Whether reads go to the replica now: for tests.
  var isFollowed: Bool { lock.withLock { if case .following = state { true } else { false } } }

  func close() { pool.close() }

  /// Connects for the first time. Throws if it is a replica of something else; one that is away is used later.
  func open() throws {
    do {
      try pool.use { _ = try original.check($0, mustHaveStore: false) }
    } catch let mismatch as ReplicaOrigin.Mismatch {
      throw ServerError(state: "55000", message: sentence(mismatch.reason)).openingFailure
    } catch let error as ReplicaUnusable {
      rest(error.reason)
    } catch let error as ServerError {
      rest(error.message)
    }
  }

  /// Notes that the store has seen the primary's state: a later read must not be older.
  func mark() {
    lock.withLock {
      marks += 1
      if case .following = state { wait(ReadReplica.firstPause) }
    }
  }

  /// Runs a `body` that only reads on the replica. Returns nil if the primary has to run it. Throws if the primary does
  /// not answer the question how far it is.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
    guard let floor = try floor() else { return nil }
    return try using { connection in
      guard try hasReplayed(floor, connection) else {
        fallBehind()
        return nil
      }
      trace?.annotate("the read replica answers")
      return try body(connection)
    }
  }

  /// Runs `body` on a connection to the replica; nil if that fails and the primary can do it.
  private func using<Result>(_ body: (Connection) throws -> Result?) throws -> Result? {
    do { return try pool.use(body) } catch let error as ReplicaUnusable {
      rest(error.reason)
    } catch let mismatch as ReplicaOrigin.Mismatch {
      refuse(mismatch.reason)
    } catch let error as ServerError where error.isLost {
      rest(error.message)
    } catch let error as ServerError where error.state != "57014" {
      // A statement that has taken too long would take as long again on the primary. All others it judges itself.
    }
    return nil
  }

  // Looking how far the replica is.

  private enum Step {
    case askPrimary
    case askReplica(floor: Int64)
    /// `previous`: what the primary had at the look before, if that was a moment ago.
    case look(marks: Int, previous: Int64?)
  }

  /// What the replica must have replayed for a read; nil if the primary has to answer.
  private func floor() throws -> Int64? {
    let now = ReadReplica.now
    let step = lock.withLock { () -> Step in
      switch state {
      case .refused: return .askPrimary
      case .following(let floor, let latest, let seen):
        if now < seen + ReadReplica.period || isLooking { return .askReplica(floor: floor) }
        isLooking = true
        return .look(marks: marks, previous: now < seen + 2 * ReadReplica.period ? latest : nil)
      case .waiting(let until, _, _):
        if now < until || isLooking { return .askPrimary }
        isLooking = true
        return .look(marks: marks, previous: nil)
      }
    }
    switch step {
    case .askPrimary: return nil
    case .askReplica(let floor): return floor
    case .look(let marks, let previous):
      defer { lock.withLock { isLooking = false } }
      return try look(marks, previous)
    }
  }

  private func look(_ marksBefore: Int, _ previous: Int64?) throws -> Int64? {
    let latest: Int64
    do { latest = try primary.read { try $0.logPosition() } } catch let error as ServerError where !error.isLost {
      rest("the primary does not say how far it is: \(error.message)")
      return nil
    }
    let seen = ReadReplica.now
    let floor = previous ?? latest
    let isThere = try using { try hasReplayed(floor, $0, within: previous == nil ? ReadReplica.grace : 0) }
    guard let isThere else { return nil }
    return lock.withLock {
      guard isThere, marks == marksBefore else {
        fallBehindLocked()
        return nil
      }
      state = .following(floor: floor, latest: latest, seen: seen)
      return floor
    }
  }

  private func hasReplayed(_ floor: Int64, _ connection: Connection, within seconds: TimeInterval = 0) throws -> Bool {
    if let known = connection.replayed, known.position >= floor, ReadReplica.now < known.asked + ReadReplica.period {
      return true
    }
    let asked = ReadReplica.now
    guard let position = try connection.replayedPosition(reaching: floor, until: asked + seconds) else { return false }
    if connection.replayed == nil { try original.check(connection, mustHaveStore: true) }
    connection.replayed = (position, asked)
    return true
  }

  static var now: TimeInterval { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  // Leaving it alone for a while.

  private func fallBehind() { lock.withLock { fallBehindLocked() } }

  private func fallBehindLocked() {
    guard case .waiting(_, let pause, _) = state else { return wait(ReadReplica.firstPause) }
    wait(min(pause * 2, 1), telling: pause >= 1 ? "it is behind" : nil)
  }

  private func rest(_ reason: String) {
    lock.withLock {
      var pause = 1.0
      if case .waiting(_, let last, true) = state { pause = min(max(last * 2, 1), 30) }
      wait(pause, telling: reason)
    }
  }

  /// Lets the primary answer for a while, or for good if the replica was refused. Called under `lock`.
  private func wait(_ pause: TimeInterval, telling reason: String? = nil) {
    if case .refused = state { return }
    var isTold = false
    if case .waiting(_, _, let known) = state { isTold = known }
    if let reason, !isTold {
      tell(reason)
      isTold = true
    }
    state = .waiting(until: ReadReplica.now + pause, pause: pause, isTold: isTold)
  }

  private func refuse(_ reason: String) {
    lock.withLock {
      if case .refused = state { return }
      state = .refused
      // A look of another thread must not undo this.
      marks += 1
      tell(reason)
    }
  }

  private func sentence(_ reason: String) -> String {
    "the read replica \(shown.absoluteString) can't be used: \(reason)"
  }

  private func tell(_ reason: String) {
    // libpq's words come with tabs and a full stop.
    let words = sentence(reason.replacingOccurrences(of: "\t", with: "")).trimmingCharacters(in: ["."])
    let text = "CoreData: \(words). The primary answers in its place.\n"
    FileHandle.standardError.write(Data(text.utf8))
  }
}
