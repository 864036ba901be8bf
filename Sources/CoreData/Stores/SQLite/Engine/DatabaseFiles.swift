/// Reads database files without SQLite, and without giving up SQLite's locks on them.
///
/// Under POSIX, a process that closes any descriptor of a file gives up all its locks on that file, including those of
/// its SQLite connections. Another process would then believe that it has the file to itself, and remove the log that
/// is in use. So all reads of a file share one descriptor. It is closed only when no one reads and no connection of
/// this process has the file open. See "How To Corrupt An SQLite Database File", 2.2, on sqlite.org.
///
/// Any thread.
enum DatabaseFiles {
  /// Identifies a file, whatever its path is.
  struct Identity: Hashable {
    fileprivate let device: UInt64
    fileprivate let inode: UInt64

    fileprivate init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  /// What this process has open of a file.
  private struct Use {
    var connections = 0
    var readers = 0
    /// How many of the readers share SQLite's lock; see `sharing`.
    var sharers = 0
    /// Usually one. There are more only if the file replaced another at the very moment of opening.
    var descriptors: [Int32] = []
  }

  private static let lock = NSLock()
  private nonisolated(unsafe) static var uses: [Identity: Use] = [:]

  /// Under `lock`.
  private static func change(_ file: Identity, _ body: (inout Use) -> Void) {
    var use = uses[file] ?? Use()
    body(&use)
    let isOver = use.connections == 0 && use.readers == 0
    uses[file] = isOver ? nil : use
    if isOver { for descriptor in use.descriptors { close(descriptor) } }
  }

  // Connections.

  /// Runs `open`, which opens a connection. Returns the file's identity for `closing`; nil if there is no file.
  static func opening(_ path: String?, _ open: () -> Int32) -> (code: Int32, file: Identity?) {
    lock.withLock {
      let code = open()
      var status = stat()
      guard let path, stat(path, &status) == 0 else { return (code, nil) }
      let file = Identity(status)
      change(file) { $0.connections += 1 }
      return (code, file)
    }
  }

  static func closing(_ file: Identity?, _ close: () -> Int32) {
    guard let file else {
      _ = CallSite.unmapping.withLock(close)
      return
    }
    lock.withLock {
      // The last connection of a file unmaps the index of its log.
      _ = CallSite.unmapping.withLock(close)
      change(file) { $0.connections -= 1 }
    }
  }

  // Reading.

  /// The first bytes of a file, fewer where it is shorter; nil if it can't be read.
  static func beginning(of path: String, count: Int) -> [UInt8]? {
    try? reading(path) { descriptor in
      try [UInt8](unsafeUninitializedCapacity: count) { buffer, found in
        found = try fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: 0)
      }
    }
  }

  /// Copies a file to a new one that only this user may read and write. Throws if the file is a link.
  static func copy(_ path: String, to copy: String) throws {
    try reading(path, flags: O_NOFOLLOW) { source in
      let destination = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard destination >= 0 else { throw failure(copy) }
      defer { close(destination) }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
      defer { buffer.deallocate() }
      var place = 0
      while true {
        let count = try fill(buffer, from: source, at: place)
        if count == 0 { return }
        place += count
        var done = 0
        while done < count {
          let part = write(destination, buffer.baseAddress! + done, count - done)
          if part < 0, errno == EINTR { continue }
          guard part > 0 else { throw failure(copy) }
          done += part
        }
      }
    }
  }

  private static func reading<Result>(
    _ path: String, flags: Int32 = 0, _ body: (Int32) throws -> Result
  ) throws -> Result {
    let (file, descriptor) = try lock.withLock { try beginUse(path, flags: flags) }
    defer { lock.withLock { change(file) { $0.readers -= 1 } } }
    return try body(descriptor)
  }

  // Sharing.

  /// Where SQLite locks a file: readers share these bytes, and who writes without a log, or removes the log, has them
  /// alone. See "File Locking And Concurrency In SQLite Version 3" on sqlite.org.
  private static let sharedBytes = (start: 0x4000_0002, count: 510)

