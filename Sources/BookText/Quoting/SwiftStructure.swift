import SwiftTokens

/// Finds the declarations of a Swift file and their lines from its tokens.
///
/// It finds types and their members at any depth, but doesn't look into functions and initial values.
public struct SwiftStructure: Sendable {
  public struct Declaration: Sendable {
    /// `class`, `extension`, `func`, `var`, …
    public let kind: String
    /// The name with the types around it: `NSManagedObjectContext.fetch(_:)`.
    public let path: String
    /// The lines from the first attribute or modifier to the end, counted from 1. Comments above don't belong to it.
    public let lines: ClosedRange<Int>

    /// Kind and name: `class CoreDataStack`.
    public var label: String { "\(kind) \(path)" }
  }

  /// The declarations, ordered by their beginning. A type comes before its members.
  public private(set) var declarations: [Declaration] = []

  private let tokens: [SwiftToken]
  private var position = 0

  public init(_ source: String) {
    tokens = SwiftTokenizer.tokens(of: source)
    scope("")
  }

  /// The declarations with a name: `Type.member`, `Type.method(label:_:)`, or `Type.method` for all methods with that
  /// name.
  public func declarations(named name: String) -> [Declaration] {
    let exact = declarations.filter { $0.path == name }
    if !exact.isEmpty || name.hasSuffix(")") { return exact }
    return declarations.filter { $0.path.hasPrefix(name + "(") }
  }

  /// The innermost declaration that contains these lines and more.
  public func declaration(around lines: ClosedRange<Int>) -> Declaration? {
    declarations.last {
      $0.lines.lowerBound <= lines.lowerBound && $0.lines.upperBound >= lines.upperBound && $0.lines != lines
    }
  }

  // MARK: Scanning

  private static let types: Set = ["class", "struct", "enum", "actor", "extension", "protocol"]
  private static let members: Set = [
    "func", "var", "let", "init", "deinit", "subscript", "case", "typealias", "associatedtype", "import",
    "precedencegroup",
  ]
  private static let continuations: Set = ["throws", "rethrows", "async", "where", "as", "is", "else", "in"]

  private var token: SwiftToken { tokens[position] }

  /// Stays at the last token, in case the file ends in the middle of something.
  private mutating func advance(_ count: Int = 1) { position = min(position + count, tokens.count - 1) }

  /// The greatest depth of nested types, because reading them is recursive. Deeper types are skipped.
  private static let deepestScope = 100

  /// Reads to the brace that closes the scope, or to the end of the file.
  private mutating func scope(_ path: String, depth: Int = 0) {
    var start: Int?
    while token.kind != .end, !token.isPunctuation("}") {
      if token.kind == .directive {
        skipLine()
        start = nil
        continue
      }
      let begin = start ?? token.line
      if token.isPunctuation("@") {
        start = begin
        advance(2)
        while token.isPunctuation(".") { advance(2) }
        if token.isPunctuation("("), !token.beginsLine { skipGroup() }
      } else if token.kind == .word, !token.isQuoted, isType {
        type(path, from: begin, depth)
        start = nil
      } else if token.kind == .word, !token.isQuoted, Self.members.contains(token.text) {
        member(path, from: begin)
        start = nil
      } else if token.kind == .word {
        // A modifier, perhaps with an argument. In a file of statements it may be a statement.
        start = begin
        advance()
        if token.isPunctuation("("), !token.beginsLine { skipGroup() }
      } else {
        start = nil
        if "([{".contains(token.text), token.kind == .punctuation { skipGroup() } else { advance() }
      }
    }
  }

  /// `class` begins a type unless the keyword of a member, or another modifier, follows.
  private var isType: Bool {
    guard Self.types.contains(token.text), position + 1 < tokens.count else { return false }
    let next = tokens[position + 1]
    return next.kind == .word
      && (next.isQuoted
        || !(Self.members.contains(next.text)
          || ["override", "final", "private", "internal", "public"].contains(next.text)))
  }

