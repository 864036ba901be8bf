import Foundation

/// The failures that a store of another module of this package throws: the same that the stores here do, with their
/// codes and words.
package enum StoreFailure {
  /// What a store can't do; `what` begins the sentence "… is not supported".
  package static func unsupported(_ what: String) -> any Error { Failure.unsupportedFeature(what) }

  /// What a fetch asks for that the store can't answer.
  package static func refused(_ what: String, entity: String?) -> any Error {
    Failure.malformedFetchRequest(entity: entity, what: what)
  }

  /// Tables that don't fit the model though its hashes do.
  package static func incompatibleSchema(_ url: URL, table: String, _ what: String) -> any Error {
    Failure.incompatibleSchema(url: url, table: table, what: what)
  }

  /// What a server answered, or that it didn't: `state` is SQL's five characters.
  package static func server(state: String, message: String, sql: String?, isOpening: Bool = false) -> any Error {
    Failure.server(state: state, message: message, sql: sql, isOpening: isOpening)
  }

  /// A library that is loaded when a store is opened, and is not there. `what` is what the system's loader says.
  package static func missingLibrary(_ name: String, package: String, _ what: String) -> any Error {
    Failure.missingLibrary(name: name, package: package, what: what)
  }

  package static func readOnly(_ url: URL?, entity: String? = nil) -> any Error {
    Failure.readOnlyStore(url: url, entity: entity)
  }

  /// A migration that has changed nothing; `reason` in a sentence without a full stop.
  package static func migrationFailed(_ url: URL, _ reason: String, because error: (any Error)? = nil) -> any Error {
    Failure.migrationFailed(url: url, reason: reason, underlying: error.map(\.publicError))
  }

  /// Rows that a new uniqueness constraint does not allow.
  package static func migrationViolatesConstraint(
    _ url: URL, entity: String, attributes: [String], values: [Any?]
  ) -> any Error {
    Failure.migrationViolatesConstraint(url: url, entity: entity, attributes: attributes, values: values)
  }

  /// A state that a context is pinned to and that can't be read any more.
  package static func generationUnavailable(_ reason: String) -> any Error {
    Failure.queryGenerationUnavailable(reason)
  }

  /// Transactions behind a history token are gone.
  package static var historyTokenExpired: any Error { Failure.historyTokenExpired }

  /// A relationship that must lead somewhere, and would not after a batch delete.
  package static func missingMandatoryValue(entity: String, property: String) -> any Error {
    Failure.missingMandatoryValue(.init(entity: entity, property: property))
  }

  /// The SQLSTATE of a server's failure; nil for others.
  package static func serverState(of error: any Error) -> String? {
    if case .server(let state, _, _, _)? = error as? Failure { return state }
    return nil
  }
}
