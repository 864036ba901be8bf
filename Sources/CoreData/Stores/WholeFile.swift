import Glibc

/// A file that is read and written as a whole: after a crash at any moment it has its old content or its new one.
///
/// Writing, step by step:
///
/// 1. a lock on the folder, which orders the writers of all processes;
/// 2. the file is still the one that was read, else `.changed`;
/// 3. a new file beside it, `.<name>.<UUID>.saving`, locked while it is written, with the old one's permissions;
/// 4. all bytes, `fsync`;
/// 5. `rename` over the old file;
/// 6. `fsync` of the folder, so that the name too is on the disk.
///
/// If a step before 5 fails, the new file is removed and the old one stays untouched. After 5 only the last step can
/// fail. Then the new content is in place, but may be lost in a power failure, and the error has its stamp.
enum WholeFile {
  /// Identifies a file's content. Does not change with permissions or links.
  struct Stamp: Equatable {
    let device: UInt64
    let inode: UInt64
    let length: Int64
    let seconds: Int
    let nanoseconds: Int

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      length = Int64(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  enum Problem: Error {
    /// A system call failed.
    case call(_ name: StaticString, errno: Int32)
    case missing
    case notAFile
    /// The file was written or removed by others since it was read.
    case changed
    /// The new content is in place, but the disk did not confirm it.
    case unconfirmed(Stamp, errno: Int32)
  }

  /// The file that a writer expects to find.
  enum Expectation {
    case nothing
    case unchanged(Stamp)
    /// Any file may be replaced.
    case anything
  }

  // Reading.

  /// Half of the machine's memory. What a file says takes more than the file, so reading a larger one would end the
  /// program.
  private static let mostBytes: Int = {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    return pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) / 2 : .max
  }()

  static func read(_ path: String) throws -> (bytes: [UInt8], stamp: Stamp) {
    // Opening a pipe that nobody writes to would wait for ever.
    let descriptor = try call("open") { open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    defer { close(descriptor) }
    let status = try self.status(of: descriptor)
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem.notAFile }
    let expected = Int(status.st_size)
    guard expected <= mostBytes else { throw Problem.call("read", errno: ENOMEM) }
    let bytes = try [UInt8](unsafeUninitializedCapacity: expected) { buffer, count in
      while count < expected {
        let part = try call("read") { Glibc.read(descriptor, buffer.baseAddress! + count, expected - count) }
        if part == 0 { break }
        count += part
      }
    }
    return (bytes, Stamp(status))
  }

  /// The current stamp of the file; nil if there is none.
  static func stamp(_ path: String) throws -> Stamp? {
    var status = stat()
    do {
      _ = try call("stat") { stat(path, &status) }
    } catch Problem.missing {
      return nil
    }
    return Stamp(status)
  }

  // Writing.

