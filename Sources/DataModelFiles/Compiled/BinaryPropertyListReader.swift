/// Reads a binary property list ("bplist00") as a tree of values.
public enum BinaryPropertyListReader {
  public static func read(_ bytes: [UInt8]) throws -> PropertyList {
    let table = try bytes.withUnsafeBytes(PropertyListTable.init)
    // If many containers share one, it becomes many values. Without a budget, a small file could use up all memory.
    var budget = 16 * bytes.count + 1 << 24
    return try value(table.top, of: table, depth: 0, &budget)
  }

  private static func value(
    _ node: Int, of table: PropertyListTable, depth: Int, _ budget: inout Int
  ) throws -> PropertyList {
    budget -= 16
    guard budget >= 0 else {
      throw PropertyListError(
        description: "the property list repeats its values so often that they would fill the memory")
    }
    if let size = table.size(of: node) {
      budget -= size
      guard budget >= 0, let scalar = table.scalar(node) else {
        throw PropertyListError(description: "the property list is damaged")
      }
      return scalar
    }
    // The limit on the depth ends cycles. A keyed archive needs four levels.
    guard depth < 100 else { throw PropertyListError(description: "the property list is nested more than 100 deep") }
    let extent = table.extent(of: node)
    guard table.kind(of: node) == .dictionary else {
      return .array(
        try (0..<extent.count).map {
          try value(table.element($0, of: extent), of: table, depth: depth + 1, &budget)
        })
    }
    var dictionary: [String: PropertyList] = [:]
    dictionary.reserveCapacity(extent.count)
    for position in 0..<extent.count {
      guard let key = table.string(table.element(position, of: extent)) else { continue }
      dictionary[key] = try value(
        table.element(extent.count + position, of: extent), of: table, depth: depth + 1, &budget)
    }
    return .dictionary(dictionary)
  }
}
