extension SwiftSourceScanner {
  /// How deep types may nest to be understood. The scanner recurses into them, and mangling looks at the levels below
  /// each level twice.
  private static let deepestType = 12

  mutating func readType() -> TypeSyntax {
    guard typeDepth < Self.deepestType else {
      position += 1
      return .other("a type that is nested too deep")
    }
    typeDepth += 1
    defer { typeDepth -= 1 }
    while current.isWord("any") || current.isWord("some") || current.isWord("inout")
      || current.isPunctuation("@")
    {
      position += current.isPunctuation("@") ? 2 : 1
    }
    var type = readPrimaryType()
    var marks = 0
    while current.isPunctuation("?") || current.isPunctuation("!") {
      if marks < Self.deepestType { type = .optional(type) }
      marks += 1
      position += 1
    }
    if current.isPunctuation("-"), next.isPunctuation(">") {
      position += 2
      return .other("\(type.text) -> \(readType().text)")
    }
    if current.isPunctuation("&") {
      position += 1
      return .other("\(type.text) & \(readType().text)")
    }
    return type
  }

  private mutating func readPrimaryType() -> TypeSyntax {
    if current.isPunctuation("[") {
      position += 1
      let first = readType()
      var result = TypeSyntax.array(first)
      if current.isPunctuation(":") {
        position += 1
        result = .dictionary(first, readType())
      }
      if current.isPunctuation("]") { position += 1 }
      return result
    }
    if current.isPunctuation("(") {
      position += 1
      var elements: [TypeSyntax] = []
      while current.kind != .end, !current.isPunctuation(")") {
        elements.append(readType())
        if current.isPunctuation(":") {
          // A tuple's label.
          position += 1
          elements[elements.count - 1] = .other("labelled tuple")
          _ = readType()
        }
        guard current.isPunctuation(",") else { break }
        position += 1
      }
      if current.isPunctuation(")") { position += 1 }
      return elements.count == 1 ? elements[0] : .tuple(elements)
    }
    guard current.kind == .word else { return .other(current.text) }
    var path = [current.text]
    position += 1
    var arguments: [TypeSyntax] = []
    while true {
      if current.isPunctuation("<"), arguments.isEmpty {
        position += 1
        while current.kind != .end {
          arguments.append(readType())
          guard current.isPunctuation(",") else { break }
          position += 1
        }
        if current.isPunctuation(">") { position += 1 }
      } else if current.isPunctuation("."), next.kind == .word {
        path.append(next.text)
        position += 2
      } else {
        return .name(path, arguments: arguments)
      }
    }
  }
}
