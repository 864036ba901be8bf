import SwiftTokens

/// Reads declarations from tokens: only as much of the language as is needed to find a class's properties, their types
/// and their initial values. It throws a `SourceProblem` for what it can't read.
struct DeclarationReader {
  private let source: [UInt8]
  private let tokens: [SwiftToken]
  private var index = 0

  init(_ source: String) {
    self.source = Array(source.utf8)
    tokens = SwiftTokenizer.tokens(of: source)
  }

  var token: SwiftToken { tokens[index] }
  private var isAtEnd: Bool { token.kind == .end }
  var offset: Int { token.range.lowerBound }

  private func peek(_ distance: Int = 1) -> SwiftToken { tokens[min(index + distance, tokens.count - 1)] }

  private mutating func advance() { if !isAtEnd { index += 1 } }

  /// The source text of some tokens, including comments between them.
  private func text(_ range: Range<Int>) -> String {
    if range.isEmpty { return "" }
    let bytes = tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound
    return String(decoding: source[bytes], as: UTF8.self)
  }

  // Pieces.

  /// Skips a bracket at the current position and everything up to its end.
  private mutating func skipGroup() throws {
    let opening = token
    let pairs = ["(": ")", "[": "]", "{": "}"]
    guard let closing = pairs[opening.text], opening.kind == .punctuation else { return advance() }
    advance()
    while !token.isPunctuation(closing) {
      if isAtEnd { throw SourceProblem("'\(opening.text)' has no '\(closing)'.", at: opening.range.lowerBound) }
      try skipGroup()
    }
    advance()
  }

  /// Skips `<…>`. The `>` of `->` closes nothing.
  private mutating func skipAngles() throws {
    let start = offset
    var depth = 0
    repeat {
      if isAtEnd { throw SourceProblem("'<' has no '>'.", at: start) }
      if token.isPunctuation("<") { depth += 1 }
      if token.isPunctuation(">"), !isArrowHead { depth -= 1 }
      if ["(", "[", "{"].contains(where: token.isPunctuation) { try skipGroup() } else { advance() }
    } while depth > 0
  }

  /// Whether this `>` belongs to `->`.
  private var isArrowHead: Bool {
    index > 0 && tokens[index - 1].isPunctuation("-") && tokens[index - 1].range.upperBound == offset
  }

  /// The text between the parentheses that begin at the current position.
  private mutating func argumentText() throws -> String {
    let start = index + 1
    try skipGroup()
    return text(start..<max(start, index - 1))
  }

  /// Reads `name`, `Module.name` or `Module::name`, and returns its parts.
  private mutating func nameParts() -> [String] {
    var parts = [token.text]
    advance()
    while true {
      if token.isPunctuation("."), peek().kind == .word {
        advance()
      } else if token.isPunctuation(":"), peek().isPunctuation(":"), peek(2).kind == .word {
        advance()
        advance()
      } else {
        return parts
      }
      parts.append(token.text)
      advance()
    }
  }

  private mutating func nameWithoutModule() -> String { nameParts().last ?? "" }

  private mutating func attribute() throws -> AttributeUse {
    let start = offset
    advance()
    let name = nameWithoutModule()
    if token.isPunctuation("<") { try skipAngles() }
    let arguments = token.isPunctuation("(") ? try argumentText() : nil
    return AttributeUse(name: name, arguments: arguments, offset: start)
  }

  /// Reads attributes, those between `#if` and `#endif` included if nothing else is there. Those in a branch that is
  /// never compiled are left out.
  mutating func attributes() throws -> [AttributeUse] {
    var found: [AttributeUse] = []
    var open: [OpenCondition] = []
    while true {
      if token.isPunctuation("@") {
        var use = try attribute()
        guard let conditions = OpenCondition.undecided(open) else { continue }
        use.condition = conditions.isEmpty ? nil : conditions.joined(separator: " && ")
        found.append(use)
      } else if !open.isEmpty && isConditionalDirective || isBeforeConditionalAttributes {
        readDirective(&open)
      } else {
        return found
      }
    }
  }

