import SwiftTokens

/// Finds types and managed members in a Swift file.
///
/// It walks the declarations of file and type bodies and passes over everything else in brackets. Branches of
/// `#if` that are never compiled here are skipped; declarations in the others keep their conditions.
struct SwiftSourceScanner {
  private let tokens: [SwiftToken]
  private var position = 0
  private var source: SwiftSource
  /// The types and extensions that the position is in.
  private var scopes: [Scope] = []
  private var conditionals: [Conditional] = []
  /// Whether something in brackets went on to the end of the file.
  private var isUnclosed = false
  /// How many types surround the type that is being read.
  private var typeDepth = 0

  private struct Scope {
    var path: [String]
    /// The access of members without an access modifier.
    var defaultAccess: SwiftSource.Access
    /// The highest access that members can have.
    var maximumAccess: SwiftSource.Access
    /// An extension's attributes, which are its members' as well.
    var attributes: Set<String> = []
  }

  private struct Conditional {
    /// Conditions of the branches before this one.
    var earlier: [String]
    var current: String
    var scopeCount: Int
  }

  /// Attributes and modifiers in front of a declaration.
  private struct Modifiers {
    var attributes: Set<String> = []
    var access: SwiftSource.Access?
    var isStatic = false
    var isLazy = false
  }

  static func scan(_ text: String, fileName: String, path: String) -> SwiftSource {
    var scanner = SwiftSourceScanner(
      tokens: SwiftTokenizer.tokens(of: text), source: SwiftSource(fileName: fileName, path: path))
    scanner.scanFile()
    return scanner.source
  }

  private init(tokens: [SwiftToken], source: SwiftSource) {
    self.tokens = tokens
    self.source = source
  }

  private var current: SwiftToken { tokens[min(position, tokens.count - 1)] }
  private var next: SwiftToken { tokens[min(position + 1, tokens.count - 1)] }

  private mutating func scanFile() {
    var modifiers = Modifiers()
    while current.kind != .end {
      let token = current
      switch token.kind {
      case .directive:
        directive()
        continue
      case .punctuation:
        switch token.text {
        case "@":
          attribute(into: &modifiers)
          continue
        case "{", "(", "[": skipBalanced()
        case "}":
          if !scopes.isEmpty { scopes.removeLast() }
          position += 1
        default: position += 1
        }
        modifiers = Modifiers()
      case .word where !token.isQuoted:
        if !keyword(token.text, &modifiers) { modifiers = Modifiers() }
      default:
        position += 1
        modifiers = Modifiers()
      }
    }
    if isUnclosed || !scopes.isEmpty {
      report(current, "the braces of this file don't close, so that @NSManaged may be overlooked in it")
    }
  }

  /// Handles a word at the beginning of a declaration; false when the modifiers before it are used up.
  private mutating func keyword(_ word: String, _ modifiers: inout Modifiers) -> Bool {
    if let access = Self.accessLevels[word] {
      position += 1
      if current.isPunctuation("(") {
        // `private(set)` is the setter's access, which does not show in the symbols.
        skipBalanced()
      } else {
        modifiers.access = access
      }
      return true
    }
    switch word {
    case "class" where Self.isMemberKeyword(next), "static":
      modifiers.isStatic = true
      position += 1
      return true
    case "final", "dynamic", "override", "lazy", "weak", "unowned", "required", "convenience", "mutating",
      "nonmutating", "nonisolated", "optional", "indirect", "distributed":
      position += 1
      modifiers.isLazy = modifiers.isLazy || word == "lazy"
      if current.isPunctuation("(") { skipBalanced() }
      return true
    case "class": typeDeclaration(.classType, modifiers)
    case "actor" where next.kind == .word: typeDeclaration(.classType, modifiers)
    case "struct": typeDeclaration(.structType, modifiers)
    case "enum": typeDeclaration(.enumType, modifiers)
    case "protocol": typeDeclaration(.protocolType, modifiers)
    case "extension": extensionDeclaration(modifiers)
    case "typealias": aliasDeclaration(modifiers)
    case "import": importDeclaration(modifiers)
    case "var" where modifiers.attributes.contains("NSManaged"): managedProperty(modifiers)
    case "func" where modifiers.attributes.contains("NSManaged"): managedFunction(modifiers)
    case "var", "let": ownProperty(modifiers)
    case "func": ownFunction(modifiers)
    default: position += 1
    }
    return false
  }

