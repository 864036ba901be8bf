import CoreData
import DurabilitySupport
import TestDice

/// Rows with values that the stack would not have written: of other storage classes, out of range, null.
enum BrokenRows {
  private static let values = [
    "NULL", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "1e300", "-1e300", "9e999", "'text'", "''",
    "'12'", "x''", "x'00'", "x'01'", "x'02'", "x'FF80C0'", "zeroblob(16)", "zeroblob(38)",
    "x'02' || zeroblob(37)", "32768", "4294967296", "CAST(x'FFFE80' AS TEXT)", "0.5", "randomblob(16)",
  ]

  /// Changes one value, or a few, and says which.
  static func change(_ url: URL, seed: UInt64) throws -> String {
    var random = Dice(state: seed)
    let columns = try StoreColumns.all(in: url)
    var statements: [String] = []
    for _ in 0...random.below(3) {
      let (table, column) = random.any(columns)!
      let row = random.below(3) == 0 ? "" : " WHERE rowid = \(random.below(12) + 1)"
      statements.append("UPDATE OR IGNORE \(table) SET \(column) = \(random.any(values)!)\(row)")
    }
    try StoreColumns.execute(statements, in: url)
    return statements.joined(separator: "; ")
  }
}
