/// The metadata of a store that writes them with its commits. Safe from any thread.
///
/// A commit takes ``unwritten``, writes these values, and then calls ``didWrite(_:)`` with them. What another thread
/// sets in the meantime is left for the next commit.
package final class StoredMetadata: @unchecked Sendable {
  // `@unchecked Sendable`: all variables are only touched under `lock`.

  /// The values after one of their changes.
  package struct Version {
    package let values: [String: Any]
    /// What the store had when it was last read or written.
    fileprivate let stored: [String: Any]
    fileprivate let change: Int

    /// The metadata that the store has by now, with what has changed in this version: another process may have changed
    /// other keys meanwhile.
    package func merged(with now: [String: Any]) -> [String: Any] {
      StoredMetadata.merge(values, changedFrom: stored, into: now)
    }
  }

  private let lock = NSLock()
  private var values: [String: Any] = [:]
  /// The values that were last read or written.
  private var stored: [String: Any] = [:]
  /// How often the values have changed, and the last change that is in the file.
  private var (change, written) = (0, 0)

  package init() {}

  package var current: Version { lock.withLock { version } }

  private var version: Version { Version(values: values, stored: stored, change: change) }

  /// The values, if they have changed since they were last written; otherwise nil.
  package var unwritten: Version? {
    lock.withLock { change == written ? nil : version }
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
      (values, stored) = (new, new)
      change += 1
      written = change
    }
  }

  /// Removes an entry that the file no longer has.
  func forget(_ key: String) {
    lock.withLock {
      values[key] = nil
      stored[key] = nil
    }
  }

  /// Has the next commit write the values, though they have not changed.
  func writeAgain() { lock.withLock { change += 1 } }

  /// The store has these values now.
  ///
  /// - Parameter merged: what it has, if that is not just the version's values; see `Version.merged(with:)`.
  package func didWrite(_ version: Version, as merged: [String: Any]? = nil) {
    lock.withLock {
      guard version.change > written else { return }
      written = version.change
      stored = merged ?? version.values
      values = StoredMetadata.merge(values, changedFrom: version.values, into: stored)
    }
  }

  private static func merge(
    _ new: [String: Any], changedFrom old: [String: Any], into now: [String: Any]
  ) -> [String: Any] {
    var merged = now
    for key in Set(old.keys).union(new.keys) {
      let before = NSDictionary(dictionary: old.filter { $0.key == key })
      if !before.isEqual(to: new.filter { $0.key == key }) { merged[key] = new[key] }
    }
    return merged
  }
}