  private static let accessLevels: [String: SwiftSource.Access] = [
    "private": .isPrivate, "fileprivate": .isFilePrivate, "internal": .isInternal, "package": .isPackage,
    "public": .isPublic, "open": .isOpen,
  ]

  private static func isMemberKeyword(_ token: SwiftToken) -> Bool {
    ["func", "var", "let", "subscript", "override", "private", "public", "internal", "fileprivate", "final"]
      .contains { token.isWord($0) }
  }

  private mutating func attribute(into modifiers: inout Modifiers) {
    position += 1
    guard current.kind == .word else { return }
    modifiers.attributes.insert(current.text)
    position += 1
    while current.isPunctuation("."), next.kind == .word { position += 2 }
    // An argument list begins right behind the name, on the same line.
    if current.isPunctuation("("), !current.beginsLine { skipBalanced() }
  }

  private func access(_ modifiers: Modifiers) -> SwiftSource.Access {
    guard let scope = scopes.last else { return modifiers.access ?? .isInternal }
    return min(modifiers.access ?? scope.defaultAccess, scope.maximumAccess)
  }

  private mutating func typeDeclaration(_ kind: SwiftSource.TypeDeclaration.Kind, _ modifiers: Modifiers) {
    position += 1
    guard current.kind == .word else { return }
    let (line, column) = (current.line, current.column)
    let path = (scopes.last?.path ?? []) + [current.text]
    position += 1
    let access = access(modifiers)
    let isGeneric = current.isPunctuation("<")
    var inherited: [String] = []
    if current.isPunctuation(":") {
      position += 1
      if case .name(let path, _) = type() { inherited = path }
    }
    source.types.append(
      SwiftSource.TypeDeclaration(
        kind: kind, path: path, access: access, isGeneric: isGeneric, inherited: inherited,
        attributes: modifiers.attributes, conditions: conditions, line: line, column: column))
    enterBody(Scope(path: path, defaultAccess: min(access, .isInternal), maximumAccess: access))
  }

  private mutating func extensionDeclaration(_ modifiers: Modifiers) {
    position += 1
    guard case .name(let path, _) = type() else { return }
    let access = modifiers.access
    enterBody(
      Scope(
        path: path, defaultAccess: access ?? .isInternal,
        maximumAccess: access.map { max($0, .isFilePrivate) } ?? .isOpen, attributes: modifiers.attributes))
  }

  /// Goes to the brace that opens the body and enters it. What the type conforms to is on the way.
  private mutating func enterBody(_ scope: Scope) {
    var isCondition = false
    while current.kind != .end, !current.isPunctuation("{") {
      if current.kind == .directive { return }
      if current.isWord("where") { isCondition = true }
      if !isCondition, current.isWord("Identifiable") { source.identifiableTypes.insert(scope.path) }
      position += 1
    }
    position += 1
    scopes.append(scope)
  }

  private mutating func aliasDeclaration(_ modifiers: Modifiers) {
    position += 1
    guard current.kind == .word else { return }
    let name = current.text
    position += 1
    let isGeneric = current.isPunctuation("<")
    while current.kind != .end, !current.isPunctuation("="), !current.beginsLine { position += 1 }
    guard current.isPunctuation("=") else { return }
    position += 1
    source.types.append(
      SwiftSource.TypeDeclaration(
        kind: .alias(type()), path: (scopes.last?.path ?? []) + [name], access: access(modifiers),
        isGeneric: isGeneric))
  }

