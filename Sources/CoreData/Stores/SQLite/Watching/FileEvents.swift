/// Reports writes to files, by any process. There is one inotify queue for the process.
///
/// It watches folders, because SQLite deletes a store's log and makes a new one. A write through shared memory is no
/// event: a commit shows when its pages are written to the log, just before it can be read. Any thread; blocks are
/// called on `queue`.
final class FileEvents: @unchecked Sendable {
  // `@unchecked Sendable`: everything that changes is only touched under `lock`.

  static let shared = FileEvents()
  static let queue = DispatchQueue(label: "SQLite store watching", qos: .utility)

  private struct Folder {
    let path: String
    /// What to call, by the file's name.
    var files: [String: () -> Void] = [:]
  }

  private let lock = NSLock()
  private var descriptor: Int32 = -1
  private var source: (any DispatchSourceRead)?
  /// The watched folders, by the number of inotify's watch.
  private var folders: [Int32: Folder] = [:]

  /// Calls `told` after each write to a database, its log or its journal. Returns false if the system can't watch the
  /// folder.
  ///
  /// - Parameter path: without links.
  func begin(_ path: String, _ told: @escaping () -> Void) -> Bool {
    let (folder, name) = FileEvents.parts(path)
    return lock.withLock {
      guard open() else { return false }
      let number = inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY))
      if number < 0 { return false }
      folders[number, default: Folder(path: folder)].files[name] = told
      return true
    }
  }

  func end(_ path: String) {
    let (folder, name) = FileEvents.parts(path)
    lock.withLock {
      guard let number = folders.first(where: { $0.value.path == folder })?.key else { return }
      folders[number]?.files[name] = nil
      if folders[number]?.files.isEmpty == true {
        folders[number] = nil
        inotify_rm_watch(descriptor, number)
      }
    }
  }

  private static func parts(_ path: String) -> (folder: String, name: String) {
    let url = URL(fileURLWithPath: path)
    return (url.deletingLastPathComponent().path, url.lastPathComponent)
  }

  private func open() -> Bool {
    if descriptor >= 0 { return true }
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if descriptor < 0 { return false }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: FileEvents.queue)
    source.setEventHandler { [self] in readEvents() }
    source.resume()
    self.source = source
    return true
  }

  /// Reads the pending events, and calls the block of each written file once.
  private func readEvents() {
    var bytes = [UInt8](repeating: 0, count: 65536)
    var named: Set<String> = []
    var told: [() -> Void] = []
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      if count <= 0 { break }
      bytes.withUnsafeBytes { buffer in
        var place = 0
        let header = MemoryLayout<inotify_event>.size
        while place + header <= count {
          let number = buffer.loadUnaligned(fromByteOffset: place, as: Int32.self)
          let mask = buffer.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
          let length = Int(buffer.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
          let name = buffer[(place + header)..<(place + header + length)].prefix { $0 != 0 }
          place += header + length
          noteEvent(number, mask: mask, name: String(decoding: name, as: UTF8.self), named: &named, told: &told)
        }
      }
    }
    for block in told { block() }
  }

  private func noteEvent(
    _ number: Int32, mask: UInt32, name: String, named: inout Set<String>, told: inout [() -> Void]
  ) {
    lock.withLock {
      if mask & UInt32(IN_Q_OVERFLOW) != 0 {
        // Some events are lost: any file may have been written.
        told = folders.values.flatMap(\.files.values)
        return
      }
      if mask & UInt32(IN_IGNORED) != 0 {
        folders[number] = nil
        return
      }
      guard let folder = folders[number] else { return }
      for suffix in ["", "-wal", "-journal"] where name.hasSuffix(suffix) {
        let file = String(name.dropLast(suffix.count))
        guard let block = folder.files[file], named.insert("\(number)/\(file)").inserted else { continue }
        told.append(block)
      }
    }
  }
}
