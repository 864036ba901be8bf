internal import DataModelFiles

/// Apple's binary form of a store's file: a header, the archive of the rows, and the archive of the metadata.
enum BinaryForm: AtomicForm {
  static var type: String { NSBinaryStoreType }
  static var keyBeforeFirst: Int64 { 0 }

  /// Accepts all entities, because the form keeps all names as they are.
  static func check(_ layouts: [EntityLayout], url: URL) throws {}

  static func header(of bytes: [UInt8]) throws -> AtomicHeader {
    let header = try BinaryStoreHeader(bytes)
    return try bytes.withUnsafeBufferPointer { bytes in
      let archive = try ArchiveReader(UnsafeBufferPointer(rebasing: bytes[header.metadata]))
      guard var metadata = try BinaryMetadata.read(archive, size: header.metadata.count) as? [String: Any],
        metadata[NSStoreUUIDKey] is String
      else { throw AtomicProblem.damaged(line: nil, "its metadata has no UUID") }
      if metadata[NSStoreTypeKey] == nil { metadata[NSStoreTypeKey] = type }
      return AtomicHeader(metadata: metadata, lastKey: header.lastKey)
    }
  }

  static func readRows(of bytes: [UInt8], into loader: inout AtomicLoader) throws {
    let header = try BinaryStoreHeader(bytes)
    try bytes.withUnsafeBufferPointer { bytes in
      let archive = try ArchiveReader(UnsafeBufferPointer(rebasing: bytes[header.rows]))
      var reader = BinaryRowReader(archive, loader.held)
      try reader.read(into: &loader)
    }
  }

  static func write(_ rows: AtomicRows, _ header: AtomicHeader) throws -> [UInt8] {
    let small = rows.sorted.count < 4096 ? archive(of: rows, referenceSize: 2) : nil
    return try file(small ?? archive(of: rows, referenceSize: 4)!, header)
  }

  static func replaceHeader(of bytes: [UInt8], by header: AtomicHeader) throws -> [UInt8] {
    try file(Array(bytes[BinaryStoreHeader(bytes).rows]), header)
  }

  private static func file(_ rows: [UInt8], _ header: AtomicHeader) throws -> [UInt8] {
    let metadata = try BinaryMetadata.archive(header.metadata)
    let end = BinaryStoreHeader.size + rows.count
    let head = BinaryStoreHeader(
      metadata: end..<end + metadata.count, rows: BinaryStoreHeader.size..<end, lastKey: header.lastKey)
    var bytes = head.bytes
    bytes.reserveCapacity(end + metadata.count)
    bytes += rows
    bytes += metadata
    return bytes
  }

  /// The archive of the rows; nil if it has too many objects for references of this size.
  private static func archive(of rows: AtomicRows, referenceSize: Int) -> [UInt8]? {
    var archive = ArchiveWriter(referenceSize: referenceSize)
    let entities = rows.state.layouts.layouts.map(BinaryEntity.init)
    var (keys, nodes): ([Int], [Int]) = ([], [])
    keys.reserveCapacity(rows.sorted.count)
    nodes.reserveCapacity(rows.sorted.count)
    for row in rows.sorted {
      keys.append(archive.integer(rows.number(of: row.reference)))
      nodes.append(add(row, entity: entities[row.entity], rows: rows, archive: &archive))
      if archive.isOverflowing { return nil }
    }
    let root = archive.dictionary(keys, nodes)
    if archive.isOverflowing { return nil }
    return archive.finish("mapData", root: root)
  }

  private static func add(
    _ row: RowSnapshot, entity: BinaryEntity, rows: AtomicRows, archive: inout ArchiveWriter
  ) -> Int {
    let values = entity.places.map { property in
      property.map { BinaryValues.add(row, $0, to: &archive) } ?? archive.nullObject()
    }
    var (names, lists): ([Int], [Int]) = ([], [])
    for (property, _) in entity.relationships {
      let members = rows.destinations(of: property, row)
      if members.isEmpty { continue }
      names.append(archive.name(property.name))
      lists.append(
        archive.array(members.map { archive.integer(rows.number(of: $0)) }, isMutable: property.kind == .toMany))
    }
    let related = names.isEmpty ? nil : archive.dictionary(names, lists)
    let key = archive.inlineInteger(rows.number(of: row.reference))
    var fields: [(key: String, value: ArchiveWriter.Field)] = [
      ("NSEntityName", .uid(archive.name(entity.layout.name))), ("NSPrimaryKey64", .inline(key)),
      ("NSAttributeValues", .uid(archive.array(values))),
    ]
    if let related { fields.append(("NSRelatedNodes", .uid(related))) }
    return archive.object(["NSDictionaryMapNode", "NSStoreMapNode", "NSObject"], fields)
  }
}

