@testable import CoreData

/// Changes in a database's file that leave most of it sound.
enum DatabaseMutator {
  private static let literals = [
    "NULL", "0", "-1", "1", "2", "9223372036854775807", "-9223372036854775808", "1e300", "-1e300", "9e999", "'text'",
    "''", "'12'", "x''", "x'00'", "x'01'", "x'02'", "x'FF80C0'", "zeroblob(16)", "zeroblob(38)",
    "x'02' || zeroblob(37)", "32768", "4294967296", "16001", "CAST(x'FFFE80' AS TEXT)", "0.5", "randomblob(16)",
  ]
  private static let names = [
    "ZBOOK", "Z_1BOOKS", "ZBOOK;--", "Z'", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "zauthor", "Z", "Z_2LABELS",
    "Z_",
    "Z_99999999999999999999X", "ZÄ", "Z B", "ATRANSACTION", "ACHANGE", "Z_-1BOOKS", "Book", "Author", "Z_PK", "Z_ENT",
    "Z_OPT",
  ]

  /// A value in SQL: one of the odd literals, or a text, number or blob from the input.
  static func value(_ source: inout ByteSource) -> String {
    let kind = source.below(40)
    if kind < literals.count { return literals[kind] }
    if kind < 30 { return "\(source.integer())" }
    let hex = source.piece(64).map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    return kind < 35 ? "x'\(hex)'" : "CAST(x'\(hex)' AS TEXT)"
  }

  // Pages.

  /// Bytes of one page: its head, its cells' places, or anything in it. The file keeps its length.
  static func withOtherPage(_ input: [UInt8], _ dice: inout Dice) -> [UInt8]? {
    guard input.count >= 512 else { return nil }
    var size = Int(input[16]) << 8 | Int(input[17])
    if size == 1 { size = 65536 }
    guard size >= 512, input.count >= size else { return nil }
    let start = dice.below(input.count / size) * size
    // The file's own head stands before the first page's.
    let head = start == 0 ? 100 : start
    let range: Range<Int> =
      switch dice.below(4) {
      case 0: start == 0 ? 0..<100 : head..<head + 12
      case 1: head + 8..<head + 40
      case 2: start + size - min(size, 96)..<start + size
      default: start..<start + size
      }
    var output = input
    let changed = ListMutator.bytes(Array(input[range]), limit: range.count)
    output.replaceSubrange(range.lowerBound..<range.lowerBound + changed.count, with: changed)
    return output
  }

  // Content.

  /// One to three changes in tables, their values or the schema.
  static func withOtherContent(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    guard let database = Database(input) else { return nil }
    for _ in 0...dice.below(3) { change(database, &dice) }
    return database.bytes(limit: limit)
  }

  private static func change(_ database: Database, _ dice: inout Dice) {
    switch dice.below(16) {
    case 0, 1: changeList("Z_METADATA", "Z_PLIST", database, &dice)
    case 2, 3: changeModel(database, &dice)
    case 4: changeList("ZBOOK", "ZLIST", database, &dice)
    case 5, 6: changeSchema(database, &dice)
    case 7: changeEntities(database, &dice)
    case 8, 9: changeBytes(database, &dice)
    default:
      guard let (table, column) = dice.any(database.columns) else { return }
      let row = dice.below(3) == 0 ? "" : " WHERE rowid = \(dice.below(12) + 1)"
      database.execute("UPDATE OR IGNORE \(table) SET \(column) = \(dice.any(literals)!)\(row)")
    }
  }

  private static func changeList(_ table: String, _ column: String, _ database: Database, _ dice: inout Dice) {
    guard let bytes = database.blob("SELECT \(column) FROM \(table) WHERE \(column) IS NOT NULL"), !bytes.isEmpty else {
      return
    }
    let changed = dice.below(3) == 0 ? nil : ListMutator.mutated(bytes, &dice)
    database.run("UPDATE \(table) SET \(column) = ?", blob: changed ?? ListMutator.bytes(bytes))
  }