  /// Runs `body`, during which no one writes to a database without a log, makes it one without a log, or removes its
  /// log. If another connection has it alone for longer than a moment, `body` runs all the same.
  ///
  /// The lock is one of the descriptor, not of the process, so it doesn't mix with those of connections.
  static func sharing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    let (file, descriptor): (Identity, Int32)
    do { (file, descriptor) = try lock.withLock { try beginUse(path, flags: 0) } } catch {
      throw Failure.storeCannotBeOpened(
        url: URL(fileURLWithPath: path), sqliteCode: nil, message: error.localizedDescription)
    }
    defer { lock.withLock { change(file) { $0.readers -= 1 } } }
    let end = ContinuousClock.now + .milliseconds(500)
    var shares = beginSharing(file, descriptor)
    while !shares, errno == EAGAIN || errno == EACCES, ContinuousClock.now < end {
      usleep(2_000)
      shares = beginSharing(file, descriptor)
    }
    defer { if shares { endSharing(file, descriptor) } }
    return try body()
  }

  private static func beginSharing(_ file: Identity, _ descriptor: Int32) -> Bool {
    lock.withLock {
      if uses[file]?.sharers ?? 0 == 0, !setLock(Int16(F_RDLCK), descriptor) { return false }
      change(file) { $0.sharers += 1 }
      return true
    }
  }

  private static func endSharing(_ file: Identity, _ descriptor: Int32) {
    lock.withLock {
      change(file) { $0.sharers -= 1 }
      if uses[file]?.sharers ?? 0 == 0 { _ = setLock(Int16(F_UNLCK), descriptor) }
    }
  }

  private static func setLock(_ kind: Int16, _ descriptor: Int32) -> Bool {
    var range = range(kind, start: sharedBytes.start, count: sharedBytes.count)
    return fcntl(descriptor, setDescriptorLock, &range) == 0
  }

  private static func range(_ kind: Int16, start: Int, count: Int) -> flock {
    var range = flock()
    range.l_type = kind
    range.l_whence = Int16(SEEK_SET)
    range.l_start = off_t(start)
    range.l_len = off_t(count)
    return range
  }

  /// `F_OFD_GETLK` and `F_OFD_SETLK`, which Swift's module of the C library lacks.
  private static let getDescriptorLock: Int32 = 36
  private static let setDescriptorLock: Int32 = 37

  // The index of a log.

  /// A connection that has the index of a log open shares a lock on this byte of it: `UNIX_SHM_DMS` in SQLite. The
  /// first connection that comes while none does takes the index for the rest of a crash, and makes it again.
  private static let openIndexByte = 128

  /// Descriptors of indexes that this process has open in connections of which this module does not know.
  private nonisolated(unsafe) static var keptDescriptors: [Identity: Int32] = [:]

  /// Whether a connection, in this process or another, has the index of a database's log open; true where the system
  /// can't say. Beside a copy of the three files, or after a crash, there is an index that no connection has open.
  static func hasOpenIndex(_ index: String, of path: String) -> Bool {
    lock.withLock {
      var (database, status) = (stat(), stat())
      guard lstat(index, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
      if stat(path, &database) == 0, uses[Identity(database)]?.connections ?? 0 > 0 { return true }
      let file = Identity(status)
      let descriptor = keptDescriptors[file] ?? open(index, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { return true }
      var range = range(Int16(F_WRLCK), start: openIndexByte, count: 1)
      let isKnown = fcntl(descriptor, getDescriptorLock, &range) == 0
      let isOpen = !isKnown || range.l_type != Int16(F_UNLCK)
      // To close it would give up the locks of this process's connections.
      let isOwn = isOpen && (!isKnown || range.l_pid == getpid())
      keptDescriptors[file] = isOwn ? descriptor : nil
      if !isOwn { close(descriptor) }
      return isOpen
    }
  }

  /// Under `lock`.
  private static func beginUse(_ path: String, flags: Int32) throws -> (Identity, Int32) {
    var status = stat()
    let isThere = flags & O_NOFOLLOW != 0 ? lstat(path, &status) == 0 : stat(path, &status) == 0
    if isThere, let descriptor = uses[Identity(status)]?.descriptors.first {
      change(Identity(status)) { $0.readers += 1 }
      return (Identity(status), descriptor)
    }
    var descriptor: Int32
    repeat { descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags) } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0, fstat(descriptor, &status) == 0 else { throw failure(path) }
    change(Identity(status)) {
      $0.readers += 1
      $0.descriptors.append(descriptor)
    }
    return (Identity(status), descriptor)
  }

  /// Reads until the buffer is full or the file ends.
  private static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at place: Int
  ) throws -> Int {
    var done = 0
    while done < buffer.count {
      let part = pread(descriptor, buffer.baseAddress! + done, buffer.count - done, place + done)
      if part < 0, errno == EINTR { continue }
      guard part >= 0 else { throw failure(nil) }
      if part == 0 { break }
      done += part
    }
    return done
  }

  private static func failure(_ path: String?) -> NSError {
    var info: [String: Any] = [NSLocalizedDescriptionKey: String(cString: strerror(errno))]
    if let path { info[NSFilePathErrorKey] = path }
    return NSError(domain: NSPOSIXErrorDomain, code: Int(errno), userInfo: info)
  }
}
