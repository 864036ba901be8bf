import Foundation

/// Reads and writes the messages between the compiler and this program.
enum PluginMessage {
  /// The next message; nil if the compiler closed its end.
  static func read() -> [String: Any]? {
    guard let head = bytes(8) else { return nil }
    let length = head.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }
    guard let count = Int(exactly: length), let body = bytes(count) else { return nil }
    return (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
  }

  static func write(_ message: [String: Any]) {
    // Messages consist of texts, numbers, arrays and dictionaries only, so encoding can't fail.
    let body = try! JSONSerialization.data(withJSONObject: message)
    let head = Data((0..<8).map { UInt8(truncatingIfNeeded: UInt64(body.count) >> (8 * UInt64($0))) })
    FileHandle.standardOutput.write(head + body)
  }

  private static func bytes(_ count: Int) -> Data? {
    var data = Data()
    while data.count < count {
      guard let more = try? FileHandle.standardInput.read(upToCount: count - data.count), !more.isEmpty else {
        return nil
      }
      data += more
    }
    return data
  }
}
