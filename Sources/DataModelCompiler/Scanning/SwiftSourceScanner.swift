import SwiftTokens

/// Finds types and managed members in a Swift file.
///
/// It walks the declarations of file and type bodies and passes over everything else in brackets. Branches of
/// `#if` that are never compiled here are skipped; declarations in the others keep their conditions.
struct SwiftSourceScanner {
  private let tokens: [SwiftToken]
  var position = 0
  private var source: SwiftSource
  /// The types and extensions that the position is in.
  var scopes: [Scope] = []
  var conditionals: [Conditional] = []
  /// Whether something in brackets went on to the end of the file.
  private var isUnclosed = false
  /// How many types surround the type that is being read.
  var typeDepth = 0

  struct Scope {
    var path: [String]
    /// The access of members without an access modifier.
    var defaultAccess: SwiftSource.Access
    /// The highest access that members can have.
    var maximumAccess: SwiftSource.Access
    /// An extension's attributes, which are its members' as well.
    var attributes: Set<String> = []
  }

  struct Conditional {
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

  var current: SwiftToken { tokens[min(position, tokens.count - 1)] }
  var next: SwiftToken { tokens[min(position + 1, tokens.count - 1)] }

  private mutating func scanFile() {
    var modifiers = Modifiers()
    while current.kind != .end {
      let token = current
      switch token.kind {
      case .directive:
        readDirective()
        continue
      case .punctuation:
        switch token.text {
        case "@":
          readAttribute(into: &modifiers)
          continue
        case "{", "(", "[": skipBalanced()
        case "}":
          if !scopes.isEmpty { scopes.removeLast() }
          position += 1
        default: position += 1
        }
        modifiers = Modifiers()
      case .word where !token.isQuoted:
        if case .declaration = readWord(token.text, &modifiers) { modifiers = Modifiers() }
      default:
        position += 1
        modifiers = Modifiers()
      }
    }
    if isUnclosed || !scopes.isEmpty {
      report(current, "the braces of this file don't close, so that @NSManaged may be overlooked in it")
    }
  }

  private enum Word {
    /// It belongs to a declaration that follows.
    case modifier
    /// A declaration, or a word of something else: the modifiers before it are used up.
    case declaration
  }

  /// Reads a word where a declaration may begin, and what belongs to it.
  private mutating func readWord(_ word: String, _ modifiers: inout Modifiers) -> Word {
    if let access = Self.accessLevels[word] {
      position += 1
      if current.isPunctuation("(") {
        // `private(set)` is the setter's access, which does not show in the symbols.
        skipBalanced()
      } else {
        modifiers.access = access
      }
      return .modifier
    }
    switch word {
    case "class" where Self.isMemberKeyword(next), "static":
      modifiers.isStatic = true
      position += 1
      return .modifier
    case "final", "dynamic", "override", "lazy", "weak", "unowned", "required", "convenience", "mutating",
      "nonmutating", "nonisolated", "optional", "indirect", "distributed":
      position += 1
      modifiers.isLazy = modifiers.isLazy || word == "lazy"
      if current.isPunctuation("(") { skipBalanced() }
      return .modifier
    case "class": readTypeDeclaration(.classType, modifiers)
    case "actor" where next.kind == .word: readTypeDeclaration(.classType, modifiers)
    case "struct": readTypeDeclaration(.structType, modifiers)
    case "enum": readTypeDeclaration(.enumType, modifiers)
    case "protocol": readTypeDeclaration(.protocolType, modifiers)
    case "extension": readExtension(modifiers)
    case "typealias": readAlias(modifiers)
    case "import": readImport(modifiers)
    case "var" where modifiers.attributes.contains("NSManaged"): readManagedProperty(modifiers)
    case "func" where modifiers.attributes.contains("NSManaged"): readManagedFunction(modifiers)
    case "var", "let": readOwnProperty(modifiers)
    case "func": readOwnFunction(modifiers)
    default: position += 1
    }
    return .declaration
  }

  private static let accessLevels: [String: SwiftSource.Access] = [
    "private": .isPrivate, "fileprivate": .isFilePrivate, "internal": .isInternal, "package": .isPackage,
    "public": .isPublic, "open": .isOpen,
  ]

  private static func isMemberKeyword(_ token: SwiftToken) -> Bool {
    ["func", "var", "let", "subscript", "override", "private", "public", "internal", "fileprivate", "final"]
      .contains { token.isWord($0) }
  }

  private mutating func readAttribute(into modifiers: inout Modifiers) {
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

  private mutating func readTypeDeclaration(_ kind: SwiftSource.TypeDeclaration.Kind, _ modifiers: Modifiers) {
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
      if case .name(let path, _) = readType() { inherited = path }
    }
    source.types.append(
      SwiftSource.TypeDeclaration(
        kind: kind, path: path, access: access, isGeneric: isGeneric, inherited: inherited,
        attributes: modifiers.attributes, conditions: conditions, line: line, column: column))
    enterBody(Scope(path: path, defaultAccess: min(access, .isInternal), maximumAccess: access))
  }

  private mutating func readExtension(_ modifiers: Modifiers) {
    position += 1
    guard case .name(let path, _) = readType() else { return }
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

  private mutating func readAlias(_ modifiers: Modifiers) {
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
        kind: .alias(readType()), path: (scopes.last?.path ?? []) + [name], access: access(modifiers),
        isGeneric: isGeneric))
  }

