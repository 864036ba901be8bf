internal import CPostgreSQL
internal import CoreData
import Foundation

/// What the server, or the way to it, has against something.
///
/// The message is the primary one alone: details name values of rows, which belong in no log. A password is in none.
struct ServerError: Error {
  /// SQL's five characters; `08006` where the connection is gone.
  let state: String
  let message: String
  /// The constraint that a row breaks.
  var constraint: String?
  /// The statement, whose values are parameters.
  var sql: String?

  /// The connection is gone, or the server is going away or not there yet: 08…, 57P01 to 57P03.
  var isLost: Bool { state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state) }

  /// The same transaction may succeed if it is tried again: it met another, and was taken back whole.
  var isPassing: Bool { state == "40001" || state == "40P01" }

  var breaksUniqueness: Bool { state == "23505" || state == "23P01" }

  /// The server takes the types of a statement's parts seriously where SQLite compares everything with everything.
  var isAboutTypes: Bool {
    ["42883", "42804", "42846", "42725", "22P02", "42803", "42P10", "22003", "42P22", "42P21", "0A000", "2201B"]
      .contains(state)
  }

  var failure: any Error { StoreFailure.server(state: state, message: message, sql: sql) }

  var openingFailure: any Error { StoreFailure.server(state: state, message: message, sql: nil, isOpening: true) }
}
