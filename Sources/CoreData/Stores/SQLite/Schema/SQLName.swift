/// Names of tables and columns.
package enum SQLName {
  /// The name for use in SQL: in quotes if it has characters that a plain name can't have.
  package static func quoted(_ name: String) -> String {
    name.utf8.allSatisfy(isPlain) && !name.isEmpty
      ? name : "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  /// Whether a name with this byte needs no quotes for it. SQLite takes all bytes from 128 on for letters.
  static func isPlain(_ byte: UInt8) -> Bool {
    byte == 95 || byte >= 128 || 48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte
  }

  /// The name as a text literal.
  package static func literal(_ name: String) -> String { "'" + name.replacingOccurrences(of: "'", with: "''") + "'" }

  /// The name in capitals. Nearly all names in a file already are, and checking that is cheaper than making a copy.
  package static func inCapitals(_ name: String) -> String {
    name.utf8.allSatisfy { $0 < 97 } ? name : name.uppercased()
  }

  /// How many bytes of a name a PostgreSQL server keeps.
  package static let serverLength = 63

  /// A number out of all bytes of a name (FNV-1a), which tells long names apart where they are cut.
  package static func number(of name: String) -> UInt64 {
    name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  static func table(_ root: EntityLayout) -> String { "Z" + root.name.uppercased() }

  static func column(_ property: LayoutProperty) -> String { "Z" + property.ownName.uppercased() }

  /// Whether `name` is `prefix`, a number, `rest`, and perhaps a number after it.
  static func matches(_ name: String, prefix: String, rest: String) -> Bool {
    guard name.hasPrefix(prefix) else { return false }
    let middle = name.dropFirst(prefix.count).drop(while: \.isASCIIDigit)
    guard middle.hasPrefix(rest) else { return false }
    return middle.dropFirst(rest.count).allSatisfy(\.isASCIIDigit)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// Gives out each name once; a name that is already taken gets a number.
struct UniqueNames {
  private var taken: Set<String>

  init(_ taken: [String] = [], minimumCapacity: Int = 0) {
    self.taken = Set(minimumCapacity: taken.count + minimumCapacity)
    self.taken.formUnion(taken)
  }

  mutating func name(_ wanted: String) -> String {
    var name = wanted
    var number = 0
    while !taken.insert(name).inserted {
      number += 1
      name = "\(wanted)\(number)"
    }
    return name
  }

  /// Takes a name. Returns false if it is already taken.
  mutating func take(_ name: String) -> Bool { taken.insert(name).inserted }
}
