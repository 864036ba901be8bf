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
    var reader = Reader(rest: sql[...])
    guard reader.take("CREATE"), reader.take("TABLE"), let name = reader.word(), name.elementsEqual(table),
      reader.take(UInt8(ascii: "("))
    else { return nil }
    repeat {
      guard let word = reader.word() else { return nil }
      if word.elementsEqual("PRIMARY".utf8) {
        guard reader.take("KEY"), markKeys(&reader) else { return nil }
      } else {
        guard let column = TableDefinition.column(word, &reader) else { return nil }
        columns.append(column)
      }
    } while reader.take(UInt8(ascii: ","))
    guard reader.take(UInt8(ascii: ")")), reader.isAtEnd else { return nil }
  }

  /// `Z_PK INTEGER PRIMARY KEY`, `ZTITLE VARCHAR`, `Z_UUID VARCHAR(255)`, and columns without a type in old files.
  private static func column(_ name: Slice<UnsafeRawBufferPointer>, _ reader: inout Reader) -> ExistingSchema.Column? {
    guard name.first == UInt8(ascii: "Z") || name.first == UInt8(ascii: "z") else { return nil }
    var type = ""
    var isKey = false
    if let word = reader.word() {
      guard let known = types.first(where: { word.elementsEqual($0.utf8) }) else { return nil }
      type = known
      if reader.take(UInt8(ascii: "(")) {
        guard let size = reader.word(), size.allSatisfy({ 48...57 ~= $0 }), reader.take(UInt8(ascii: ")")) else {
          return nil
        }
        type += "(\(String(decoding: size, as: UTF8.self)))"
      }
      if reader.take("PRIMARY") {
        guard reader.take("KEY") else { return nil }
        isKey = true
      }
    }
    return ExistingSchema.Column(
      name: SQLName.inCapitals(String(decoding: name, as: UTF8.self)), type: type, isKey: isKey)
  }

  /// The types of columns that Core Data makes.
  private static let types = ["INTEGER", "VARCHAR", "TIMESTAMP", "FLOAT", "DECIMAL", "BLOB"]

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
  var rest: Slice<UnsafeRawBufferPointer>

  private mutating func skipBlanks() {
    while let byte = rest.first, byte == 32 || byte == 9 || byte == 10 || byte == 13 { rest.removeFirst() }
  }

  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return rest.isEmpty
    }
  }

  /// A name or a word of the language; nil if something else comes next.
  mutating func word() -> Slice<UnsafeRawBufferPointer>? {
    skipBlanks()
    let end = rest.firstIndex { !SQLName.isPlain($0) } ?? rest.endIndex
    if end == rest.startIndex { return nil }
    defer { rest = rest[end...] }
    return rest[..<end]
  }

  /// Takes a word if it comes next.
  mutating func take(_ wanted: StaticString) -> Bool {
    let before = rest
    let wanted = UnsafeRawBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)
    if let word = word(), word.elementsEqual(wanted) { return true }
    rest = before
    return false
  }

  mutating func take(_ byte: UInt8) -> Bool {
    skipBlanks()
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }
}
