import CoreData
import StoreFileReader

/// What a store's file says about itself, whichever framework wrote it: everything but the objects' rows.
public struct StoreShape {
  /// The statements that made tables and indexes, in the order in which SQLite keeps them.
  public var schema: [String] = []
  /// The rows of Z_PRIMARYKEY.
  public var primaryKeys: [[String]] = []
  /// Entity to 64 hexadecimal digits.
  public var versionHashes: [String: String] = [:]
  /// The rest of the metadata as text.
  public var metadata: [String: String] = [:]
  /// What the first hundred bytes of the file say, by the names that SQLite has for it.
  public var header: [String: String] = [:]

  /// A table's or an index's name, and what is between the outermost parentheses.
  public struct Definition: Equatable {
    public let name: String
    /// `TABLE`, `INDEX`, `UNIQUE INDEX`.
    public let kind: String
    public let parts: [String]

    public var columns: [String] { parts.filter { !$0.hasPrefix("PRIMARY KEY") } }
  }

  public var tables: [Definition] { definitions.filter { $0.kind == "TABLE" } }
  public var indexes: [Definition] { definitions.filter { $0.kind != "TABLE" } }
  public var definitions: [Definition] { schema.compactMap(Self.definition) }

  /// `CREATE TABLE ZROOM ( Z_PK INTEGER PRIMARY KEY, … )`, taken apart; nil for what is neither.
  static func definition(_ statement: String) -> Definition? {
    guard let open = statement.firstIndex(of: "("), let close = statement.lastIndex(of: ")") else {
      return nil
    }
    let head = statement[..<open].split(separator: " ").map(String.init)
    guard head.count >= 3 else { return nil }
    let isTable = head[1] == "TABLE"
    var depth = 0
    var parts = [""]
    for character in statement[statement.index(after: open)..<close] {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
    }
    parts = parts.map { $0.trimmingCharacters(in: .whitespaces) }
    // An index names its table behind its own name.
    if !isTable { parts.insert(head[head.count - 1], at: 0) }
    let name = isTable ? head[2] : head[head.count - 3]
    let kind = head[1..<(isTable ? 2 : head.count - 3)].joined(separator: " ")
    return Definition(name: name, kind: kind, parts: parts)
  }
}

extension StoreShape {
  //> read
  /// Reads it with a connection that knows SQLite and nothing of Core Data.
  public init(of file: StoreFileReader) throws {
    schema = try file.rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
      .map { $0[0].description }
    primaryKeys = try file.rows("SELECT * FROM Z_PRIMARYKEY ORDER BY Z_ENT")
      .map { $0.map(\.description) }
    for name in ["page_size", "auto_vacuum", "encoding", "user_version", "application_id"] {
      header[name] = try file.rows("PRAGMA \(name)").first?.first?.description
    }
    header["journal_mode"] = try Self.journalMode(ofFileAt: file.url)
    for (key, value) in try Self.plist(of: file) {
      if key == NSStoreModelVersionHashesKey {
        versionHashes = (value as? [String: Data] ?? [:]).mapValues(\.hex)
      } else {
        metadata[key] = Self.text(value)
      }
    }
  }

  /// The property list in Z_METADATA.
  static func plist(of file: StoreFileReader) throws -> [String: Any] {
    guard case .blob(let data)? = try file.rows("SELECT Z_PLIST FROM Z_METADATA").first?.first,
      let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        as? [String: Any]
    else { throw FileFailure("\(file.url.path) has no property list in Z_METADATA.") }
    return list
  }
  //< read

  /// Bytes 18 and 19 say whether the file is written with a write-ahead log. To ask SQLite would be to
  /// ask for the journal of the connection, and one that only looks may have none.
  private static func journalMode(ofFileAt url: URL) throws -> String {
    let handle = try FileHandle(forReadingFrom: url)
    defer { try? handle.close() }
    let bytes = try handle.read(upToCount: 20) ?? Data()
    return bytes.count == 20 && bytes[18] == 2 && bytes[19] == 2 ? "wal" : "delete"
  }

  private static func text(_ value: Any) -> String {
    guard let list = value as? [Any] else { return "\(value)" }
    return "[" + list.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }
}
