import DurabilitySupport
import Foundation
import TestDice

/// Tables, columns and names that the stack would not have made, with a sound file around them.
enum BrokenSchema {
  private static let names = [
    "ZBOOK", "Z_1BOOKS", "ZBOOK;--", "Z\"QUOTED\"", "Z'", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "zauthor", "Z",
    "Z_2TAGS", "Z_", "Z_99999999999999999999X", "ZÄ", "Z B", "ATRANSACTION", "Z_-1BOOKS",
  ]
  private static let types = ["INTEGER", "VARCHAR", "BLOB", "TIMESTAMP", "DECIMAL", "FLOAT", "", "INT, X"]

  static func change(_ url: URL, seed: UInt64) throws -> String {
    var random = Dice(state: seed &* 0xC2B2_AE3D_27D4_EB4F &+ 9)
    let columns = try StoreColumns.all(in: url)
    var statements: [String] = []
    for _ in 0...random.below(3) {
      let (table, column) = random.any(columns)!
      let name = random.any(names)!
      let quoted = "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
      let text = "'" + name.replacingOccurrences(of: "'", with: "''") + "'"
      switch random.below(11) {
      case 0: statements.append("DROP TABLE \(table)")
      case 1: statements.append("ALTER TABLE \(table) RENAME TO \(quoted)")
      case 2: statements.append("ALTER TABLE \(table) RENAME COLUMN \(column) TO \(quoted)")
      case 3: statements.append("ALTER TABLE \(table) DROP COLUMN \(column)")
      case 4: statements.append("ALTER TABLE \(table) ADD COLUMN \(quoted) \(random.any(types)!)")
      case 5: statements += ["DROP TABLE \(table)", "CREATE VIEW \(table) AS SELECT 1 AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT"]
      case 6:
        statements.append(
          "CREATE TRIGGER T\(random.below(1000)) AFTER UPDATE ON \(table) BEGIN DELETE FROM \(table); END")
      case 7: statements.append("CREATE TABLE \(quoted) (Z_PK INTEGER PRIMARY KEY, \(quoted) BLOB)")
      case 8: statements.append("UPDATE Z_PRIMARYKEY SET Z_NAME = \(text) WHERE rowid = \(random.below(8))")
      case 9:
        statements.append(
          "UPDATE Z_PRIMARYKEY SET Z_SUPER = \(random.below(8)), Z_ENT = Z_ENT + \(random.below(2)) "
            + "WHERE rowid = \(random.below(8))")
      default:
        statements += [
          "PRAGMA writable_schema = ON",
          "UPDATE sqlite_master SET \(random.any(["name", "tbl_name", "sql"])!) = \(text) "
            + "WHERE rowid = \(random.below(30))",
        ]
      }
    }
    try StoreColumns.execute(statements, in: url)
    return statements.joined(separator: "; ")
  }
}
