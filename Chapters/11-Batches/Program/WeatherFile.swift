import ChapterSupport
import Foundation
import StoreFileReader

/// The store's file, asked by a connection that has nothing to do with the stack.
struct WeatherFile {
  let url: URL

  /// `01-02 04:00`, from the seconds since 2001 that the column has.
  private static let time = "strftime('%m-%d %H:%M', ZTIME + 978307200, 'unixepoch')"

  /// The rows of readings, as they are.
  func showReadings(where condition: String = "1") throws {
    let columns = "Z_PK, ZSTATIONCODE, ZTIME, ZCELSIUS, ZISCHECKED, ZSTATION, Z_OPT"
    let rows = try StoreFileReader(contentsOf: url)
      .rows(
        "SELECT Z_PK, ZSTATIONCODE, \(Self.time), ZCELSIUS, ZISCHECKED, ZSTATION, Z_OPT FROM ZREADING "
          + "WHERE \(condition) ORDER BY Z_PK")
    Output.table([columns.components(separatedBy: ", ")] + rows.map { $0.map(\.description) })
  }

  /// What `sql` selects, a row in one line.
  func line(_ sql: String) throws -> String {
    try StoreFileReader(contentsOf: url).rows(sql)
      .map { $0.map(\.description).joined(separator: ", ") }.joined(separator: "; ")
  }

  /// A reading's row in a few words.
  func reading(_ code: String, _ time: String) throws -> String {
    try line(
      "SELECT ZCELSIUS || ' degrees', 'checked ' || ZISCHECKED, 'version ' || Z_OPT FROM ZREADING "
        + "WHERE ZSTATIONCODE = '\(code)' AND \(Self.time) = '\(time)'")
  }

  /// The visits whose station is no row: Z_PK, technician, and the key that leads nowhere.
  func lostVisits() throws -> String {
    try line(
      "SELECT Z_PK, ZTECHNICIAN, ZSTATION FROM ZVISIT WHERE ZSTATION NOT IN (SELECT Z_PK FROM ZSTATION)")
  }

  func rowCount(of table: String) throws -> Int { try StoreFileReader(contentsOf: url).rowCount(of: table) }

  func integer(_ sql: String) throws -> Int { Int(try StoreFileReader(contentsOf: url).integer(sql)) }

  func counts() throws -> String {
    try [("ZSTATION", "station"), ("ZREADING", "reading"), ("ZREMARK", "remark"), ("ZVISIT", "visit")]
      .map { Output.count(try rowCount(of: $0.0), $0.1) }.joined(separator: ", ")
  }
}
