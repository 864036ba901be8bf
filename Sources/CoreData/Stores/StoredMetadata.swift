/// The metadata of a store that writes them with its commits. Safe from any thread.
///
/// A commit takes ``unwritten``, writes these values, and then calls ``didWrite(_:)`` with them. What another thread
/// sets in the meantime is left for the next commit.
package final class StoredMetadata: @unchecked Sendable {
  // `@unchecked Sendable`: all variables are only touched under `lock`.

  /// The values after one of their changes.
  package struct Version {
    package let values: [String: Any]
    fileprivate let change: Int
  }

  private let lock = NSLock()
  private var values: [String: Any] = [:]
  /// How often the values have changed, and the last change that is in the file.
  private var (change, written) = (0, 0)

  package init() {}

  package var current: Version { lock.withLock { Version(values: values, change: change) } }

  /// The values, if they have changed since they were last written; otherwise nil.
  package var unwritten: Version? {
    lock.withLock { change == written ? nil : Version(values: values, change: change) }
  }

  /// Takes the client's metadata. The client can't change the store's type and UUID.
  package func set(_ new: [String: Any]?, type: String, uuid: String) {
    lock.withLock {
      values = NSPersistentStore.metadata(new, keepingOwnOf: values, type: type, uuid: uuid)
      change += 1
    }
  }

  /// Takes the metadata that the file has.
  package func read(_ new: [String: Any]) {
    lock.withLock {
      values = new
      change += 1
      written = change
    }
  }

  /// Removes an entry that the file no longer has.
  func forget(_ key: String) { lock.withLock { values[key] = nil } }

  /// Has the next commit write the values, though they have not changed.
  func writeAgain() { lock.withLock { change += 1 } }

  /// The file has these values now.
  package func didWrite(_ version: Version) { lock.withLock { written = max(written, version.change) } }
}
