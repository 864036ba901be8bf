/// Swift, as far as colours need it. Names that begin with a capital letter are taken for types.
struct SwiftLexer: Lexer {
  /// What is around this place, the innermost last: strings, and the code that is interpolated into them.
  private enum Surrounding {
    /// `mark` ends it; `hashes` stand behind its marks and its backslashes.
    case string(mark: String, hashes: String)
    /// Ends with the parenthesis that closes; so many are open inside of it.
    case interpolation(open: Int)
  }

  private var surroundings: [Surrounding] = []

  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    if case .string(let mark, let hashes) = surroundings.last {
      return skipString(in: &scanner, mark: mark, hashes: hashes)
    }
    return skipCode(in: &scanner)
  }

  /// Moves to the end of the string, or into the code of the next interpolation.
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
        // It was not closed; the rest of the file is no string for that.
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

  /// Comments may stand in comments.
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

  /// A string begins, or something like `#if` and `#selector`.
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
      // `.default` is a member; `label.self` and `Type.init` are keywords all the same. Before a colon it is a label.
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
