import SwiftTokens

/// The declarations of a Swift file and the lines they take, found from its tokens.
///
/// Types and their members are found to any depth; what stands inside functions and initial values is not looked
/// into.
public struct SwiftStructure: Sendable {
  public struct Declaration: Sendable {
    /// `class`, `extension`, `func`, `var`, …
    public let kind: String
    /// With the types around it: `NSManagedObjectContext.fetch(_:)`.
    public let path: String
    /// From the first attribute or modifier to the end; numbered from 1. Comments above are outside.
    public let lines: ClosedRange<Int>

    /// `class CoreDataStack`
    public var label: String { "\(kind) \(path)" }
  }

  /// In the order of their beginnings; a type comes before its members.
  public private(set) var declarations: [Declaration] = []

  private let tokens: [SwiftToken]
  private var position = 0

  public init(_ source: String) {
    tokens = SwiftTokenizer.tokens(of: source)
    scope("")
  }

  /// The declarations that a name means: `Type.member`, `Type.method(label:_:)` or `Type.method` for all of them.
  public func declarations(named name: String) -> [Declaration] {
    let exact = declarations.filter { $0.path == name }
    if !exact.isEmpty || name.hasSuffix(")") { return exact }
    return declarations.filter { $0.path.hasPrefix(name + "(") }
  }

  /// The innermost declaration around these lines that is larger than they are.
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

  /// The token of the end stays where it is, in a file that ends in the middle of something.
  private mutating func advance(_ count: Int = 1) { position = min(position + count, tokens.count - 1) }

  /// Types that nest deeper than this are passed over: reading recurses.
  private static let deepestScope = 100

  /// Until the brace that closes the scope, or the end of the file.
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
        // A modifier, maybe with an argument; in a file of statements, a statement.
        start = begin
        advance()
        if token.isPunctuation("("), !token.beginsLine { skipGroup() }
      } else {
        start = nil
        if "([{".contains(token.text), token.kind == .punctuation { skipGroup() } else { advance() }
      }
    }
  }

  /// `class` is a type's word, unless a member's word follows it, or another modifier.
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
      // Operators are punctuation.
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

  /// Past what belongs to the declaration: to a token that begins a line outside of all groups and continues
  /// nothing.
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

  /// Whether the line that ends with this token has to go on.
  private func isOpenEnded(_ token: SwiftToken) -> Bool { token.kind == .punctuation && "=,:&|+".contains(token.text) }

  /// `(_:forKey:)`, and past it.
  private mutating func labels() -> String {
    let first = position
    skipGroup()
    var labels = ""
    var depth = 0
    var wantsLabel = true
    for token in tokens[first..<position] {
      if token.kind == .punctuation, "([{<".contains(token.text) { depth += 1 }
      if token.kind == .punctuation, ")]}".contains(token.text) { depth -= 1 }
      // An arrow's head closes nothing.
      if token.isPunctuation(">"), depth > 1 { depth -= 1 }
      if depth == 1, token.isPunctuation(",") { wantsLabel = true }
      if depth == 1, wantsLabel, token.kind == .word {
        labels += token.text + ":"
        wantsLabel = false
      }
    }
    return "(\(labels))"
  }

  /// From an opening bracket past its end.
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
