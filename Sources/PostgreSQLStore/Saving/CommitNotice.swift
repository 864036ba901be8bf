import Foundation

/// Tells processes that listen of a commit: one notification, sent by the server once the transaction is committed, on
/// a channel of the store. It says which store object has written, so that this one does not take it for news; what was
/// written is in the history.
struct CommitNotice {
  let channel: String
  /// The payload: this store object, and no other.
  let sender = UUID().uuidString

  init(store uuid: String) {
    channel = "strata_" + uuid.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// As a column of the statement that leaves the mark: it takes no round trip.
  var call: String { "pg_notify('\(channel)', '\(sender)')" }
}
