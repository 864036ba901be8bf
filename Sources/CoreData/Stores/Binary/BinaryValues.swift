internal import DataModelFiles

/// Attribute values in a keyed archive. Numbers, texts and data are written as they are, other values as objects of
/// Foundation's classes. No class is looked up; objects of other classes are refused.
enum BinaryValues {
  // Reading.

  /// Sets an attribute of the row being built. Returns false if the object is not of the attribute's type.
  static func set(
    _ object: ArchiveReader.Object, of archive: ArchiveReader, property: LayoutProperty,
    builder: inout RowBuilder, scratch: inout [UInt8]
  ) throws -> Bool {
    if try archive.isOf(["NSNull"], object) { return true }
    let (slot, word) = (property.slot, property.word)
    switch property.form {
    case .integer where property.kind == .boolean:
      guard let value = archive.integer(object) else { return false }
      builder.setInt(value == 0 ? 0 : 1, slot: slot, word: word)
    case .integer:
      guard let value = archive.integer(object), property.kind.range.contains(value) else { return false }
      builder.setInt(value, slot: slot, word: word)
    case .real where property.kind == .date:
      guard let value = try seconds(object, archive) else { return false }
      // A date that is no number is null, as in a SQLite store. Foundation can't print one: it ends the program.
      if !value.isNaN { builder.setDouble(value, slot: slot, word: word) }
    case .real:
      guard let value = archive.real(object) else { return false }
      builder.setDouble(property.kind == .float ? Double(Float(value)) : value, slot: slot, word: word)
    case .text where property.kind == .uri:
      guard let value = try url(object, archive) else { return false }
      Array(value.utf8).withUnsafeBytes { builder.setBytes($0, slot: slot, word: word) }
    case .text:
      guard let value = try text(object, archive) else { return false }
      guard try setText(value, archive: archive, property: property, builder: &builder, scratch: &scratch) else {
        return false
      }
    case .bytes:
      guard let value = try data(object, archive) else { return false }
      builder.setBytes(value, slot: slot, word: word)
    case .uuid:
      guard let value = try archive.field("NS.uuidbytes", of: object).flatMap(archive.data), value.count == 16 else {
        return false
      }
      builder.setUUID(value.loadUnaligned(as: UUID.self), slot: slot, word: word)
    case .decimal:
      guard let value = try decimal(object, archive) else { return false }
      builder.setDecimal(value, slot: slot, word: word)
    case .destination, .none: return false
    }
    return true
  }

  private static func setText(
    _ object: ArchiveReader.Object, archive: ArchiveReader, property: LayoutProperty,
    builder: inout RowBuilder, scratch: inout [UInt8]
  ) throws -> Bool {
    if let bytes = archive.text(object) {
      if !bytes.allSatisfy({ $0 < 0x80 }), String(validating: bytes, as: UTF8.self) == nil { return false }
      builder.setBytes(bytes, slot: property.slot, word: property.word)
      return true
    }
    guard try archive.wideText(object, in: &scratch) else { return false }
    scratch.withUnsafeBytes { builder.setBytes($0, slot: property.slot, word: property.word) }
    return true
  }

  /// The text of a string, mutable or not.
  private static func text(
    _ object: ArchiveReader.Object, _ archive: ArchiveReader
  ) throws -> ArchiveReader.Object? {
    guard try archive.isOf(["NSString", "NSMutableString"], object) else { return object }
    return try archive.field("NS.string", of: object)
  }

  static func string(_ object: ArchiveReader.Object, of archive: ArchiveReader) throws -> String? {
    try text(object, archive).flatMap(archive.string)
  }

  private static func data(
    _ object: ArchiveReader.Object, _ archive: ArchiveReader
  ) throws -> UnsafeRawBufferPointer? {
    guard try archive.isOf(["NSData", "NSMutableData"], object) else { return archive.data(object) }
    return try archive.field("NS.data", of: object).flatMap(archive.data)
  }

  private static func seconds(_ object: ArchiveReader.Object, _ archive: ArchiveReader) throws -> Double? {
    if archive.isDate(object) { return archive.real(object) }
    return try archive.field("NS.time", of: object).flatMap(archive.real)
  }

