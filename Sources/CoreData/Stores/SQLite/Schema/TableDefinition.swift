/// The columns of a table, read from the statement that made it.
///
/// SQLite has read the same text already, and would tell by a pragma. That takes a statement for each table, and more
/// time than everything else that opening a store reads. So what Core Data's statements look like is read here:
///
///     CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR )
///     CREATE TABLE Z_1TAGS ( Z_1BOOKS INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1BOOKS, Z_2TAGS) )
///
/// Everything else is left to the pragma: quotes, comments, constraints, and names without a Z in front, which might be
/// words of the language.
struct TableDefinition {
  private(set) var columns: [ExistingSchema.Column] = []

  /// nil for a statement of another form.
  init?(_ sql: UnsafeRawBufferPointer, table: UnsafeRawBufferPointer) {
    var reader = Reader(bytes: sql)
    guard reader.take("CREATE"), reader.take("TABLE"), reader.take(table), reader.take(UInt8(ascii: "(")) else {
      return nil
    }
    repeat {
      if reader.take("PRIMARY") {
        guard reader.take("KEY"), markKeys(&reader) else { return nil }
      } else {
        guard let column = TableDefinition.column(&reader) else { return nil }
        columns.append(column)
      }
    } while reader.take(UInt8(ascii: ","))
    guard reader.take(UInt8(ascii: ")")), reader.isAtEnd else { return nil }
  }

  /// `Z_PK INTEGER PRIMARY KEY`, `ZTITLE VARCHAR`, `Z_UUID VARCHAR(255)`, and columns without a type in old files.
  private static func column(_ reader: inout Reader) -> ExistingSchema.Column? {
    guard let name = reader.word(), name[0] == UInt8(ascii: "Z") || name[0] == UInt8(ascii: "z") else { return nil }
    guard let type = type(&reader) else { return nil }
    var isKey = false
    if reader.take("PRIMARY") {
      guard !type.isEmpty, reader.take("KEY") else { return nil }
      isKey = true
    }
    return ExistingSchema.Column(
      name: SQLName.inCapitals(String(decoding: name, as: UTF8.self)), type: type, isKey: isKey)
  }

  /// The type of a column; empty if there is none, nil for a type that Core Data does not make.
  private static func type(_ reader: inout Reader) -> String? {
    if reader.take("INTEGER") { return "INTEGER" }
    if reader.take("BLOB") { return "BLOB" }
    if reader.take("TIMESTAMP") { return "TIMESTAMP" }
    if reader.take("FLOAT") { return "FLOAT" }
    if reader.take("DECIMAL") { return "DECIMAL" }
    guard reader.take("VARCHAR") else { return "" }
    guard reader.take(UInt8(ascii: "(")) else { return "VARCHAR" }
    guard let size = reader.word(), size.allSatisfy({ 48...57 ~= $0 }), reader.take(UInt8(ascii: ")")) else {
      return nil
    }
    return "VARCHAR(\(String(decoding: size, as: UTF8.self)))"
  }

  /// The columns of a key at the end of a statement. Returns false for what is not a list of columns.
  private mutating func markKeys(_ reader: inout Reader) -> Bool {
    guard reader.take(UInt8(ascii: "(")) else { return false }
    repeat {
      guard let word = reader.word() else { return false }
      let name = SQLName.inCapitals(String(decoding: word, as: UTF8.self))
      guard let place = columns.firstIndex(where: { $0.name == name }) else { return false }
      columns[place].isKey = true
    } while reader.take(UInt8(ascii: ","))
    return reader.take(UInt8(ascii: ")"))
  }
}

/// Takes a statement apart, from its beginning.
private struct Reader {
  private let bytes: UnsafeRawBufferPointer
  private var place = 0

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private mutating func skipBlanks() {
    while place < bytes.count, bytes[place] == 32 || 9...13 ~= bytes[place] { place &+= 1 }
  }

  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return place == bytes.count
    }
  }

  /// A name or a word of the language; nil if something else comes next.
  mutating func word() -> UnsafeRawBufferPointer? {
    skipBlanks()
    let start = place
    while place < bytes.count, SQLName.isPlain(bytes[place]) { place &+= 1 }
    return start == place ? nil : UnsafeRawBufferPointer(rebasing: bytes[start..<place])
  }

  /// Takes a word if it comes next.
  mutating func take(_ wanted: StaticString) -> Bool {
    take(UnsafeRawBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount))
  }

  mutating func take(_ wanted: UnsafeRawBufferPointer) -> Bool {
    skipBlanks()
    let end = place + wanted.count
    guard end <= bytes.count, end == bytes.count || !SQLName.isPlain(bytes[end]), let start = wanted.baseAddress,
      memcmp(bytes.baseAddress! + place, start, wanted.count) == 0
    else { return false }
    place = end
    return true
  }

  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard place < bytes.count, bytes[place] == byte else { return false }
    place &+= 1
    return true
  }
}