  private mutating func type(_ path: String, from begin: Int, _ depth: Int) {
    let kind = token.text
    advance()
    var name = ""
    while token.kind == .word || token.isPunctuation(".") {
      if token.isWord("where") || token.beginsLine { break }
      name += token.text
      advance()
    }
    let place = declarations.count
    while token.kind != .end, !token.isPunctuation("{") {
      if "([".contains(token.text), token.kind == .punctuation { skipGroup() } else { advance() }
    }
    guard token.kind != .end else { return }
    if depth >= Self.deepestScope { return skipGroup() }
    advance()
    let full = path.isEmpty ? name : "\(path).\(name)"
    scope(full, depth: depth + 1)
    declarations.insert(Declaration(kind: kind, path: full, lines: begin...max(begin, token.lastLine)), at: place)
    if token.kind != .end { advance() }
  }

  private mutating func member(_ path: String, from begin: Int) {
    let kind = token.text
    var name = kind
    advance()
    if !["init", "deinit", "subscript"].contains(kind) {
      name = ""
      // Operators consist of punctuation.
      repeat {
        name += token.text
        advance()
      } while kind == "func" && !token.isPunctuation("(") && !token.isPunctuation("<") && token.kind == .punctuation
    }
    if ["func", "init", "subscript"].contains(kind) {
      if token.isPunctuation("?") || token.isPunctuation("!") { advance() }
      if token.isPunctuation("<") { skipAngles() }
      if token.isPunctuation("(") { name += labels() }
    }
    let end = endOfDeclaration()
    let full = path.isEmpty ? name : "\(path).\(name)"
    declarations.append(Declaration(kind: kind, path: full, lines: begin...max(begin, end)))
  }

  /// Skips the rest of the declaration: up to a token that begins a line outside of all groups and doesn't continue the
  /// line before.
  private mutating func endOfDeclaration() -> Int {
    var end = tokens[position - 1].lastLine
    while token.kind != .end, token.kind != .directive, !token.isPunctuation("}"), !token.isPunctuation(";") {
      if token.beginsLine, !continues, !isOpenEnded(tokens[position - 1]) { break }
      if "([{".contains(token.text), token.kind == .punctuation {
        skipGroup()
        end = tokens[position - 1].lastLine
      } else {
        end = token.lastLine
        advance()
      }
    }
    if token.isPunctuation(";") { advance() }
    return end
  }

  private var continues: Bool {
    switch token.kind {
    case .punctuation: token.text != "@"
    case .word: !token.isQuoted && Self.continuations.contains(token.text)
    default: false
    }
  }

  /// Whether a line that ends with this token must continue.
  private func isOpenEnded(_ token: SwiftToken) -> Bool { token.kind == .punctuation && "=,:&|+".contains(token.text) }

  /// Reads labels such as `(_:forKey:)`.
  private mutating func labels() -> String {
    let first = position
    skipGroup()
    var labels = ""
    var depth = 0
    var wantsLabel = true
    for token in tokens[first..<position] {
      if token.kind == .punctuation, "([{<".contains(token.text) { depth += 1 }
      if token.kind == .punctuation, ")]}".contains(token.text) { depth -= 1 }
      // The `>` of an arrow closes nothing.
      if token.isPunctuation(">"), depth > 1 { depth -= 1 }
      if depth == 1, token.isPunctuation(",") { wantsLabel = true }
      if depth == 1, wantsLabel, token.kind == .word {
        labels += token.text + ":"
        wantsLabel = false
      }
    }
    return "(\(labels))"
  }

  /// Skips from an opening bracket to behind its end.
  private mutating func skipGroup() {
    var depth = 0
    repeat {
      if token.kind == .punctuation, "([{".contains(token.text) { depth += 1 }
      if token.kind == .punctuation, ")]}".contains(token.text) { depth -= 1 }
      advance()
    } while depth > 0 && token.kind != .end
  }

  private mutating func skipAngles() {
    var depth = 0
    repeat {
      if token.isPunctuation("<") { depth += 1 }
      if token.isPunctuation(">") { depth -= 1 }
      advance()
    } while depth > 0 && token.kind != .end
  }

  private mutating func skipLine() {
    repeat { advance() } while token.kind != .end && !token.beginsLine
  }
}