  private static func changeModel(_ database: Database, _ dice: inout Dice) {
    guard let content = database.blob("SELECT Z_CONTENT FROM Z_MODELCACHE"), let archive = ModelCache.inflated(content),
      let changed = ListMutator.mutated(archive, &dice), let new = ModelCache.deflated(changed)
    else { return }
    database.run("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", blob: dice.below(4) == 0 ? ListMutator.bytes(new) : new)
  }

  private static func changeBytes(_ database: Database, _ dice: inout Dice) {
    guard let (table, column) = dice.any(database.columns) else { return }
    let row = dice.below(6) + 1
    guard let bytes = database.blob("SELECT CAST(\(column) AS BLOB) FROM \(table) WHERE rowid = \(row)") else { return }
    let type = dice.any(["BLOB", "TEXT"])!
    database.run(
      "UPDATE OR IGNORE \(table) SET \(column) = CAST(? AS \(type)) WHERE rowid = \(row)",
      blob: ListMutator.bytes(bytes))
  }

  private static func changeEntities(_ database: Database, _ dice: inout Dice) {
    let row = dice.below(9)
    switch dice.below(5) {
    case 0: database.execute("UPDATE Z_PRIMARYKEY SET Z_NAME = '\(dice.any(names)!)' WHERE rowid = \(row)")
    case 1: database.execute("UPDATE Z_PRIMARYKEY SET Z_SUPER = \(dice.below(8)) WHERE rowid = \(row)")
    case 2: database.execute("UPDATE OR IGNORE Z_PRIMARYKEY SET Z_ENT = \(dice.below(12)) WHERE rowid = \(row)")
    case 3:
      // Without a key, numbers can be there twice.
      database.execute(
        "CREATE TABLE X AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE X RENAME TO Z_PRIMARYKEY; "
          + "UPDATE Z_PRIMARYKEY SET Z_ENT = \(dice.below(6)) WHERE rowid = \(row)")
    default: database.execute("DELETE FROM Z_PRIMARYKEY WHERE rowid = \(row)")
    }
  }

  private static func changeSchema(_ database: Database, _ dice: inout Dice) {
    guard let (table, column) = dice.any(database.columns) else { return }
    let name = "\"\(dice.any(names)!)\""
    switch dice.below(10) {
    case 0: database.execute("DROP TABLE \(table)")
    case 1: database.execute("ALTER TABLE \(table) RENAME TO \(name)")
    case 2: database.execute("ALTER TABLE \(table) RENAME COLUMN \(column) TO \(name)")
    case 3: database.execute("ALTER TABLE \(table) DROP COLUMN \(column)")
    case 4: database.execute("ALTER TABLE \(table) ADD COLUMN \(name) \(dice.any(["INTEGER", "VARCHAR", "BLOB", ""])!)")
    case 5:
      database.execute("DROP TABLE \(table); CREATE VIEW \(table) AS SELECT 1 AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT")
    case 6:
      database.execute(
        "CREATE TRIGGER T\(dice.below(100)) AFTER UPDATE ON \(table) BEGIN DELETE FROM \(table); END")
    case 7:
      // A view whose rows have no end.
      let columns = database.columns.filter { $0.table == table }.map { "x AS \($0.column)" }.joined(separator: ", ")
      database.execute(
        "DROP TABLE \(table); CREATE VIEW \(table) AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
          + "SELECT \(columns) FROM c WHERE x = \(dice.below(3))")
    case 8: database.execute("CREATE TABLE \(name) (Z_PK INTEGER PRIMARY KEY, \(name) BLOB)")
    default:
      database.execute(
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET \(dice.any(["name", "tbl_name", "sql"])!) = "
          + "'\(dice.any(names)!.split(separator: "'").joined())' WHERE rowid = \(dice.below(30))")
    }
  }
}