  /// Whether an `#if` begins here that has attributes between it and its `#endif`, and nothing else.
  private var isBeforeConditionalAttributes: Bool {
    guard isConditionalDirective, token.text == "#if" else { return false }
    var probe = self
    var depth = 0
    var hasAttributes = false
    repeat {
      if probe.token.isPunctuation("@") {
        guard (try? probe.attribute()) != nil else { return false }
        hasAttributes = true
      } else if probe.isConditionalDirective {
        if probe.token.text == "#if" { depth += 1 }
        if probe.token.text == "#endif" { depth -= 1 }
        _ = probe.conditionOfDirective()
      } else {
        return false
      }
    } while depth > 0
    return hasAttributes
  }

  private static let modifiers: Set<String> = [
    "public", "private", "internal", "fileprivate", "package", "open", "static", "class", "final", "lazy", "override",
    "weak", "unowned", "nonisolated", "isolated", "dynamic", "optional", "required", "convenience", "mutating",
    "nonmutating", "indirect", "prefix", "postfix", "infix", "distributed", "consuming", "borrowing", "sending",
  ]

  /// `class` is a modifier before `var`, `func` and the like. Otherwise it begins a type.
  mutating func modifiers() throws -> [String] {
    var found: [String] = []
    while token.kind == .word, !token.isQuoted, Self.modifiers.contains(token.text) {
      if token.text == "class" {
        let next = peek()
        let introduces = ["var", "let", "func", "subscript"].contains { next.isWord($0) }
        if !introduces && !(next.kind == .word && !next.isQuoted && Self.modifiers.contains(next.text)) { break }
      }
      let name = token.text
      advance()
      if token.isPunctuation("(") {
        // `private(set)` doesn't change the access of the property itself.
        let argument = try argumentText()
        found.append("\(name)(\(argument))")
      } else {
        found.append(name)
      }
    }
    return found
  }

  // Types.

  struct Header {
    var attributes: [AttributeUse]
    var modifiers: [String]
    var kind: String
    var kindOffset: Int
    var name: String
    var isGeneric: Bool
    /// The names behind the colon, with their modules if these are stated: `Named`, `SwiftData.PersistentModel`.
    var inherited: [String]
  }

  /// Reads `@Model public final class Note: Named {`, including the brace.
  mutating func header() throws -> Header {
    let attributes = try attributes()
    let modifiers = try modifiers()
    let kind = token
    advance()
    let name = token
    guard kind.kind == .word, name.kind == .word else {
      throw SourceProblem("This declaration has no name that could be read.", at: kind.range.lowerBound)
    }
    advance()
    let isGeneric = token.isPunctuation("<")
    var inherited: [String] = []
    while !token.isPunctuation("{") {
      if isAtEnd { throw SourceProblem("'\(name.text)' has no body.", at: name.range.lowerBound) }
      if token.isPunctuation("<") {
        try skipAngles()
      } else if token.kind == .word {
        inherited.append(nameParts().joined(separator: "."))
      } else {
        advance()
      }
    }
    advance()
    return Header(
      attributes: attributes, modifiers: modifiers, kind: kind.text, kindOffset: kind.range.lowerBound,
      name: name.text, isGeneric: isGeneric, inherited: inherited)
  }

  /// A macro in the body of a type: `#Index<Note>([\.text])`.
  struct MacroUse: Hashable, Sendable {
    var name: String
    var generics: String
    var arguments: String
    /// The condition of the `#if` around it, or what remains of it behind `#else`; nil outside of any.
    var condition: String?
  }

  struct Members {
    var properties: [PropertyDeclaration] = []
    var macros: [MacroUse] = []
  }

  /// An `#if` that has no `#endif` yet.
  private struct OpenCondition {
    /// The conditions of the branches before the present one.
    var earlier: [String] = []
    /// Empty behind `#else`.
    var present: String

    mutating func enter(_ next: String) {
      earlier.append(present)
      present = next
    }

    var text: String {
      (earlier.map { "!(\($0))" } + (present.isEmpty ? [] : ["(\(present))"])).joined(separator: " && ")
    }

    /// What has to hold for the present branches of several to be compiled, without what holds wherever a macro of
    /// SwiftData expands; nil if one of them never is.
    static func undecided(_ open: [OpenCondition]) -> [String]? {
      if open.contains(where: { $0.earlier.contains(where: isGiven) }) { return nil }
      return open.filter { !$0.earlier.isEmpty || !isGiven($0.present) }.map(\.text)
    }

