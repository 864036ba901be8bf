extension SwiftSourceScanner {
  /// The conditions under which a declaration here is compiled.
  var conditions: [String] {
    conditionals.flatMap { $0.earlier.map { "!(\($0))" } + ($0.current.isEmpty ? [] : [$0.current]) }
  }

  mutating func readDirective() {
    let name = current.text
    let line = current.line
    position += 1
    switch name {
    case "#if":
      conditionals.append(Conditional(earlier: [], current: readCondition(line), scopeCount: scopes.count))
      skipIfUntaken()
    case "#elseif":
      nextBranch(readCondition(line))
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
  private mutating func readCondition(_ line: Int) -> String {
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
}
