internal import CPostgreSQL
internal import CoreData
import Foundation

/// One connection to the server, used by one thread at a time. It prepares a statement with parameters only once.
final class Connection {
  private let handle: OpaquePointer
  private var preparesStatements: Bool
  private let trace: StatementTrace?
  /// The names of prepared statements, by text and parameter types.
  private var prepared: [String: String] = [:]
  /// Whether prepared statements may have columns of other types by now.
  private(set) var hasStalePlans = false
  /// The number of round trips to the server.
  private(set) var trips = 0
  /// What the connection's saves have in common, once it has registered for them.
  var writer: RegisteredWriter?
  /// What the replica at the other end had replayed when it was last asked; nil on a connection to the primary.
  var replayed: (position: Int64, asked: TimeInterval)?

  /// Checks the store's model version before the connection's first save; nil for a connection that makes no saves.
  let versionGuard: VersionGuard?

  init(
    _ address: StoreAddress, preparesStatements: Bool, trace: StatementTrace?, version: VersionGuard? = nil
  ) throws {
    versionGuard = version
    self.preparesStatements = preparesStatements
    self.trace = trace
    handle = try address.connect()
    if PQstatus(handle) != CONNECTION_OK { try askForReason(address) }
    // Drops the server's notices, which are meant for people at a terminal.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    if let schema = address.schema { try checkPath(SQLName.identifier(schema)) }
  }

  deinit { PQfinish(handle) }

  /// Throws why no connection was made. libpq tells the server's SQLSTATE only in a verbose message, and the message of
  /// an attempt is made as it fails: so a second attempt finds out, unless the first says enough. Returns if that one
  /// makes the connection.
  private func askForReason(_ address: StoreAddress) throws {
    let first = ServerError(state: "08006", message: address.redacted(clientMessage))
    // libpq did not even ask the server.
    if PQconnectionNeedsPassword(handle) != 0 { throw ServerError(state: "28P01", message: first.message) }
    if first.message.contains("timeout") { throw first }
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    PQreset(handle)
    PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
    if PQstatus(handle) == CONNECTION_OK { return }
    let words = String(cString: PQerrorMessage(handle)).split { $0 == " " || $0.isNewline }
    let state = words.last { word in
      word.utf8.count == 6 && word.hasSuffix(":") && word.first?.isNumber == true
        && word.dropLast().utf8.allSatisfy { 48...57 ~= $0 || 65...90 ~= $0 }
    }
    throw ServerError(state: state.map { String($0.dropLast()) } ?? first.state, message: first.message)
  }

  /// Throws if the session does not have the URL's search path. A connection pooler may drop options that it does not
  /// know; statements would then use another schema's tables.
  private func checkPath(_ path: String) throws {
    let found = try run("SHOW search_path").text(0, 0)
    guard found == path else {
      throw ServerError(
        state: "3F000",
        message: "the search_path of the session is \(found ?? "not set") and not the URL's schema \(path). A pool of "
          + "connections has left it out: leave schema out of the URL, and set it with ALTER ROLE … SET search_path")
    }
  }

  var isBroken: Bool { PQstatus(handle) != CONNECTION_OK }

  /// Whether no transaction is open.
  var isIdle: Bool { PQtransactionStatus(handle) == PQTRANS_IDLE }

  /// The server's version, such as 150018.
  var version: Int { Int(PQserverVersion(handle)) }

  // Statements.

  /// Runs one or more statements without parameters.
  @discardableResult
  func run(_ sql: String) throws -> ServerRows {
    trace?.willRun(sql)
    trips += 1
    return try checked(PQexec(handle, sql), sql)
  }

  /// Runs one statement with parameters. Returns rows in binary form.
  @discardableResult
  func execute(_ sql: String, _ parameters: Parameters = Parameters()) throws -> ServerRows {
    try parameters.check(sql)
    guard preparesStatements else { return try executeUnprepared(sql, parameters) }
    do { return try executePrepared(sql, parameters) } catch let error as ServerError where error.isOfForeignPlan {
      // A pooler lends the session to others by turns, or ends its statements. It would do so again.
      preparesStatements = false
      prepared = [:]
      guard isIdle else { throw error }
      return try executeUnprepared(sql, parameters)
    }
  }

  private func executeUnprepared(_ sql: String, _ parameters: Parameters) throws -> ServerRows {
    trace?.willRun(sql)
    trips += 1
    let result = parameters.withPointers { values, lengths, formats in
      PQexecParams(handle, sql, Int32(parameters.count), parameters.types, values, lengths, formats, 1)
    }
    return try checked(result, sql)
  }

  private func executePrepared(_ sql: String, _ parameters: Parameters) throws -> ServerRows {
    let (name, isKnown) = try prepare(sql, parameters)
    do { return try execute(name, sql, parameters) } catch let error as ServerError where error.state == "0A000" {
      // The server refuses a prepared statement whose columns have other types by now. One that was prepared just now
      // asks for something that is not supported. It is forgotten too: its next use is not to be taken for a stale one.
      hasStalePlans = true
      guard isKnown else { throw error }
      guard isIdle else {
        var stale = error
        stale.isOfStalePlan = true
        throw stale
      }
      try forgetPlans()
      return try execute(prepare(sql, parameters).name, sql, parameters)
    }
  }

