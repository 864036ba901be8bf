/// A type as source code spells it.
indirect enum TypeSyntax: Hashable {
  /// `Foundation.Date`, `Set<Child>`.
  case name([String], arguments: [TypeSyntax])
  /// `T?`. Also `T!`, which has the same symbol.
  case optional(TypeSyntax)
  case array(TypeSyntax)
  case dictionary(TypeSyntax, TypeSyntax)
  /// `()`, or a tuple of two or more elements.
  case tuple([TypeSyntax])
  /// A type that isn't understood, such as a function type.
  case other(String)

  /// The type as source code, with `T?` for `T!`.
  var text: String {
    switch self {
    case .name(let path, let arguments):
      let list = arguments.isEmpty ? "" : "<\(arguments.map(\.text).joined(separator: ", "))>"
      return path.map(quoteIfKeyword).joined(separator: ".") + list
    case .optional(let wrapped):
      if case .other = wrapped { return "(\(wrapped.text))?" }
      return wrapped.text + "?"
    case .array(let element): return "[\(element.text)]"
    case .dictionary(let key, let value): return "[\(key.text): \(value.text)]"
    case .tuple(let elements): return "(\(elements.map(\.text).joined(separator: ", ")))"
    case .other(let text): return text
    }
  }
}

/// A name, in backquotes if it is a keyword.
func quoteIfKeyword(_ name: String) -> String { swiftKeywords.contains(name) ? "`\(name)`" : name }

/// A class's name within its module, with each keyword in backquotes: `Shelf.`default``.
func quoteKeywords(inPath path: String) -> String {
  path.split(separator: ".").map { quoteIfKeyword(String($0)) }.joined(separator: ".")
}

private let swiftKeywords: Set<String> = [
  "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
  "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows",
  "static", "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default",
  "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch",
  "where", "while", "as", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
  "Protocol",
]
