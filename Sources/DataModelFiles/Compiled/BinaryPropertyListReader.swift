/// Reads a binary property list ("bplist00") as a tree of values.
public enum BinaryPropertyListReader {
  public static func read(_ bytes: [UInt8]) throws -> PropertyList {
    let table = try PropertyListTable(bytes)
    return try value(table.top, of: table, depth: 0)
  }

  private static func value(_ node: Int, of table: PropertyListTable, depth: Int) throws -> PropertyList {
    if let scalar = table.scalar(node) { return scalar }
    // The depth ends cycles; a keyed archive needs four levels.
    guard depth < 100 else { throw PropertyListError(description: "the property list is damaged") }
    let extent = table.extent(of: node)
    guard table.kind(of: node) == .dictionary else {
      return .array(
        try (0..<extent.count).map { try value(table.element($0, of: extent), of: table, depth: depth + 1) })
    }
    var dictionary: [String: PropertyList] = [:]
    dictionary.reserveCapacity(extent.count)
    for position in 0..<extent.count {
      guard let key = table.string(table.element(position, of: extent)) else { continue }
      dictionary[key] = try value(
        table.element(extent.count + position, of: extent), of: table, depth: depth + 1)
    }
    return .dictionary(dictionary)
  }
}