    /// Whether a condition asks for the module without which no macro of it would expand.
    private static func isGiven(_ condition: String) -> Bool {
      condition.filter { !$0.isWhitespace } == "canImport(SwiftData)"
    }
  }

  /// Reads the body of a type up to its closing brace.
  mutating func members() throws -> Members {
    var members = Members()
    var open: [OpenCondition] = []
    while !isAtEnd, !token.isPunctuation("}") {
      if token.isPunctuation(";") {
        advance()
        continue
      }
      if isConditionalDirective, !isBeforeConditionalAttributes {
        readDirective(&open)
        continue
      }
      var found = try member()
      for index in found.properties.indices { found.properties[index].isConditional = !open.isEmpty }
      if !open.isEmpty {
        for index in found.macros.indices {
          found.macros[index].condition = open.map(\.text).joined(separator: " && ")
        }
      }
      members.properties += found.properties
      members.macros += found.macros
    }
    return members
  }

  private var isConditionalDirective: Bool {
    token.kind == .directive && ["#if", "#elseif", "#else", "#endif"].contains(token.text)
  }

  /// Reads a directive, and enters or leaves a branch.
  private mutating func readDirective(_ open: inout [OpenCondition]) {
    let directive = token.text
    let condition = conditionOfDirective()
    switch directive {
    case "#if": open.append(OpenCondition(present: condition))
    case "#endif": _ = open.popLast()
    // The compiler reports a branch without `#if`.
    default: if !open.isEmpty { open[open.count - 1].enter(condition) }
    }
  }

  /// Skips a directive, and returns its condition.
  private mutating func conditionOfDirective() -> String {
    let start = index + 1
    repeat { advance() } while !isAtEnd && !token.beginsLine
    return text(start..<max(start, index))
  }

  private mutating func macroUse() throws -> MacroUse {
    let name = String(nameWithoutModule().drop { $0 == "#" })
    let start = index
    if token.isPunctuation("<") { try skipAngles() }
    let generics = text(start..<index)
    let arguments = token.isPunctuation("(") ? try argumentText() : ""
    // A trailing closure.
    if token.isPunctuation("{"), !token.beginsLine { try skipGroup() }
    return MacroUse(name: name, generics: generics, arguments: arguments)
  }

  /// Reads the next declaration of a body. Returns its properties, or the macro; nothing for one of any other kind.
  mutating func member() throws -> Members {
    let attributes = try attributes()
    let modifiers = try modifiers()
    if token.kind == .directive, !isConditionalDirective { return Members(macros: [try macroUse()]) }
    let introducer = token
    guard introducer.kind == .word, !introducer.isQuoted else {
      throw SourceProblem("A declaration was expected here.", at: offset)
    }
    advance()
    switch introducer.text {
    case "var", "let": return Members(properties: try properties(attributes, modifiers))
    case "typealias", "associatedtype", "import":
      _ = try expression(stoppingAtBrace: false)
    case "case":
      _ = try expression(stoppingAtBrace: false)
      while token.isPunctuation(",") {
        advance()
        _ = try expression(stoppingAtBrace: false)
      }
    case "func", "init", "deinit", "subscript", "struct", "enum", "class", "actor", "protocol", "extension", "macro":
      while !token.isPunctuation("{") {
        if isAtEnd {
          throw SourceProblem("This '\(introducer.text)' has no body.", at: introducer.range.lowerBound)
        }
        try skipGroup()
      }
      try skipGroup()
    default:
      throw SourceProblem(
        "'\(introducer.text)' begins no declaration that could be read.", at: introducer.range.lowerBound)
    }
    return Members()
  }

  // Properties.

  private mutating func properties(
    _ attributes: [AttributeUse], _ modifiers: [String]
  ) throws -> [PropertyDeclaration] {
    var found: [PropertyDeclaration] = []
    repeat {
      if token.isPunctuation(",") { advance() }
      let name = token
      guard name.kind == .word else {
        throw SourceProblem(
          "A pattern cannot be read here: declare each property with a name of its own.", at: offset)
      }
      advance()
      var property = PropertyDeclaration(
        name: name.text, spelledName: name.isQuoted ? "`\(name.text)`" : name.text, attributes: attributes,
        modifiers: modifiers, offset: name.range.lowerBound)
      if token.isPunctuation(":") {
        advance()
        property.type = try typeText()
      }
      if token.isPunctuation("=") {
        advance()
        property.initialValue = try expression(stoppingAtBrace: true)
      }
      if token.isPunctuation("{") {
        property.isComputed = !isBeforeObservers
        try skipGroup()
      }
      found.append(property)
    } while token.isPunctuation(",")
    if found.count > 1 { for index in found.indices { found[index].isOneOfSeveral = true } }
    return found
  }

