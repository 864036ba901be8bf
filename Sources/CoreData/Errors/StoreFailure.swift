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
