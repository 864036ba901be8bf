import Foundation

/// Stands between this program and the server at a socket of its own, waits before it hands on each answer, and counts
/// how often the program has asked something and waited.
final class Relay: @unchecked Sendable {
  // `@unchecked Sendable`: `count` is only touched under `lock`; the rest never changes.

  let folder: String
  private let server: String
  private let delay: UInt32
  private let listener: Int32
  private let lock = NSLock()
  private var count = 0

  /// - Parameters:
  ///   - server: the folder with the server's socket.
  ///   - delay: the wait before each answer, in microseconds.
  init(to server: String, delay: UInt32) {
    self.server = server
    self.delay = delay
    var template = Array("/tmp/rlXXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no folder could be made in /tmp") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Relay.withAddress("\(folder)/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else { fatalError("the relay can't listen in \(folder)") }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        Thread.detachNewThread { self.serve(client) }
      }
    }
  }

  func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The round trips of `body`.
  func trips(_ body: () throws -> Void) rethrows -> Int {
    let before = lock.withLock { count }
    try body()
    return lock.withLock { count } - before
  }

  private func serve(_ client: Int32) {
    defer { close(client) }
    let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(upstream) }
    guard Relay.withAddress("\(server)/.s.PGSQL.5432", { connect(upstream, $0, $1) }) == 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    var isAsked = false
    while true {
      var files = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&files, 2, -1) > 0 else { return }
      for (from, to) in [(0, upstream), (1, client)] where files[from].revents != 0 {
        let count = read(files[from].fd, &buffer, buffer.count)
        guard count > 0 else { return }
        if from == 0 {
          isAsked = true
        } else if isAsked {
          isAsked = false
          usleep(delay)
          // Counted before the program hears the answer.
          lock.withLock { self.count += 1 }
        }
        var sent = 0
        while sent < count {
          let step = buffer.withUnsafeBytes { send(to, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL)) }
          guard step > 0 else { return }
          sent += step
        }
      }
    }
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
