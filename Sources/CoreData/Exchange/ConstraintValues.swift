/// A row's values for the properties of a uniqueness constraint.
///
/// Two rows collide when their values are equal, as SQLite compares what is in its columns: texts and data by their
/// bytes, numbers by value, so that 1.0 and 1.00 are one decimal and 0 and -0 one double; destinations by key. A row
/// with nil among the values has none, and neither has one with NaN, which SQLite keeps as null: such rows are never in
/// conflict.
package struct ConstraintValues: Hashable {
  private var bytes: [UInt8] = []

  package init?(_ row: RowSnapshot, _ properties: [LayoutProperty]) {
    for property in properties {
      if property.word < 0 || row.isNull(slot: property.slot) { return nil }
      switch property.form {
      case .integer, .destination: append(row.int(word: property.word))
      case .real: if !append(row.double(word: property.word)) { return nil }
      case .decimal: append(row.decimal(word: property.word))
      case .uuid:
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: row.words + property.word, count: 16))
      case .text, .bytes: append(tail: row.tail(word: property.word))
      case .none: return nil
      }
    }
  }

  /// The values for a constraint, from values that are not in a row yet; a destination is the `.int` of its key. nil if
  /// one is a transformable's object.
  package init?(_ values: [Value]) {
    for value in values {
      switch value {
      case .null, .object: return nil
      case .int(let number): append(number)
      case .double(let number): if !append(number) { return nil }
      case .date(let date): if !append(date.timeIntervalSinceReferenceDate) { return nil }
      case .string(let text): append(tail: Array(text.utf8))
      case .url(let url): append(tail: Array(url.absoluteString.utf8))
      case .data(let data): append(tail: data)
      case .uuid(let uuid): append(uuid.uuid)
      case .decimal(let number): append(number.decimalValue)
      }
    }
  }

  private mutating func append(_ number: Double) -> Bool {
    if number.isNaN { return false }
    append(word: number == 0 ? 0 : number)
    return true
  }

  private mutating func append(_ number: Int64) { append(word: number) }

  private mutating func append(_ uuid: uuid_t) { append(word: uuid) }

  private mutating func append(_ decimal: Decimal) {
    append(tail: Array(ConstraintValues.digits(decimal).utf8))
  }

  /// A text of the number that does not depend on the zeros it was made with.
  private static func digits(_ decimal: Decimal) -> String {
    if decimal.isNaN { return "NaN" }
    var compact = decimal
    NSDecimalCompact(&compact)
    return compact.description
  }

  private mutating func append<Word>(word: Word) {
    withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
  }

  private mutating func append(tail: some Collection<UInt8>) {
    append(word: tail.count)
    bytes.append(contentsOf: tail)
  }
}
