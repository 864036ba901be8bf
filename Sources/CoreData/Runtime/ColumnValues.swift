internal import CSQLite
internal import CSwiftRuntime

/// The values of a statement's current row, by column.
///
/// SQLite has them side by side, and `sqlite3_column_value` looks up where they begin, with a lock and three checks for
/// each column. Here it is asked for the first column only, once `setUp` has seen how far one value lies from the next.
/// Valid until the next step.
struct ColumnValues {
  private let statement: OpaquePointer
  private let first: UnsafeRawPointer?
  private let stride: Int

  // Inlined by force, as the count of `fetch` asks for; see CONTRIBUTING.md.
  @inline(__always)
  init(_ statement: OpaquePointer) {
    self.statement = statement
    first = UnsafeRawPointer(sqlite3_column_value(statement, 0))
    stride = core_data_column_stride
  }

  @inline(__always)
  subscript(column: Int32) -> OpaquePointer? {
    guard stride != 0, let first else { return sqlite3_column_value(statement, column) }
    return OpaquePointer(first + Int(column) &* stride)
  }

  /// Measures the distance with a row of values of each type. Called before the first statement is prepared, and
  /// after SQLite was configured: it is in use from here on.
  static let setUp: Void = {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    defer {
      sqlite3_finalize(statement)
      sqlite3_close_v2(database)
    }
    guard sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, "SELECT 1, 'two', 3.5, NULL, x'0506', 7", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let statement
    else { return }
    let places = (0..<sqlite3_column_count(statement)).map { Int(bitPattern: sqlite3_column_value(statement, $0)) }
    let stride = places[1] - places[0]
    // A value has a number or a pointer, a length, and a type at least.
    guard (16...256).contains(stride), zip(places, places.dropFirst()).allSatisfy({ $1 - $0 == stride }) else { return }
    core_data_column_stride = stride
  }()
}
