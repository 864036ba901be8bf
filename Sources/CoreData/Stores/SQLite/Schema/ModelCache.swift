internal import CZlib
internal import DataModelFiles

/// `Z_MODELCACHE`: the model that wrote the file. A later program can migrate the file with it, even if it no longer
/// has that model itself. The table has one row: the model's keyed archive, as in a `.mom`, deflated without a header.
///
/// A file without the table, or with a model that can't be read, still opens.
package enum ModelCache {
  /// Writes the model into the table. It leaves out fetch request templates and fetched properties, because a store
  /// doesn't depend on them.
  static func write(_ model: NSManagedObjectModel, to connection: Connection) throws {
    guard let content = content(of: model) else { return }
    let sql = "INSERT INTO Z_MODELCACHE(Z_CONTENT) VALUES(?)"
    let statement = try Statement(sql, in: connection.database, isKept: false)
    connection.trace?.willRun(sql)
    content.withUnsafeBytes { statement.bind(blob: $0, at: 1) }
    try statement.run()
  }

  /// The content of the row; nil if zlib has no memory.
  package static func content(of model: NSManagedObjectModel) -> [UInt8]? {
    deflated(CompiledModelFiles.mom(DataModel(model)))
  }

  /// Replaces the cached model, if the file has the table.
  static func replace(by model: NSManagedObjectModel, in connection: Connection) throws {
    guard try StoreMetadata.hasTable("Z_MODELCACHE", connection) else { return }
    try connection.execute("DELETE FROM Z_MODELCACHE")
    try write(model, to: connection)
  }

  /// The cached model's archive, as the bytes of a `.mom`; nil if there is none, or if it can't be inflated.
  static func read(from connection: Connection) throws -> [UInt8]? {
    guard try StoreMetadata.hasTable("Z_MODELCACHE", connection) else { return nil }
    let statement = try Statement(
      "SELECT Z_CONTENT FROM Z_MODELCACHE", in: connection.database, isKept: false)
    guard try statement.step() else { return nil }
    return inflated(Array(statement.blobBytes(0)))
  }

  /// The model in a row's content; nil if it can't be read.
  package static func model(of content: [UInt8], named name: String, hashes: [String: Data]) -> NSManagedObjectModel? {
    guard let bytes = inflated(content),
      let values = try? CompiledModelFiles.model(mom: bytes, name: name, file: name, isKept: true).model
    else { return nil }
    let model = NSManagedObjectModel()
    let stored = StoredModel(
      url: URL(fileURLWithPath: name), model: StoredModel.cleaned(values), origin: .cached, hashes: hashes)
    guard Set(stored.model.entities.map(\.name)).isSuperset(of: hashes.keys), (try? stored.fill(model)) != nil else {
      return nil
    }
    return model
  }

  /// A raw DEFLATE stream; nil if zlib has no memory.
  static func deflated(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    let version = zlibVersion()
    guard
      deflateInit2_(
        &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, version,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    var input = bytes
    let code = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return deflate(&stream, Z_FINISH)
      }
    }
    guard code == Z_STREAM_END else { return nil }
    output.removeLast(output.count - Int(stream.total_out))
    return output
  }

  /// The largest size of an inflated model, in bytes. The largest known model takes 2 MiB, but a small DEFLATE stream
  /// could expand to gigabytes.
  static let limit = 64 << 20

  /// The inflated bytes; nil if the input isn't a DEFLATE stream, or expands to more than `limit` bytes.
  static func inflated(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, -MAX_WBITS, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      return nil
    }
    defer { inflateEnd(&stream) }
    var input = bytes
    var output: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    return input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      while true {
        let room = piece.count
        let code = piece.withUnsafeMutableBufferPointer { target in
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(room)
          return inflate(&stream, Z_NO_FLUSH)
        }
        output += piece[..<(room - Int(stream.avail_out))]
        if output.count > limit { return nil }
        if code == Z_STREAM_END { return output }
        if code != Z_OK { return nil }
      }
    }
  }
}
