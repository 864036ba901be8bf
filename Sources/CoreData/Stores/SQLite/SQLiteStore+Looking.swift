/// For the package's own tools: a promise that nobody writes to the file while the store is open. A read-only
/// store then reads the very file, write-ahead log or not, and SQLite makes nothing beside it. What a log
/// holds is not seen.
package let immutableStoreFileOption = "StrataImmutableStoreFile"

extension SQLiteStore {
  /// The address under which SQLite opens a file that doesn't change.
  static func immutableAddress(of url: URL) -> String {
    var address = URLComponents()
    address.scheme = "file"
    address.path = url.path
    address.queryItems = [URLQueryItem(name: "immutable", value: "1")]
    return address.string ?? url.absoluteString
  }
}

extension NSPersistentStore {
  /// Each table that the store keeps its objects and links in, with the columns that it uses, in capitals.
  /// Empty for stores without tables.
  package final var columnsInUse: [String: Set<String>] {
    guard let schema = (self as? SQLiteStore)?.schema else { return [:] }
    var columns: [String: Set<String>] = [:]
    func add(_ names: [String?], to table: String) {
      columns[plain(table), default: []].formUnion(names.compactMap { $0.map(plain) })
    }
    func plain(_ name: String) -> String {
      guard name.hasPrefix("\"") else { return name.uppercased() }
      return name.dropFirst().dropLast().replacingOccurrences(of: "\"\"", with: "\"").uppercased()
    }
    for entity in schema.entities.compactMap({ $0 }) {
      add(["Z_PK", "Z_ENT", "Z_OPT"], to: entity.table)
      for slot in entity.slots.compactMap({ $0 }) {
        add([slot.name, slot.entityName, slot.orderName], to: entity.table)
      }
      for case .hiddenKey(let table, let column, let order) in entity.toMany {
        add([column, order], to: table)
      }
    }
    for join in schema.joins {
      add([join.first, join.second, join.firstOrder, join.secondOrder], to: join.name)
    }
    return columns
  }

  /// The table of each entity that the store holds, as SQL names it; empty for stores without tables.
  package final var entityTables: [String: String] {
    guard let schema = (self as? SQLiteStore)?.schema else { return [:] }
    return Dictionary(
      schema.entities.compactMap { $0 }.map { ($0.layout.name, $0.table) }, uniquingKeysWith: { first, _ in first })
  }

  /// Z_ENT of each entity that the store holds; empty for stores without tables.
  package final var entityNumbers: [String: Int] {
    guard let schema = (self as? SQLiteStore)?.schema else { return [:] }
    return Dictionary(
      schema.entities.compactMap { $0 }.map { ($0.layout.name, $0.number) },
      uniquingKeysWith: { first, _ in first })
  }
}
