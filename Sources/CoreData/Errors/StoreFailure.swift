import Foundation

/// The failures that stores in other modules of this package throw. They have the same codes and words as those of the
/// stores in this module.
package enum StoreFailure {
  /// A feature that a store lacks. `what` begins the sentence "… is not supported".
  package static func unsupported(_ what: String) -> any Error { Failure.unsupportedFeature(what) }

  /// A fetch that the store can't run.
  package static func refused(_ what: String, entity: String?) -> any Error {
    Failure.malformedFetchRequest(entity: entity, what: what)
  }

  /// Tables that don't fit the model, although the version hashes are equal.
  package static func incompatibleSchema(_ url: URL, table: String, _ what: String) -> any Error {
    Failure.incompatibleSchema(url: url, table: table, what: what)
  }

  /// A failure of a server, or of the connection to it. `state` is the SQLSTATE, five characters.
  package static func server(state: String, message: String, sql: String?, isOpening: Bool = false) -> any Error {
    Failure.server(state: state, message: message, sql: sql, isOpening: isOpening)
  }

  /// A library that is loaded when a store opens, and that is missing. `what` is the message of the system's loader.
  package static func missingLibrary(_ name: String, package: String, _ what: String) -> any Error {
    Failure.missingLibrary(name: name, package: package, what: what)
  }

  package static func readOnly(_ url: URL?, entity: String? = nil) -> any Error {
    Failure.readOnlyStore(url: url, entity: entity)
  }

  /// Another store is in the place of the open one.
  package static func replaced(_ url: URL) -> any Error { Failure.storeFileGone(url: url, isReplaced: true) }

  /// Another process has begun a history, in which saves of the open store would be missing.
  package static func historyBegun(_ url: URL) -> any Error { Failure.historyBegun(url: url) }

  /// A migration that failed and changed nothing. `reason` is a sentence without a full stop.
  package static func migrationFailed(_ url: URL, _ reason: String, because error: (any Error)? = nil) -> any Error {
    Failure.migrationFailed(url: url, reason: reason, underlying: error.map(\.publicError))
  }

  /// Rows that violate a new uniqueness constraint.
  package static func migrationViolatesConstraint(
    _ url: URL, entity: String, attributes: [String], values: [Any?]
  ) -> any Error {
    Failure.migrationViolatesConstraint(url: url, entity: entity, attributes: attributes, values: values)
  }

  /// A state that a context is pinned to and that can no longer be read.
  package static func generationUnavailable(_ reason: String) -> any Error {
    Failure.queryGenerationUnavailable(reason)
  }

  /// Transactions after a history token were deleted.
  package static var historyTokenExpired: any Error { Failure.historyTokenExpired }

  /// A mandatory relationship that a batch delete would leave empty.
  package static func missingMandatoryValue(entity: String, property: String) -> any Error {
    Failure.missingMandatoryValue(.init(entity: entity, property: property))
  }
}
