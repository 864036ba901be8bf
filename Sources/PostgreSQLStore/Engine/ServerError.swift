internal import CPostgreSQL
internal import CoreData
import Foundation

/// An error from the server or from the connection to it.
///
/// It has only the server's primary message: details name values of rows, which don't belong in a log. No message
/// contains a password.
struct ServerError: Error {
  /// The five characters of SQLSTATE; `08006` if the connection is lost.
  let state: String
  var message: String
  /// The constraint that a row breaks.
  var constraint: String?
  /// The statement, without the values of its parameters.
  var sql: String?
  /// What the server was doing, such as `while updating tuple (0,1) in relation "zbook"`. Shown for errors about locks
  /// only: in others it may have values.
  var context: String?
  /// Whether a prepared statement's columns have got other types, and a transaction kept it from being prepared again.
  var isOfStalePlan = false

  /// Whether the server has ended the connection with this error, as it does with one that is idle for too long.
  var endsConnection = false

  /// Whether the connection is lost, or the server is shutting down or still starting: 08…, 57P01 to 57P03.
  var isLost: Bool { endsConnection || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state) }

  /// Whether the transaction may succeed if it runs again: it was rolled back completely because it collided with
  /// another, or because of a statement that will be prepared again, or not prepared any more.
  var isPassing: Bool { state == "40001" || state == "40P01" || isOfStalePlan || isOfForeignPlan }

  /// Whether a prepared statement is gone, or its name is taken: the session is not this connection's alone.
  var isOfForeignPlan: Bool { ["26000", "42P05"].contains(state) }

  /// Whether what only reads may succeed if it runs again.
  var losesSession: Bool { isLost || isOfForeignPlan }

  /// Whether a question that got this answer may get another one in a moment: the server has no connection left, is a
  /// standby for now, or took too long.
  var mayPass: Bool { isLost || isPassing || ["53300", "25006", "55P03", "57014"].contains(state) }

  var breaksUniqueness: Bool { state == "23505" || state == "23P01" }

  /// Whether the server refused types or groups in a statement. SQLite is less strict about both.
  var isAboutTypes: Bool {
    !isOfStalePlan
      && ["42883", "42804", "42846", "42725", "22P02", "42803", "42P10", "22003", "42P22", "42P21", "0A000", "2201B"]
        .contains(state)
  }

  /// The first table that the statement reads.
  var table: String {
    sql?.components(separatedBy: " FROM ").dropFirst().first?.split(separator: " ").first.map(String.init) ?? "unknown"
  }

  var failure: any Error { StoreFailure.server(state: state, message: message, sql: sql) }

  var openingFailure: any Error { StoreFailure.server(state: state, message: message, sql: nil, isOpening: true) }
}
