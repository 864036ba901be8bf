import Foundation

/// Notifies listening processes of a commit. The server sends one notification on the store's channel when the
/// transaction is committed. It names the store object that wrote, so that this one ignores its own commits. The
/// changes themselves are in the history.
struct CommitNotice {
  let channel: String
  /// The payload, which identifies this store object.
  let sender = UUID().uuidString

  init(store uuid: String) {
    channel = "strata_" + uuid.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  /// The call that sends the notification. The statement that leaves the mark contains it, so it costs no round trip.
  var call: String { "pg_notify('\(channel)', '\(sender)')" }
}
