import Foundation

/// A class whose Swift key paths have names that it knows itself.
protocol KeyPathNaming: AnyObject {
  /// The properties' names along `keyPath`; nil if it does not know them.
  static func names(of keyPath: AnyKeyPath) -> [String]?
}

/// The names of the properties along a Swift key path.
///
/// The language has no way to ask for them; a key path describes itself, though:
/// `\Book.author?.name`. For a property that is computed, as all `@NSManaged` ones are, the description has
/// the address of its getter instead of its name, and the getter's symbol has the name.
enum KeyPathNames {
  // Under `lock`: key paths are few, descriptions and symbol look-ups slow.
  nonisolated(unsafe) private static var known: [AnyKeyPath: [String]] = [:]
  private static let lock = NSLock()

  /// Throws `Failure.malformedFetchRequest` for a key path whose names can't be found, such as one through a
  /// subscript, or in a program without symbols.
  static func path(of keyPath: AnyKeyPath) throws -> [String] {
    if let names = lock.withLock({ known[keyPath] }) { return names }
    let names = try find(keyPath)
    lock.withLock { known[keyPath] = names }
    return names
  }

  private static func find(_ keyPath: AnyKeyPath) throws -> [String] {
    if let owner = type(of: keyPath).rootType as? any KeyPathNaming.Type, let names = owner.names(of: keyPath)
    {
      return names
    }
    if let text = keyPath._kvcKeyPathString { return text.split(separator: ".").map(String.init) }
    let description = "\(keyPath)"
    if let names = names(in: description) { return names }
    throw SortKey.unsupported(
      "the key path \(description) has no name that could be found; use NSSortDescriptor(key:ascending:)")
  }

  /// Reads a description such as `\Book.<computed 0x000055e68b0866f0 (Optional<String>)>?.name`.
  static func names(in description: String) -> [String]? {
    var names: [String] = []
    // The root type's name may have dots; the description starts with it as the key path prints it.
    guard let start = description.firstIndex(of: ".") else { return nil }
    var rest = description[start...]
    while !rest.isEmpty {
      rest = rest.drop { $0 == "." || $0 == "?" || $0 == "!" }
      if rest.isEmpty { break }
      if rest.hasPrefix("<computed 0x") {
        let digits = rest.dropFirst("<computed 0x".count).prefix { $0.isHexDigit }
        guard let address = UInt(digits, radix: 16), let name = SymbolNames.property(getterAt: address),
          let end = endOfAngle(rest)
        else { return nil }
        names.append(name)
        rest = rest[end...]
      } else {
        let name = rest.prefix { $0 != "." && $0 != "?" && $0 != "!" }
        guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
        names.append(String(name))
        rest = rest.dropFirst(name.count)
      }
    }
    return names.isEmpty ? nil : names
  }

  /// Behind the `>` that closes the first `<`.
  private static func endOfAngle(_ text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.indices {
      if text[index] == "<" { depth += 1 }
      if text[index] == ">" {
        depth -= 1
        if depth == 0 { return text.index(after: index) }
      }
    }
    return nil
  }
}
