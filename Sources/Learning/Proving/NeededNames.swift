import Foundation
import SwiftTokens

/// The names that a learner has to know to write a solution. These are the names in its code, except those that are in
/// the stub or in the exercises' support, are declared by the solution, or are everyday words of Swift.
package struct NeededNames {
  /// The names, sorted.
  package let names: [String]

  package init(_ exercise: Exercise, shared: Set<String>) {
    let stub = Self.text(of: exercise.stub)
    let solution = Self.text(of: exercise.solution)
    let given = Self.words(stub).union(Self.allWords(stub)).union(Self.declared(solution)).union(shared)
    let needed = Self.words(solution).union(Self.predicateWords(solution)).subtracting(given)
    names = needed.filter { !SwiftBasics.names.contains($0) && !$0.hasPrefix("$") && $0 != "_" }.sorted()
  }

  /// Returns the names that every exercise has: those of the support's code, and of the shared model with its
  /// accessors.
  package static func shared(_ course: Course) -> Set<String> {
    var names = words(text(of: course.package.appendingPathComponent("Support")))
    guard let model = try? ExerciseModel(course: course) else { return names }
    for entity in model.entities {
      names.formUnion([entity.name])
      for property in entity.properties {
        let capital = property.name.prefix(1).uppercased() + property.name.dropFirst()
        names.formUnion([property.name, "addTo\(capital)", "removeFrom\(capital)", "insertInto\(capital)"])
      }
    }
    return names
  }

  // MARK: Words of code

  private static func text(of folder: URL) -> String {
    SourceFolder.files(in: folder).map { (try? String(contentsOf: $0, encoding: .utf8)) ?? "" }.joined(separator: "\n")
  }

  /// Returns the identifiers of a source, without words in comments and strings.
  private static func words(_ source: String) -> Set<String> {
    Set(SwiftTokenizer.tokens(of: source).filter { $0.kind == .word }.map(\.text))
  }

  /// Returns all words of a source, with those in comments and strings: the learner has read the whole stub.
  private static func allWords(_ source: String) -> Set<String> {
    Set(source.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
  }

  /// Returns the predicate operators in a source's strings, such as `SUBQUERY` and `BEGINSWITH`.
  private static func predicateWords(_ source: String) -> Set<String> {
    let lines = source.components(separatedBy: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    return Set(
      lines.flatMap { line in
        line.matches(of: #/"((?:[^"\\]|\\.)*)"/#).flatMap { text in
          text.1.matches(of: #/\b[A-Z]{2,}\b/#).map { String($0.0) }
        }
      })
  }

  // MARK: Names of its own

  /// Returns the names that a source itself introduces: declarations, parameters, patterns and closure arguments.
  private static func declared(_ source: String) -> Set<String> {
    let tokens = SwiftTokenizer.tokens(of: source)
    var names = Set<String>()
    for (index, token) in tokens.enumerated() where token.kind == .word {
      switch token.text {
      case "let", "var", "for", "case": names.formUnion(pattern(tokens[(index + 1)...]))
      case "class", "struct", "enum", "actor", "protocol", "typealias", "extension":
        if index + 1 < tokens.count { names.insert(tokens[index + 1].text) }
      case "func", "init":
        if token.text == "func", index + 1 < tokens.count { names.insert(tokens[index + 1].text) }
        names.formUnion(parameters(tokens[(index + 1)...]))
      case "in": names.formUnion(arguments(tokens[..<index]))
      default: break
      }
    }
    return names
  }

  /// Returns the names in a pattern at the start: `a`, `(a, b)` or `let a`.
  private static func pattern(_ tokens: ArraySlice<SwiftToken>) -> Set<String> {
    var names = Set<String>()
    var depth = 0
    for token in tokens {
      if token.isPunctuation("(") {
        depth += 1
      } else if token.isPunctuation(")") {
        depth -= 1
        if depth <= 0 { break }
      } else if token.kind == .word, !["let", "var"].contains(token.text) {
        names.insert(token.text)
        if depth == 0 { break }
      } else if depth == 0 {
        break
      }
    }
    return names
  }

  /// Returns the words before the colons in a function's parentheses.
  private static func parameters(_ tokens: ArraySlice<SwiftToken>) -> Set<String> {
    guard let open = tokens.firstIndex(where: { $0.isPunctuation("(") }) else { return [] }
    var names = Set<String>()
    var depth = 0
    var last: [String] = []
    for token in tokens[open...] {
      if token.isPunctuation("(") { depth += 1 }
      if token.isPunctuation(")") { depth -= 1 }
      if depth == 0 { break }
      if token.isPunctuation(":"), depth == 1 { names.formUnion(last) }
      if token.kind == .word { last.append(token.text) } else { last = [] }
    }
    return names
  }

  /// Returns the words between a closure's brace and its `in`.
  private static func arguments(_ tokens: ArraySlice<SwiftToken>) -> Set<String> {
    var names = Set<String>()
    for token in tokens.reversed() {
      if token.isPunctuation("{") { return names }
      guard token.kind == .word || [",", "(", ")", "[", "]"].contains(token.text) else { return [] }
      if token.kind == .word { names.insert(token.text) }
    }
    return []
  }
}