/// The metadata as a separate archive.
private enum BinaryMetadata {
  static func archive(_ metadata: [String: Any]) throws -> [UInt8] {
    let list: PropertyList
    do {
      let data = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
      list = try BinaryPropertyListReader.read(Array(data))
    } catch {
      throw AtomicProblem.metadata("it has a value that a property list can't hold")
    }
    var archive = ArchiveWriter(referenceSize: 4)
    let root = try add(list, &archive)
    return archive.finish("metadata", root: root)
  }

  private static func add(_ list: PropertyList, _ archive: inout ArchiveWriter) throws -> Int {
    switch list {
    case .boolean(let flag): return archive.boolean(flag)
    case .integer(let number): return archive.integer(number)
    case .real(let number): return archive.real(number)
    case .date(let seconds): return BinaryValues.date(seconds, &archive)
    case .data(let bytes): return bytes.withUnsafeBytes { archive.data($0) }
    case .string(let text): return archive.name(text)
    case .uid: throw AtomicProblem.metadata("it has a reference of a keyed archive")
    case .array(let elements): return archive.array(try elements.map { try add($0, &archive) })
    case .dictionary(let entries):
      let sorted = entries.sorted(on: \.key)
      let keys = sorted.map { archive.name($0.key) }
      return archive.dictionary(keys, try sorted.map { try add($0.value, &archive) }, isMutable: false)
    }
  }

  /// The metadata in an archive of `size` bytes. An object that several lists refer to becomes a value in each, so the
  /// values count, and a small archive can't become more than memory holds.
  static func read(_ archive: ArchiveReader, size: Int) throws -> Any? {
    var reader = Reader(archive: archive, left: 16 * size + 1 << 20)
    return try reader.value(archive.root("metadata"), depth: 0)
  }

  private struct Reader {
    let archive: ArchiveReader
    /// How many more bytes the values may take: 16 each, and their texts and data.
    var left: Int

    private mutating func spend(_ bytes: Int) throws {
      left -= bytes
      if left >= 0 { return }
      throw AtomicProblem.damaged(line: nil, "its metadata repeats its values so often that they would fill the memory")
    }

    /// The value of an object that a property list can hold; nil for any other object.
    mutating func value(_ object: ArchiveReader.Object, depth: Int) throws -> Any? {
      guard depth < 64 else { throw ArchiveReader.damaged }
      try spend(16)
      if archive.isBoolean(object) { return NSNumber(value: archive.integer(object) == 1) }
      if archive.isDate(object) { return archive.real(object).map(Date.init(timeIntervalSinceReferenceDate:)) }
      if archive.isReal(object) { return archive.real(object).map(NSNumber.init(value:)) }
      if let number = archive.integer(object) { return NSNumber(value: number) }
      if let text = try BinaryValues.string(object, of: archive) {
        try spend(text.utf8.count)
        return text
      }
      if let bytes = archive.data(object) { return try data(bytes) }
      if try archive.isOf(["NSData", "NSMutableData"], object) {
        guard let bytes = try archive.field("NS.data", of: object).flatMap(archive.data) else { return nil }
        return try data(bytes)
      }
      if try archive.isOf(["NSDate"], object) {
        return try archive.field("NS.time", of: object).flatMap(archive.real)
          .map(Date.init(timeIntervalSinceReferenceDate:))
      }
      if try archive.isOf(["NSArray", "NSMutableArray"], object) {
        return try elements("NS.objects", of: object, depth: depth)
      }
      if try archive.isOf(["NSDictionary", "NSMutableDictionary"], object) {
        guard let keys = try elements("NS.keys", of: object, depth: depth) as? [String],
          let values = try elements("NS.objects", of: object, depth: depth), keys.count == values.count
        else { return nil }
        return Dictionary(zip(keys, values), uniquingKeysWith: { first, _ in first })
      }
      return nil
    }

    private mutating func data(_ bytes: UnsafeRawBufferPointer) throws -> Data {
      try spend(bytes.count)
      return Data(bytes)
    }

    private mutating func elements(
      _ name: StaticString, of object: ArchiveReader.Object, depth: Int
    ) throws -> [Any]? {
      guard let list = try archive.field(name, of: object).flatMap(archive.elements) else { return nil }
      var values: [Any] = []
      for index in 0..<list.count {
        guard let value = try self.value(archive.resolved(archive.element(list, index)), depth: depth + 1) else {
          throw AtomicProblem.damaged(line: nil, "its metadata has an object that is not a property list")
        }
        values.append(value)
      }
      return values
    }
  }
}

/// A store in a file of Apple's binary form.
final class BinaryStore: AtomicFileStore {
  override class var form: any AtomicForm.Type { BinaryForm.self }
}