  /// Reads up to `=`, an accessor block, a comma, or the end of the line.
  private mutating func typeText() throws -> String {
    let start = index
    while !isAtEnd {
      if ["=", "{", ",", ";", "}"].contains(where: token.isPunctuation) { break }
      if index > start, token.beginsLine, !continuesLine { break }
      if token.isPunctuation("<") {
        try skipAngles()
      } else {
        try skipGroup()
      }
    }
    if index == start { throw SourceProblem("A type was expected here.", at: offset) }
    return text(start..<index)
  }

  /// Reads up to a comma, a semicolon, the end of the body, a block of observers, or a line that begins something new.
  private mutating func expression(stoppingAtBrace: Bool) throws -> String {
    let start = index
    while !isAtEnd {
      if [",", ";", "}"].contains(where: token.isPunctuation) { break }
      if token.isPunctuation("{"), stoppingAtBrace, isBeforeObservers { break }
      if index > start, token.beginsLine, !continuesLine { break }
      if isGenericArguments { try skipAngles() } else { try skipGroup() }
    }
    if index == start { throw SourceProblem("A value was expected here.", at: offset) }
    return text(start..<index)
  }

  /// Whether this `<` directly follows a name and begins generic arguments, as in `Set<Int>()`. Commas in them separate
  /// nothing.
  private var isGenericArguments: Bool {
    guard token.isPunctuation("<"), index > 0 else { return false }
    let before = tokens[index - 1]
    guard before.kind == .word, before.range.upperBound == offset else { return false }
    // `a<b` is a comparison. Generic arguments have a closing `>`, and only tokens before it that types can have.
    var probe = self
    let allowed = ["<", ">", ",", ".", "?", "!", "&", ":", "-", "(", ")", "[", "]", "@"]
    guard (try? probe.skipAngles()) != nil else { return false }
    return tokens[index..<probe.index].allSatisfy { $0.kind == .word || allowed.contains(where: $0.isPunctuation) }
  }

  /// Whether the block at the current position has observers, and so belongs to a stored property.
  private var isBeforeObservers: Bool {
    var probe = self
    probe.advance()
    guard (try? probe.attributes()) != nil else { return false }
    return probe.token.isWord("willSet") || probe.token.isWord("didSet")
  }

  /// Whether a line that begins here continues the expression or type before it.
  private var continuesLine: Bool {
    let before = tokens[index - 1]
    let words = ["as", "is", "in", "try", "await", "any", "some", "else", "if", "switch", "where", "throws", "async"]
    // Behind a dot it is a member's name, as in `Scope.any`.
    let isMember = index > 1 && tokens[index - 2].isPunctuation(".")
    if !isMember, words.contains(where: before.isWord) { return true }
    let operators = ["=", "+", "-", "*", "/", "%", "&", "|", "^", "<", ":", ".", ","]
    if operators.contains(where: before.isPunctuation) { return true }
    // `?` and `!` end a type or a value, unless a blank precedes them, as in `a ? b : c` and `a ?? b`.
    if ["?", ">", "!"].contains(where: before.isPunctuation), index > 1 {
      let previous = tokens[index - 2]
      if previous.range.upperBound < before.range.lowerBound { return true }
      if before.isPunctuation("?"), previous.isPunctuation("?"), index > 2,
        tokens[index - 3].range.upperBound < previous.range.lowerBound
      {
        return true
      }
      if before.isPunctuation(">"), previous.isPunctuation("-") { return true }
    }
    if ["as", "is", "else", "where", "throws", "async"].contains(where: token.isWord) { return true }
    let beginnings = [".", "+", "-", "*", "/", "%", "&", "|", "^", "?", "<", ">", "=", ":", "!", "{"]
    return beginnings.contains(where: token.isPunctuation)
  }
}
