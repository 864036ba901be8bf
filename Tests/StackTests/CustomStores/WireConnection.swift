import Foundation

/// Messages over a socket: the length of a JSON object as four bytes, then the object. One thread at a time.
final class WireConnection {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Throws `away(_:)` if nobody listens.
  convenience init(port: UInt16) throws {
    self.init(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = WireConnection.address(port: port)
    let connected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if connected != 0 { throw WireConnection.away(errno) }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit { close(descriptor) }

  /// The error for a server that can't be reached: not that of an object that is gone.
  static func away(_ code: Int32) -> NSError {
    NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: "The server is away."])
  }

  static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  func ask(_ message: [String: Any]) throws -> [String: Any] {
    try send(JSONSerialization.data(withJSONObject: message))
    return try receive()
  }

  func send(_ data: Data) throws {
    var message = withUnsafeBytes(of: UInt32(data.count).bigEndian) { Data($0) }
    message.append(data)
    try message.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { throw WireConnection.away(errno) }
        sent += count
      }
    }
  }

  func receive() throws -> [String: Any] {
    let length = try read(4).reduce(0) { $0 << 8 | Int($1) }
    guard let message = try JSONSerialization.jsonObject(with: read(length)) as? [String: Any] else {
      throw WireConnection.away(EPROTO)
    }
    return message
  }

  private func read(_ count: Int) throws -> Data {
    var data = Data(count: count)
    try data.withUnsafeMutableBytes { bytes in
      var found = 0
      while found < count {
        let more = recv(descriptor, bytes.baseAddress! + found, count - found, 0)
        guard more > 0 else { throw WireConnection.away(more == 0 ? ECONNRESET : errno) }
        found += more
      }
    }
    return data
  }
}