  private static func url(_ object: ArchiveReader.Object, _ archive: ArchiveReader) throws -> String? {
    guard try archive.isOf(["NSURL"], object),
      let relative = try archive.field("NS.relative", of: object).flatMap({ try string($0, of: archive) })
    else { return nil }
    guard let base = try archive.field("NS.base", of: object) else { return relative }
    // Follows only one base, because a chain of bases could be a cycle.
    guard let text = try archive.field("NS.relative", of: base).flatMap({ try string($0, of: archive) }) else {
      return nil
    }
    return URL(string: relative, relativeTo: URL(string: text))?.absoluteString
  }

  private static func decimal(_ object: ArchiveReader.Object, _ archive: ArchiveReader) throws -> Decimal? {
    if let value = archive.integer(object) { return Decimal(value) }
    if archive.isReal(object), let value = archive.real(object) { return Decimal(rounding: value) }
    guard let mantissa = try archive.field("NS.mantissa", of: object).flatMap(archive.data), mantissa.count == 16,
      let exponent = try archive.field("NS.exponent", of: object).flatMap(archive.integer),
      let length = try archive.field("NS.length", of: object).flatMap(archive.integer)
    else { return nil }
    return ArchivedDecimal(
      mantissa: Array(mantissa), length: length, exponent: exponent,
      isNegative: try archive.field("NS.negative", of: object).flatMap(archive.integer) == 1,
      isBigEndian: try archive.field("NS.mantissa.bo", of: object).flatMap(archive.integer) == 2)?.decimal
  }

  // Writing.

  /// Adds a row's value to the archive. Returns its UID.
  static func add(_ row: RowSnapshot, _ property: LayoutProperty, to archive: inout ArchiveWriter) -> Int {
    let word = property.word
    if word < 0 || row.isNull(slot: property.slot) { return archive.nullObject() }
    switch property.form {
    case .integer: return archive.integer(row.int(word: word))
    case .real where property.kind == .float: return archive.float(Float(row.double(word: word)))
    case .real where property.kind == .date: return date(row.double(word: word), &archive)
    case .real: return archive.real(row.double(word: word))
    case .text where property.kind == .uri:
      let relative = archive.text(row.tail(word: word))
      return archive.object(["NSURL", "NSObject"], [("NS.base", .uid(0)), ("NS.relative", .uid(relative))])
    case .text: return archive.text(row.tail(word: word))
    case .bytes: return archive.data(row.tail(word: word))
    case .uuid:
      let bytes = withUnsafeBytes(of: row.uuid(word: word).uuid) { archive.inlineData($0) }
      return archive.object(["NSUUID", "NSObject"], [("NS.uuidbytes", .inline(bytes))])
    case .decimal: return add(row.decimal(word: word), to: &archive)
    case .destination, .none: return archive.nullObject()
    }
  }

  static func date(_ seconds: Double, _ archive: inout ArchiveWriter) -> Int {
    let time = archive.inlineReal(seconds)
    return archive.object(["NSDate", "NSObject"], [("NS.time", .inline(time))])
  }

  private static func add(_ decimal: Decimal, to archive: inout ArchiveWriter) -> Int {
    let parts = ArchivedDecimal(decimal)
    let mantissa = parts.mantissa.withUnsafeBytes { archive.inlineData($0) }
    let (order, exponent) = (archive.inlineInteger(1), archive.inlineInteger(parts.exponent))
    let (size, isCompact) = (archive.inlineInteger(parts.length), archive.inlineBoolean(true))
    let isNegative = archive.inlineBoolean(parts.isNegative)
    return archive.object(
      ArchivedDecimal.classes,
      [
        ("NS.mantissa", .inline(mantissa)), ("NS.mantissa.bo", .inline(order)), ("NS.exponent", .inline(exponent)),
        ("NS.length", .inline(size)), ("NS.negative", .inline(isNegative)), ("NS.compact", .inline(isCompact)),
      ])
  }
}
