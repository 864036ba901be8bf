/// Which rows a statement finds by their keys: those of a list, or all from one key to another.
///
/// A list looks each key up. A range goes from row to row, so it takes the place of a list where the keys follow each
/// other without a gap: then there are no other rows in it.
struct KeyForm {
  /// How many keys the lists take; unused places hold null.
  private static let counts = [1, 8, 32, 128, 256, 512]
  /// The most keys of a list.
  static let limit = counts.last!
  /// How many forms there are.
  static let count = counts.count + 1

  /// From 0 on; the last one is the range.
  let index: Int

  /// A list of one key.
  static let one = KeyForm(index: 0)

  private static let range = KeyForm(index: counts.count)

  /// The condition for the column with the keys.
  func condition(_ column: SQLExpression) -> SQLExpression {
    switch index {
    case Self.one.index: .infix(column, "=", .parameter)
    case Self.range.index: .infix(column, "BETWEEN", .infix(.parameter, "AND", .parameter))
    default: column.isInParameters(Self.counts[index])
    }
  }

  /// The first keys, taken away from the others, and the form of the statement for them. A range has more keys than a
  /// list takes.
  static func takePortion(of keys: inout ArraySlice<Int64>) -> (form: KeyForm, portion: ArraySlice<Int64>) {
    var end = keys.startIndex + 1
    while end < keys.endIndex, keys[end] == keys[end - 1] &+ 1 { end += 1 }
    let isRange = end - keys.startIndex > limit
    let portion = isRange ? keys[..<end] : keys.prefix(limit)
    keys = keys[portion.endIndex...]
    let size = counts.firstIndex { $0 >= portion.count } ?? counts.count
    return (isRange ? range : KeyForm(index: size), portion)
  }

  /// The values of the statement's parameters that are not null.
  func parameters(_ portion: ArraySlice<Int64>) -> [Int64] {
    index == Self.range.index ? [portion.first!, portion.last!] : Array(portion)
  }

  /// How many parameters the statement has.
  var parameterCount: Int { index == Self.range.index ? 2 : Self.counts[index] }
}
