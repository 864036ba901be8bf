/// How a key path prints itself: `\Book.author?.name`. For a property that is computed, as all `@NSManaged` ones are,
/// the description has the address of its getter instead of its name, and the getter's symbol has the name.
enum KeyPathDescription {
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

  /// The place after the `>` that closes the first `<`.
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
