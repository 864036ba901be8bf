import Foundation

/// A relay between programs and a server. It has a socket of its own, passes on what each side sends, and cuts a
/// connection when a test asks for it.
public final class Relay: @unchecked Sendable {
  // `@unchecked Sendable`: `cut` is only touched under `lock`, the rest is constant.

  /// Where the next connection that sends something is cut.
  public enum Cut: Sendable {
    /// The server does not get the request.
    case beforeRequest
    /// The server gets the request, but the program does not get the answer.
    case beforeAnswer
  }

  public let folder: String
  private let server: TestServer
  private let lock = NSLock()
  private var cut: Cut?
  private let listener: Int32

  public init(to server: TestServer) throws {
    self.server = server
    var template = Array("/tmp/rlXXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TestServer.NoServer(description: "no folder could be made in /tmp") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Relay.withAddress("\(folder)/.s.PGSQL.5432", { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else {
      throw TestServer.NoServer(description: "the relay can't listen in \(folder)")
    }
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 { return }
        guard let self else {
          close(client)
          return
        }
        Thread.detachNewThread { self.serve(client) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: folder)
  }

  public func url(schema: String) -> URL {
    URL(string: "postgresql:///postgres?host=\(folder)&user=strata&schema=\(schema)")!
  }

  public func cutNext(_ cut: Cut) { lock.withLock { self.cut = cut } }

  /// Whether the cut that was asked for has been made.
  public var hasCut: Bool { lock.withLock { cut == nil } }

  private func serve(_ client: Int32) {
    defer { close(client) }
    let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(upstream) }
    guard Relay.withAddress("\(server.folder)/.s.PGSQL.5432", { connect(upstream, $0, $1) }) == 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var answered = 0
    while true {
      var descriptors = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&descriptors, 2, -1) > 0 else { return }
      for (from, to) in [(0, upstream), (1, client)] where descriptors[from].revents != 0 {
        let count = read(descriptors[from].fd, &buffer, buffer.count)
        guard count > 0 else { return }
        // A connection begins with a greeting, which is not cut.
        if from == 1 { answered += 1 }
        let asked = from == 0 && answered > 2 ? takeCut() : nil
        if asked == .beforeRequest { return }
        var sent = 0
        while sent < count {
          let step = buffer.withUnsafeBytes { send(to, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL)) }
          guard step > 0 else { return }
          sent += step
        }
        if asked == .beforeAnswer {
          // The server has this time to carry out the request.
          usleep(50_000)
          return
        }
      }
    }
  }

  private func takeCut() -> Cut? {
    lock.withLock {
      defer { cut = nil }
      return cut
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
