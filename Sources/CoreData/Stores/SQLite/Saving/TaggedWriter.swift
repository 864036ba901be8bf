/// Writes the values that may go into files, and remembers what to undo or to clean up.
struct TaggedWriter {
  private let externals: ExternalStorage
  let schema: StoreSchema
  /// Files that this save wrote: removed if it fails.
  private(set) var written: [String] = []
  /// Files that no row refers to once the save succeeds.
  var abandoned: [String] = []

  /// Both lists, for the transaction.
  struct Files {
    let written: [String]
    let abandoned: [String]
  }

  var files: Files { Files(written: written, abandoned: abandoned) }

  init(_ externals: ExternalStorage, _ schema: StoreSchema) {
    self.externals = externals
    self.schema = schema
  }

  func number(ofEntity index: Int) throws -> Int64 {
    Int64(try schema.entity(schema.layouts[index]).number)
  }

  mutating func bind(_ value: UnsafeRawBufferPointer, _ statement: Statement, at index: Int32) throws {
    let column: Data
    // A store in memory has no folder.
    if value.count <= ExternalFiles.threshold || externals.files.isInMemory {
      column = ExternalFiles.column(of: value)
    } else {
      let name = try externals.makeFile(value)
      written.append(name)
      column = ExternalFiles.column(ofFile: name)
    }
    column.withUnsafeBytes { statement.bind(blob: $0, at: index) }
  }

  /// Binds a copy of a value that lies in a file. The row can't share the file, which may belong to another store or be
  /// about to be removed.
  mutating func bind(
    copyOf property: LayoutProperty, of row: RowSnapshot, _ statement: Statement, at index: Int32
  ) throws {
    guard let data = try row.data(property, asksStore: false) else { return statement.bindNull(at: index) }
    try data.withUnsafeBytes { try bind($0, statement, at: index) }
  }

  /// Removes the files that were written after the first `count`.
  mutating func removeWritten(after count: Int) {
    guard written.count > count else { return }
    externals.discard(Array(written[count...]))
    written.removeSubrange(count...)
  }
}