  private mutating func importDeclaration(_ modifiers: Modifiers) {
    position += 1
    // `import struct Foundation.Date`
    if ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"].contains(current.text) {
      position += 1
    }
    guard current.kind == .word else { return }
    source.imports.append(
      SwiftSource.Import(
        module: current.text,
        isPublic: modifiers.access == .isPublic || modifiers.attributes.contains("_exported"),
        conditions: conditions))
    position += 1
    while current.isPunctuation("."), next.kind == .word { position += 2 }
  }

  private mutating func managedProperty(_ modifiers: Modifiers) {
    position += 1
    while current.kind == .word {
      let name = current
      position += 1
      guard current.isPunctuation(":") else {
        report(name, "the type of @NSManaged \(name.text) must be written out")
        return
      }
      position += 1
      append(.property(type()), name, modifiers)
      guard current.isPunctuation(","), next.kind == .word else { return }
      position += 1
    }
  }

  private mutating func ownProperty(_ modifiers: Modifiers) {
    position += 1
    guard let scope = scopes.last, current.kind == .word, !modifiers.isStatic else { return }
    let name = current
    position += 1
    source.properties.append(
      SwiftSource.OwnProperty(
        name: name.text, owner: scope.path, access: access(modifiers),
        attributes: modifiers.attributes.union(scope.attributes),
        isAnsweredByCode: modifiers.isLazy || hasPlainGetter(),
        conditions: conditions, line: name.line, column: name.column))
  }

  /// Whether the property whose name was just read has a getter that neither waits nor throws. The position stays.
  private mutating func hasPlainGetter() -> Bool {
    let start = position
    defer { position = start }
    guard current.isPunctuation(":") else { return false }
    position += 1
    _ = type()
    guard current.isPunctuation("{") else { return false }
    position += 1
    if current.isWord("willSet") || current.isWord("didSet") { return false }
    return !current.isWord("get") || next.isPunctuation("{")
  }

  /// Notes a function if it is a validation method; no other is of use.
  private mutating func ownFunction(_ modifiers: Modifiers) {
    position += 1
    let name = current
    guard let scope = scopes.last, !modifiers.isStatic, name.text.hasPrefix("validate"),
      name.text.dropFirst("validate".count).first?.isUppercase == true
    else { return }
    position += 1
    guard current.isPunctuation("("), let parameters = parameters(), current.isWord("throws"), parameters.count == 1,
      parameters[0].label == "_", case .name(let path, let arguments) = parameters[0].type,
      let pointer = path.last, ["AutoreleasingUnsafeMutablePointer", "UnsafeMutablePointer"].contains(pointer),
      arguments.map(\.text) == ["AnyObject?"]
    else { return }
    source.validators.append(
      SwiftSource.Validator(
        name: name.text, owner: scope.path, access: access(modifiers), conditions: conditions, line: name.line,
        column: name.column))
  }

  private mutating func managedFunction(_ modifiers: Modifiers) {
    position += 1
    let name = current
    position += 1
    guard name.kind == .word, current.isPunctuation("(") else { return }
    guard let parameters = parameters() else {
      report(name, "the parameters of @NSManaged func \(name.text) can't be understood")
      return
    }
    if current.isPunctuation("-"), next.isPunctuation(">") {
      report(name, "@NSManaged func \(name.text) returns a value, which no managed accessor does")
      return
    }
    append(.function(parameters), name, modifiers)
  }

  /// Reads the parameters of a function, from the opening parenthesis on; nil if they can't be understood.
  private mutating func parameters() -> [(label: String, name: String, type: TypeSyntax)]? {
    position += 1
    var parameters: [(label: String, name: String, type: TypeSyntax)] = []
    while current.kind == .word {
      let label = current.text
      position += 1
      var parameter = label
      if current.kind == .word {
        parameter = current.text
        position += 1
      }
      guard current.isPunctuation(":") else { break }
      position += 1
      parameters.append((label, parameter, type()))
      if current.isPunctuation(",") { position += 1 }
    }
    guard current.isPunctuation(")") else { return nil }
    position += 1
    return parameters
  }

  private mutating func append(
    _ kind: SwiftSource.ManagedMember.Kind, _ name: SwiftToken, _ modifiers: Modifiers
  ) {
    guard let scope = scopes.last else { return }
    source.members.append(
      SwiftSource.ManagedMember(
        kind: kind, name: name.text, owner: scope.path, access: access(modifiers), conditions: conditions,
        line: name.line, column: name.column))
  }

  // Types.

  /// How deep types may nest to be understood. The scanner recurses into them, and mangling looks at the levels below
  /// each level twice.
  private static let deepestType = 12

  private mutating func type() -> TypeSyntax {
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
    var type = primaryType()
    var marks = 0
    while current.isPunctuation("?") || current.isPunctuation("!") {
      if marks < Self.deepestType { type = .optional(type) }
      marks += 1
      position += 1
    }
    if current.isPunctuation("-"), next.isPunctuation(">") {
      position += 2
      return .other("\(type.text) -> \(self.type().text)")
    }
    if current.isPunctuation("&") {
      position += 1
      return .other("\(type.text) & \(self.type().text)")
    }
    return type
  }

  private mutating func primaryType() -> TypeSyntax {
    if current.isPunctuation("[") {
      position += 1
      let first = type()
      var result = TypeSyntax.array(first)
      if current.isPunctuation(":") {
        position += 1
        result = .dictionary(first, type())
      }
      if current.isPunctuation("]") { position += 1 }
      return result
    }
    if current.isPunctuation("(") {
      position += 1
      var elements: [TypeSyntax] = []
      while current.kind != .end, !current.isPunctuation(")") {
        elements.append(type())
        if current.isPunctuation(":") {
          // A tuple's label.
          position += 1
          elements[elements.count - 1] = .other("labelled tuple")
          _ = type()
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
          arguments.append(type())
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

  // Brackets and conditions.

  private mutating func skipBalanced() {
    var depth = 0
    while current.kind != .end {
      if current.kind == .punctuation {
        switch current.text {
        case "{", "(", "[": depth += 1
        case "}", ")", "]": depth -= 1
        default: break
        }
      }
      position += 1
      if depth <= 0 { return }
    }
    isUnclosed = true
  }

  private var conditions: [String] {
    conditionals.flatMap { $0.earlier.map { "!(\($0))" } + ($0.current.isEmpty ? [] : [$0.current]) }
  }

  private mutating func directive() {
    let name = current.text
    let line = current.line
    position += 1
    switch name {
    case "#if":
      conditionals.append(Conditional(earlier: [], current: condition(line), scopeCount: scopes.count))
      skipIfUntaken()
    case "#elseif":
      nextBranch(condition(line))
    case "#else":
      nextBranch("")
    case "#endif":
      _ = conditionals.popLast()
    default: break
    }
  }

  private mutating func nextBranch(_ condition: String) {
    guard var conditional = conditionals.popLast() else { return }
    // A branch may have opened a body that the next one opens again.
    if scopes.count > conditional.scopeCount { scopes.removeLast(scopes.count - conditional.scopeCount) }
    conditional.earlier.append(conditional.current)
    conditional.current = condition
    conditionals.append(conditional)
    skipIfUntaken()
  }

  /// The rest of the directive's line, as text.
  private mutating func condition(_ line: Int) -> String {
    var text = ""
    while current.kind != .end, current.line == line {
      text += (current.kind == .word && text.last?.isLetter == true ? " " : "") + current.text
      position += 1
    }
    return text
  }

  private mutating func skipIfUntaken() {
    guard let conditional = conditionals.last else { return }
    let isUntaken =
      CompilationCondition.value(of: conditional.current) == false
      || conditional.earlier.contains { CompilationCondition.value(of: $0) == true }
    guard isUntaken else { return }
    var depth = 0
    while current.kind != .end {
      if current.kind == .directive {
        if current.text == "#if" { depth += 1 }
        if depth == 0, ["#elseif", "#else", "#endif"].contains(current.text) { return }
        if current.text == "#endif" { depth -= 1 }
      }
      position += 1
    }
  }

  private mutating func report(_ token: SwiftToken, _ message: String) {
    source.problems.append(
      SourceProblem(
        isError: false, file: source.path, line: token.line, column: token.column, message: message))
  }
}

/// The value of an `#if`'s condition, as far as the platform alone decides it.
enum CompilationCondition {
  /// nil when it depends on flags or on what can be imported.
  static func value(of text: String) -> Bool? {
    var condition = text.filter { $0 != " " }
    if condition.hasPrefix("!"), !condition.contains("&&"), !condition.contains("||") {
      let negations = condition.prefix { $0 == "!" }.count
      condition.removeFirst(negations)
      return value(of: condition).map { $0 == (negations % 2 == 0) }
    }
    if condition.contains("||") || condition.contains("(") && condition.contains("&&") { return nil }
    switch condition {
    case "canImport(ObjectiveC)", "canImport(UIKit)", "canImport(AppKit)", "canImport(Combine)",
      "canImport(SwiftUI)":
      return false
    case "canImport(Foundation)", "canImport(CoreData)", "true": return true
    case "false": return false
    default:
      guard condition.hasPrefix("os("), condition.hasSuffix(")") else { return nil }
      return condition == "os(Linux)"
    }
  }
}
