import Foundation

/// A hidden folder beside a store, `.<name>.<UUID>.migrating`, in which its new version is made.
///
/// Whoever works in it holds its lock, so that what a process has left that did not live to the end can be told from
/// what is in use, in this process or in another.
final class MigrationFolder {
  let url: URL
  private let descriptor: Int32

  /// Where the new version is to be, under the name of the store.
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
      // Somebody who clears up may have been faster.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0, MigrationFolder.isAt(url.path, descriptor) {
        self.url = url
        self.descriptor = descriptor
        // Writers of whole files lock the folder that these are in.
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

  /// The new version's own folder, the hidden one of its long values, and the one in that.
  private static let depth = 3

  private static let suffix = ".migrating"

  private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
    var (named, held) = (stat(), stat())
    return stat(path, &named) == 0 && fstat(descriptor, &held) == 0 && named.st_ino == held.st_ino
      && named.st_dev == held.st_dev
  }

  /// Removes the folders of migrations of this store that have ended without doing so.
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