  static func write(_ bytes: [UInt8], to path: String, expecting expectation: Expectation) throws -> Stamp {
    let path = try target(of: path)
    let (folder, name) = parts(of: path)
    let directory = try lockedFolder(folder)
    defer { close(directory) }
    let old = try check(path, expectation)
    let temporary = "\(folder)/.\(name).\(UUID().uuidString)\(suffix)"
    let descriptor = try call("open") { open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
    do {
      defer { close(descriptor) }
      // This never waits: nobody else knows the file, and clearing up takes the folder's lock.
      _ = try call("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
      if let old { try takeOver(old, descriptor) }
      try writeAll(bytes, descriptor)
      _ = try call("fsync") { fsync(descriptor) }
      _ = try call("rename") { rename(temporary, path) }
    } catch {
      unlink(temporary)
      throw error
    }
    guard let stamp = try stamp(path) else { throw Problem.changed }
    do {
      _ = try call("fsync") { fsync(directory) }
    } catch Problem.call(_, let code) where code != EINVAL {
      // EINVAL: a file system whose folders need no confirmation.
      throw Problem.unconfirmed(stamp, errno: code)
    }
    return stamp
  }

  /// Removes the files of writers that were killed.
  static func removeAbandoned(beside path: String) {
    guard let path = try? target(of: path) else { return }
    let (folder, name) = parts(of: path)
    guard let directory = try? lockedFolder(folder) else { return }
    defer { close(directory) }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for found in names where isTemporary(found, of: name) {
      let descriptor = open("\(folder)/\(found)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      if descriptor < 0 { continue }
      // A living writer has the lock of its file.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(folder)/\(found)") }
      close(descriptor)
    }
  }

  private static let suffix = ".saving"

  private static func isTemporary(_ found: String, of name: String) -> Bool {
    guard found.hasPrefix(".\(name)."), found.hasSuffix(suffix) else { return false }
    return UUID(uuidString: String(found.dropFirst(name.count + 2).dropLast(suffix.count))) != nil
  }

  /// The file that is there, if it is what the writer expects, and may be written.
  private static func check(_ path: String, _ expectation: Expectation) throws -> stat? {
    var status = stat()
    do {
      _ = try call("stat") { stat(path, &status) }
    } catch Problem.missing {
      if case .unchanged = expectation { throw Problem.changed }
      return nil
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Problem.notAFile }
    switch expectation {
    case .nothing: if status.st_size > 0 { throw Problem.changed }
    case .unchanged(let stamp): if Stamp(status) != stamp { throw Problem.changed }
    case .anything: break
    }
    // A rename would replace even a file that may not be written.
    _ = try call("access") { access(path, W_OK) }
    return status
  }

  /// Permissions, and the owner where that is allowed.
  private static func takeOver(_ old: stat, _ descriptor: Int32) throws {
    let new = try status(of: descriptor)
    if new.st_uid != old.st_uid || new.st_gid != old.st_gid {
      if fchown(descriptor, old.st_uid, old.st_gid) != 0 { _ = fchown(descriptor, .max, old.st_gid) }
    }
    // After the owner, which takes special bits away.
    _ = try call("fchmod") { fchmod(descriptor, old.st_mode & 0o7777) }
  }

  private static func writeAll(_ bytes: [UInt8], _ descriptor: Int32) throws {
    try bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        // At most a gigabyte at once: more than two is cut short by the system anyway.
        let count = min(buffer.count - done, 1 << 30)
        let part = try call("write") { Glibc.write(descriptor, buffer.baseAddress! + done, count) }
        if part == 0 { throw Problem.call("write", errno: ENOSPC) }
        done += part
      }
    }
  }

  // Names.

  /// Where symbolic links lead, also if nothing is there yet.
  private static func target(of path: String) throws -> String {
    var path = path
    for _ in 0..<40 {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return path }
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let count = try call("readlink") {
        buffer.withUnsafeMutableBytes {
          readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
      }
      let link = String(decoding: buffer[..<count], as: UTF8.self)
      path = link.hasPrefix("/") ? link : "\(parts(of: path).folder)/\(link)"
    }
    throw Problem.call("readlink", errno: ELOOP)
  }

  private static func parts(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = String(path[..<slash])
    return (folder.isEmpty ? "/." : folder, String(path[path.index(after: slash)...]))
  }

  /// The folder, open and locked until its descriptor is closed.
  private static func lockedFolder(_ folder: String) throws -> Int32 {
    let directory = try call("open") { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    do {
      _ = try call("flock") { flock(directory, LOCK_EX) }
    } catch {
      close(directory)
      throw error
    }
    return directory
  }

  // System calls.

  private static func status(of descriptor: Int32) throws -> stat {
    var status = stat()
    _ = try call("fstat") { fstat(descriptor, &status) }
    return status
  }

  /// Repeats a system call that a signal has interrupted. Throws its error.
  private static func call<Number: SignedInteger>(_ name: StaticString, _ body: () -> Number) throws -> Number {
    while true {
      let result = body()
      if result >= 0 { return result }
      switch errno {
      case EINTR: continue
      case ENOENT: throw Problem.missing
      case let code: throw Problem.call(name, errno: code)
      }
    }
  }
}