  private mutating func readImport(_ modifiers: Modifiers) {
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

  private mutating func readManagedProperty(_ modifiers: Modifiers) {
    position += 1
    // `a, b: String?, c: Int64`: names wait for the type that follows.
    var names: [SwiftToken] = []
    while current.kind == .word {
      names.append(current)
      position += 1
      if current.isPunctuation(":") {
        position += 1
        let type = readType()
        for name in names { record(.property(type), named: name, modifiers) }
        names = []
      }
      guard current.isPunctuation(","), next.kind == .word else { break }
      position += 1
    }
    for name in names { report(name, "the type of @NSManaged \(name.text) must be written out") }
  }

  private mutating func readOwnProperty(_ modifiers: Modifiers) {
    position += 1
    guard let scope = scopes.last, current.kind == .word else { return }
    let name = current
    position += 1
    if modifiers.isStatic { return noteDependency(name, modifiers, isFunction: false) }
    record(.property(isAnsweredByCode: modifiers.isLazy || hasPlainGetter()), named: name, in: scope, modifiers)
  }

  /// Whether the property whose name was just read has a getter that neither waits nor throws. The position stays.
  private mutating func hasPlainGetter() -> Bool {
    let start = position
    defer { position = start }
    guard current.isPunctuation(":") else { return false }
    position += 1
    _ = readType()
    guard current.isPunctuation("{") else { return false }
    position += 1
    if current.isWord("willSet") || current.isWord("didSet") { return false }
    return !current.isWord("get") || next.isPunctuation("{")
  }

  /// Notes a member of a class if it says what a property depends on.
  private mutating func noteDependency(_ name: SwiftToken, _ modifiers: Modifiers, isFunction: Bool) {
    guard let scope = scopes.last, name.text.hasPrefix(SwiftSource.OwnMember.dependencyPrefix),
      name.text.dropFirst(SwiftSource.OwnMember.dependencyPrefix.count).first?.isUppercase == true
    else { return }
    if isFunction {
      guard current.isPunctuation("("), next.isPunctuation(")") else { return }
      position += 2
      guard current.isPunctuation("-"), next.isPunctuation(">") else { return }
      position += 2
    } else {
      guard current.isPunctuation(":") else { return }
      position += 1
    }
    guard readType().text == "Set<String>" else { return }
    record(.dependency(isFunction: isFunction), named: name, in: scope, modifiers)
  }

  /// Notes a function if it is a validation method, or says what a property depends on; no other is of use.
  private mutating func readOwnFunction(_ modifiers: Modifiers) {
    position += 1
    let name = current
    if modifiers.isStatic {
      position += 1
      return noteDependency(name, modifiers, isFunction: true)
    }
    guard let scope = scopes.last, name.text.hasPrefix(SwiftSource.OwnMember.validatorPrefix),
      name.text.dropFirst(SwiftSource.OwnMember.validatorPrefix.count).first?.isUppercase == true
    else { return }
    position += 1
    guard current.isPunctuation("("), let parameters = readParameters(), current.isWord("throws"),
      parameters.count == 1,
      parameters[0].label == "_", case .name(let path, let arguments) = parameters[0].type,
      let pointer = path.last, ["AutoreleasingUnsafeMutablePointer", "UnsafeMutablePointer"].contains(pointer),
      arguments.map(\.text) == ["AnyObject?"]
    else { return }
    record(.validator, named: name, in: scope, modifiers)
  }

  private mutating func record(
    _ kind: SwiftSource.OwnMember.Kind, named name: SwiftToken, in scope: Scope, _ modifiers: Modifiers
  ) {
    source.ownMembers.append(
      SwiftSource.OwnMember(
        kind: kind, name: name.text, owner: scope.path, access: access(modifiers),
        attributes: modifiers.attributes.union(scope.attributes), conditions: conditions, line: name.line,
        column: name.column))
  }

  private mutating func readManagedFunction(_ modifiers: Modifiers) {
    position += 1
    let name = current
    position += 1
    guard name.kind == .word, current.isPunctuation("(") else { return }
    guard let parameters = readParameters() else {
      report(name, "the parameters of @NSManaged func \(name.text) can't be understood")
      return
    }
    if current.isPunctuation("-"), next.isPunctuation(">") {
      report(name, "@NSManaged func \(name.text) returns a value, which no managed accessor does")
      return
    }
    record(.function(parameters), named: name, modifiers)
  }

  /// Reads the parameters of a function, from the opening parenthesis on; nil if they can't be understood.
  private mutating func readParameters() -> [(label: String, name: String, type: TypeSyntax)]? {
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
      parameters.append((label, parameter, readType()))
      if current.isPunctuation(",") { position += 1 }
    }
    guard current.isPunctuation(")") else { return nil }
    position += 1
    return parameters
  }

  private mutating func record(
    _ kind: SwiftSource.ManagedMember.Kind, named name: SwiftToken, _ modifiers: Modifiers
  ) {
    guard let scope = scopes.last else { return }
    source.members.append(
      SwiftSource.ManagedMember(
        kind: kind, name: name.text, owner: scope.path, access: access(modifiers), conditions: conditions,
        line: name.line, column: name.column))
  }

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

  private mutating func report(_ token: SwiftToken, _ message: String) {
    source.problems.append(
      SourceProblem(
        isError: false, file: source.path, line: token.line, column: token.column, message: message))
  }
}
