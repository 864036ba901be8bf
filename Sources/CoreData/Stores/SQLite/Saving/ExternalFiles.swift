/// Binary values in files of their own, beside the store.
///
/// The column of an attribute that allows it holds
///
/// | first byte | the rest |
/// |---|---|
/// | 1 | the value |
/// | 2 | the name of a file, 36 characters, and a zero byte |
///
/// The files are in `.<name of the store>_SUPPORT/_EXTERNAL_DATA`, named by a UUID. Any thread.
struct ExternalFiles: Sendable {
  let store: URL

  /// Longer values go into files.
  static let threshold = 128 * 1024

  var folder: URL {
    let name = store.deletingPathExtension().lastPathComponent
    return store.deletingLastPathComponent()
      .appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
      .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
  }

  /// The name of the file that a column refers to; nil when the value is in the column.
  static func fileName(inTagged bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count == 38, bytes[0] == 2 else { return nil }
    return String(decoding: bytes[1..<37], as: UTF8.self)
  }

  /// The value of a column.
  func value(ofTagged bytes: UnsafeRawBufferPointer) throws -> Data {
    if let name = ExternalFiles.fileName(inTagged: bytes) {
      let file = folder.appendingPathComponent(name)
      do { return try Data(contentsOf: file) } catch {
        throw Failure.storeFileMissing(url: file)
      }
    }
    guard bytes.count > 0, bytes[0] == 1 else { return Data(bytes) }
    return Data(bytes[1...])
  }

  /// What the column of a value is to hold; writes the file of a long one and says its name.
  func tagged(_ value: UnsafeRawBufferPointer) throws -> (column: Data, file: String?) {
    // A store in memory has no folder.
    if value.count <= ExternalFiles.threshold || store.path == "/dev/null" {
      var column = Data([1])
      column.append(contentsOf: value)
      return (column, nil)
    }
    let name = UUID().uuidString
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(value).write(to: folder.appendingPathComponent(name), options: .atomic)
    return (Data([2]) + Data(name.utf8) + Data([0]), name)
  }

  func remove(_ names: [String]) {
    for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
  }
}
