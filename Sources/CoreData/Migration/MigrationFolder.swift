import Foundation

/// A hidden folder beside a store, `.<name>.<UUID>.migrating`, in which its new version is made.
///
/// The migration holds a lock on its folder. A folder without a lock was left behind by a process that ended early; one
/// with a lock is in use, in this process or in another.
final class MigrationFolder {
  let url: URL
  private let descriptor: Int32

  /// The URL for the new version, under the name of the store.
  let store: URL

  init(beside store: URL) throws {
    for _ in 0..<100 {
      let url = store.deletingLastPathComponent().appendingPathComponent(
        ".\(store.lastPathComponent).\(UUID().uuidString)\(MigrationFolder.suffix)", isDirectory: true)
      guard mkdir(url.path, 0o700) == 0 else {
        throw Failure.fileCall(url: url, name: "mkdir", isWriting: true, errno: errno)
      }
      let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      // Another process that removes abandoned folders may have been faster.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, MigrationFolder.isAt(url.path, descriptor) {
        self.url = url
        self.descriptor = descriptor
        // Writing a whole file locks the folder that the file is in.
        let inner = url.appendingPathComponent("new", isDirectory: true)
        self.store = inner.appendingPathComponent(store.lastPathComponent)
        guard mkdir(inner.path, 0o700) == 0 else {
          let problem = Failure.fileCall(url: inner, name: "mkdir", isWriting: true, errno: errno)
          remove()
          throw problem
        }
        return
      }
      close(descriptor)
    }
    throw Failure.storeLocked(url: store, message: "no folder for its new version could be kept")
  }

  deinit { close(descriptor) }

  func remove() { OwnFolder.remove(url, depth: MigrationFolder.depth) }

  /// The depth of folders in it: the new version's folder, the hidden folder of its long values, and the folder in
  /// that.
  private static let depth = 3

  private static let suffix = ".migrating"

  private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
    var (named, held) = (stat(), stat())
    return stat(path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
      && named.st_dev == held.st_dev
  }

  /// Removes the folders that earlier migrations of this store have left behind.
  static func removeAbandoned(beside store: URL) {
    let folder = store.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where isOf(store, name) {
      let url = folder.appendingPathComponent(name, isDirectory: true)
      let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      if descriptor < 0 { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { OwnFolder.remove(url, depth: depth) }
      close(descriptor)
    }
  }

  private static func isOf(_ store: URL, _ name: String) -> Bool {
    let prefix = ".\(store.lastPathComponent)."
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    return UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
  }
}