  /// Runs the prepared statement with the name.
  private func execute(_ name: String, _ sql: String, _ parameters: Parameters) throws -> ServerRows {
    trace?.willRun(sql)
    trips += 1
    let result = parameters.withPointers { values, lengths, formats in
      PQexecPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    return try checked(result, sql)
  }

  /// Drops all prepared statements, which are then prepared again.
  func forgetPlans() throws {
    try run("DEALLOCATE ALL")
    prepared = [:]
    hasStalePlans = false
  }

  /// The number of prepared statements that a connection keeps.
  private static let preparedLimit = 512

  /// Returns a statement's name, and whether it was prepared before.
  ///
  /// The name is made of the text: if a pooler lends the session to another program, no name means another statement
  /// there.
  private func prepare(_ sql: String, _ parameters: Parameters) throws -> (name: String, isKnown: Bool) {
    // The same text with other parameter types is a different statement.
    let key = sql + "\n" + parameters.types.map(String.init).joined(separator: ",")
    if let name = prepared[key] { return (name, true) }
    if prepared.count >= Connection.preparedLimit { try forgetPlans() }
    let name = "s\(SQLName.number(of: key))_\(key.utf8.count)"
    trips += 1
    _ = try checked(PQprepare(handle, name, sql, Int32(parameters.count), parameters.types), sql)
    prepared[key] = name
    return (name, false)
  }

  /// Copies rows in with a binary COPY. `body` holds the rows without header and trailer.
  func copy(_ sql: String, _ body: [UInt8]) throws {
    trace?.willRun(sql)
    trips += 2
    _ = try checked(PQexec(handle, sql), sql)
    var head: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]
    head.append(big: Int64(0))
    for part in [head, body, [0xFF, 0xFF]] { try put(part, sql) }
    guard PQputCopyEnd(handle, nil) == 1 else { throw lost(sql: sql) }
    let result = PQgetResult(handle)
    while let more = PQgetResult(handle) { PQclear(more) }
    _ = try checked(result, sql)
  }

  private func put(_ bytes: [UInt8], _ sql: String) throws {
    let portion = 1 << 20
    try bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: portion) {
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + portion, bytes.count)])
        let text = part.baseAddress!.assumingMemoryBound(to: CChar.self)
        guard PQputCopyData(handle, text, Int32(part.count)) == 1 else { throw lost(sql: sql) }
      }
    }
  }

  /// The statement that begins a transaction that writes. A role or a database may have another isolation level for
  /// transactions that name none. Such a transaction would not see what was committed while it waited for a lock.
  static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

  /// Runs `body` in a transaction that may write. Rolls back if `body` throws.
  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try run(Connection.begin)
    return try finishingTransaction(body)
  }

  /// Runs `body` in the open transaction and commits. Rolls back if `body` throws.
  func finishingTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      rollback()
      throw error
    }
  }

  // Notifications.

  /// Waits until the server sends something, `wake` can be read, or the time is over. Returns the payloads of the
  /// notifications received. Throws if the connection is lost.
  func notifications(orReadable wake: Int32, for seconds: TimeInterval) throws -> [String] {
    var files = [
      pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&files, 2, Int32(seconds * 1000))
    guard PQconsumeInput(handle) == 1, !isBroken else { throw lost(sql: nil) }
    var payloads: [String] = []
    while let notification = PQnotifies(handle) {
      payloads.append(notification.pointee.extra.map { String(cString: $0) } ?? "")
      PQfreemem(notification)
    }
    return payloads
  }

  func rollback() {
    if !isBroken, !isIdle { _ = try? run("ROLLBACK") }
  }

  // Answers.

  private func checked(_ result: OpaquePointer?, _ sql: String) throws -> ServerRows {
    guard let result else { throw unsent(sql) }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_COPY_IN, PGRES_EMPTY_QUERY: return ServerRows(result)
    default:
      defer { PQclear(result) }
      func field(_ code: Unicode.Scalar) -> String? {
        PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
      }
      // Without a state, the error is not the server's. The connection may still count as a good one then.
      guard let state = field("C") else { throw lost(sql: sql) }
      var error = ServerError(state: state, message: field("M") ?? "", constraint: field("n"), sql: sql)
      error.endsConnection = isBroken
      // The first line of several is where the server stood.
      error.context = field("W")?.split(whereSeparator: \.isNewline).first.map(String.init)
      throw error
    }
  }

  /// The error of a statement without any answer: the connection broke, or libpq refused to send the statement, and the
  /// connection is as before.
  private func unsent(_ sql: String) -> ServerError {
    isBroken ? lost(sql: sql) : ServerError(state: "XX000", message: clientMessage, sql: sql)
  }

  /// The words of libpq's last error.
  private var clientMessage: String {
    String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline).joined(separator: "; ")
  }

  private func lost(sql: String?) -> ServerError { ServerError(state: "08006", message: clientMessage, sql: sql) }
}

extension SQLName {
  /// Returns a name in quotes, with its quotes doubled.
  static func identifier(_ name: String) -> String { "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\"" }
}
