/// Swift, as far as colours need it. Names that begin with a capital letter count as types.
struct SwiftLexer: Lexer {
  /// What surrounds the current position: strings, and code that is interpolated into them. The innermost is last.
  private enum Surrounding {
    /// A string that ends with `mark` and `hashes`. Its backslashes are followed by `hashes` too.
    case string(mark: String, hashes: String)
    /// An interpolation that ends with its closing parenthesis. `open` is the number of parentheses that are open
    /// inside.
    case interpolation(open: Int)
  }

  private var surroundings: [Surrounding] = []

  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    if case .string(let mark, let hashes) = surroundings.last {
      return skipString(in: &scanner, mark: mark, hashes: hashes)
    }
    return skipCode(in: &scanner)
  }

  /// Skips to the end of the string, or into the code of the next interpolation.
  private mutating func skipString(in scanner: inout CodeScanner, mark: String, hashes: String) -> Token.Kind {
    while let next = scanner.next {
      if scanner.skip(mark + hashes) {
        surroundings.removeLast()
        return .string
      }
      if scanner.skip("\\" + hashes) {
        if scanner.skip("(") {
          surroundings.append(.interpolation(open: 0))
          return .string
        }
        if scanner.next?.isNewline == false { scanner.advance() }
      } else if next.isNewline, mark.count == 1 {
        // The string wasn't closed. The rest of the file isn't part of it.
        surroundings.removeLast()
        return .string
      } else {
        scanner.advance()
      }
    }
    return .string
  }

  private mutating func skipCode(in scanner: inout CodeScanner) -> Token.Kind {
    if scanner.rest.hasPrefix("//") {
      scanner.skipLine()
      return .comment
    }
    if scanner.skip("/*") {
      skipComment(in: &scanner)
      return .comment
    }
    guard let next = scanner.next else { return .plain }
    switch next {
    case "\"", "#": return skipMark(in: &scanner)
    case "@":
      scanner.advance()
      scanner.skip(while: \.continuesIdentifier)
      return .attribute
    case "`":
      scanner.skipQuoted("`", escape: "\\")
      return .plain
    case "(", ")": return skipParenthesis(next, in: &scanner)
    case _ where next.isNumber:
      scanner.skipNumber()
      return .number
    case _ where next.beginsIdentifier: return skipWord(in: &scanner)
    default:
      scanner.advance()
      return .plain
    }
  }

  /// Comments may be nested.
  private func skipComment(in scanner: inout CodeScanner) {
    var open = 1
    while !scanner.isAtEnd, open > 0 {
      if scanner.skip("/*") {
        open += 1
      } else if scanner.skip("*/") {
        open -= 1
      } else {
        scanner.advance()
      }
    }
  }

  /// The beginning of a string, or a word such as `#if` or `#selector`.
  private mutating func skipMark(in scanner: inout CodeScanner) -> Token.Kind {
    let start = scanner.position
    scanner.skip { $0 == "#" }
    let hashes = String(scanner.slice(from: start))
    if let mark = ["\"\"\"", "\""].first(where: { scanner.skip($0) }) {
      surroundings.append(.string(mark: mark, hashes: hashes))
      return .string
    }
    scanner.skip(while: \.continuesIdentifier)
    return .keyword
  }

  private mutating func skipParenthesis(_ character: Character, in scanner: inout CodeScanner) -> Token.Kind {
    scanner.advance()
    guard case .interpolation(let open) = surroundings.last else { return .plain }
    surroundings.removeLast()
    if character == "(" {
      surroundings.append(.interpolation(open: open + 1))
    } else if open > 0 {
      surroundings.append(.interpolation(open: open - 1))
    } else {
      return .string
    }
    return .plain
  }

  private func skipWord(in scanner: inout CodeScanner) -> Token.Kind {
    let isMember = scanner.previous == "."
    let start = scanner.position
    scanner.skip(while: \.continuesIdentifier)
    let word = String(scanner.slice(from: start))
    if Self.keywords.contains(word) {
      // `.default` is a member, but `label.self` and `Type.init` are keywords. A keyword before a colon is a label.
      if isMember, !["self", "Type", "init"].contains(word) { return .plain }
      if scanner.next == ":", !["default", "self", "nil", "true", "false"].contains(word) { return .plain }
      return .keyword
    }
    return word.first?.isUppercase == true ? .type : .plain
  }

  private static let keywords: Set<String> = [
    "Any", "Self", "actor", "any", "as", "associatedtype", "async", "await", "borrowing", "break", "case", "catch",
    "class", "consuming", "continue", "convenience", "default", "defer", "deinit", "didSet", "do", "dynamic", "else",
    "enum", "extension", "fallthrough", "false", "fileprivate", "final", "for", "func", "get", "guard", "if", "import",
    "in", "indirect", "init", "inout", "internal", "is", "isolated", "lazy", "let", "mutating", "nil", "nonisolated",
    "nonmutating", "open", "operator", "override", "package", "precedencegroup", "private", "protocol", "public",
    "repeat", "required", "rethrows", "return", "self", "sending", "set", "some", "static", "struct", "subscript",
    "super", "switch", "throw", "throws", "true", "try", "typealias", "unowned", "var", "weak", "where", "while",
    "willSet",
  ]
}
