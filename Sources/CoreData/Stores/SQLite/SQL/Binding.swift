/// A value bound to a parameter of a statement.
package enum Binding: Hashable {
  case null
  case int(Int64)
  case double(Double)
  case text(String)
  case blob(Data)
  case uuid(UUID)
  /// A number with all its digits. Only engines with decimals get this case.
  case decimal(Decimal)
  /// The values of a list, all of one case. Only engines with arrays get this case.
  case array([Binding])

  /// The value of a row's slot, in the form its column holds.
  init(_ row: RowSnapshot, _ property: LayoutProperty) {
    if property.word < 0 || row.isNull(slot: property.slot) {
      self = .null
      return
    }
    let word = property.word
    switch property.form {
    case .integer, .destination: self = .int(row.int(word: word))
    case .real: self = .double(row.double(word: word))
    case .text: self = .text(row.string(word: word))
    case .uuid: self = .uuid(row.uuid(word: word))
    case .decimal: self = .text(RowWritePlan.text(row.decimal(word: word)))
    case .bytes where row.isReference(word: word):
      self = (try? row.data(property, asksStore: false)).map { .blob($0) } ?? .null
    case .bytes: self = .blob(Data(row.tail(word: word)))
    case .none: self = .null
    }
  }

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .null: statement.bindNull(at: index)
    case .int(let value): statement.bind(value, at: index)
    case .double(let value): statement.bind(value, at: index)
    case .text(let value): statement.bind(text: value, at: index)
    case .blob(let value): value.withUnsafeBytes { statement.bind(blob: $0, at: index) }
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { statement.bind(blob: $0, at: index) }
    case .decimal: preconditionFailure("SQLite has no decimals.")
    case .array: preconditionFailure("SQLite has no arrays.")
    }
  }

  /// The value as a literal in SQL text.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    // SQL ends at a NUL, so a text that has one is written as its bytes.
    case .text(let value) where value.utf8.contains(0): "CAST(\(Binding.blob(Data(value.utf8)).literal) AS TEXT)"
    case .text(let value): "'" + value.replacingOccurrences(of: "'", with: "''") + "'"
    case .blob(let value): "X'" + value.map { String(format: "%02X", $0) }.joined() + "'"
    case .uuid(let value): Binding.blob(withUnsafeBytes(of: value.uuid) { Data($0) }).literal
    case .decimal(let value) where value.isNaN: "CAST('NaN' AS NUMERIC)"
    // The description has neither an exponent nor a thousands separator.
    case .decimal(let value): value.description
    case .array: preconditionFailure("SQLite has no arrays.")
    }
  }

  /// The value as the trace shows it.
  var text: String {
    switch self {
    case .null: "nil"
    case .int(let value): "(int64)\(value)"
    case .double(let value): "(double)\(value)"
    case .text(let value): "\"\(value)\""
    case .blob(let value): "<\(value.count) bytes>"
    case .uuid: "<16 bytes>"
    case .decimal(let value): "(decimal)\(value)"
    case .array(let values): "{" + values.map(\.text).joined(separator: ", ") + "}"
    }
  }
}
