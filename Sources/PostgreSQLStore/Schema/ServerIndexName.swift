internal import CoreData
import Foundation

/// The names in a statement that makes an index or a constraint, of which a server keeps only the start.
struct ServerIndexName {
  let bare: String
  /// The table's name as SQL takes it.
  let table: String

  var key: String { ServerIndexName.key(bare, table) }

  /// Returns a key to compare names by: in lower case and as long as the server keeps them.
  static func key(_ name: String, _ table: String) -> String {
    [name, table].map { text in
      cut(text.replacingOccurrences(of: "\"", with: "").lowercased(), to: SQLName.serverLength)
    }.joined(separator: "\n")
  }

  /// The name as the server keeps it.
  private var kept: String {
    ServerIndexName.cut(SQLName.quoted(bare) == bare ? bare.lowercased() : bare, to: SQLName.serverLength)
  }

  init?(_ index: PlannedIndex) {
    if let parts = index.parts, let entity = index.constraint?.entity {
      (bare, table) = (ServerIndexName.unquoted(parts.name[...]).name, entity.table)
      return
    }
    guard let start = index.sql.range(of: "INDEX ")?.upperBound else { return nil }
    let (name, rest) = ServerIndexName.unquoted(index.sql[start...])
    guard let place = rest.range(of: " ON ")?.upperBound else { return nil }
    let (table, _) = ServerIndexName.unquoted(rest[place...])
    (bare, self.table) = (name, SQLName.quoted(table))
  }

  /// The indexes under names that the server tells apart. The first of several that begin alike keeps its name, which
  /// the server cuts, and the others end with a number that their whole names give.
  static func distinct(_ indexes: [PlannedIndex]) -> [PlannedIndex] {
    var taken: Set<String> = []
    return indexes.map { index in
      guard var name = ServerIndexName(index) else { return index }
      if taken.insert(name.kept).inserted { return index }
      let former = name.bare
      var number = SQLName.number(of: former)
      repeat {
        let end = "_\(number)"
        name = ServerIndexName(bare: cut(former, to: SQLName.serverLength - end.utf8.count) + end, table: name.table)
        number &+= 1
      } while !taken.insert(name.kept).inserted
      return index.renamed(from: SQLName.quoted(former), to: SQLName.quoted(name.bare))
    }
  }

  private init(bare: String, table: String) {
    self.bare = bare
    self.table = table
  }

  /// As many whole characters as `length` bytes have room for.
  private static func cut(_ name: String, to length: Int) -> String {
    if name.utf8.count <= length { return name }
    var count = 0
    var kept = ""
    for scalar in name.unicodeScalars {
      count += String(scalar).utf8.count
      if count > length { break }
      kept.unicodeScalars.append(scalar)
    }
    return kept
  }

  /// Splits a text into the name at its start and the rest.
  private static func unquoted(_ text: Substring) -> (name: String, rest: Substring) {
    guard text.first == "\"" else {
      let end = text.firstIndex(of: " ") ?? text.endIndex
      return (String(text[..<end]), text[end...])
    }
    var name = ""
    var rest = text.dropFirst()
    while let end = rest.firstIndex(of: "\"") {
      name += rest[..<end]
      rest = rest[rest.index(after: end)...]
      guard rest.first == "\"" else { break }
      name += "\""
      rest = rest.dropFirst()
    }
    return (name, rest)
  }
}

extension PlannedIndex {
  fileprivate func renamed(from former: String, to name: String) -> PlannedIndex {
    var (sql, parts) = (self.sql, self.parts)
    parts?.name = name
    if let place = sql.range(of: "INDEX \(former) ON ") { sql.replaceSubrange(place, with: "INDEX \(name) ON ") }
    return PlannedIndex(sql: sql, constraint: constraint, parts: parts)
  }
}
