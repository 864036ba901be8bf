import BookText
import Foundation

/// Compares the declarations that a stub and its solution offer to other files.
package enum APIComparison {
  /// Returns the declarations that are not private, each without its body: `func f(_ a: Int) throws -> Int`.
  package static func declarations(_ source: String) -> Set<String> {
    let lines = source.components(separatedBy: "\n")
    let structure = SwiftStructure(source)
    var hidden: [ClosedRange<Int>] = []
    var result = Set<String>()
    for declaration in structure.declarations where declaration.kind != "import" {
      let signature = signature(lines, declaration)
      if isPrivate(signature) { hidden.append(declaration.lines) }
      guard
        !hidden.contains(where: {
          $0.contains(declaration.lines.lowerBound) && $0.contains(declaration.lines.upperBound)
        })
      else { continue }
      if structure.declarations.count(where: { $0.lines.lowerBound == declaration.lines.lowerBound }) > 1 {
        // A type with its members on one line: the line is all there is to compare.
        result.insert(normalised(lines, declaration.lines))
        continue
      }
      let scope = declaration.path.split(separator: ".").dropLast().joined(separator: ".")
      result.insert(scope.isEmpty ? signature : "\(scope): \(signature)")
    }
    return result
  }

  /// Returns a sentence for each declaration that only the stub or only the solution has.
  package static func differences(stub: String, solution: String) -> [String] {
    let (left, right) = (declarations(stub), declarations(solution))
    return left.subtracting(right).sorted().map { "only the stub declares `\($0)`" }
      + right.subtracting(left).sorted().map { "only the solution declares `\($0)`, which is not private" }
  }

  private static func isPrivate(_ signature: String) -> Bool {
    // `private(set)` does not hide the declaration.
    let words = signature.replacingOccurrences(of: "private(set)", with: "").prefix { $0 != "(" && $0 != ":" }
      .split(separator: " ")
    return words.contains("private") || words.contains("fileprivate")
  }

  /// Returns a declaration up to its body or initial value, with single blanks and without comments.
  private static func signature(_ lines: [String], _ declaration: SwiftStructure.Declaration) -> String {
    let isValue = ["var", "let"].contains(declaration.kind)
    let text = normalised(lines, declaration.lines)
    var depth = 0
    var end = text.endIndex
    var isQuoted = false
    for index in text.indices {
      switch text[index] {
      case "\"": isQuoted.toggle()
      case _ where isQuoted: break
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0, "=" where depth == 0 && isValue:
        end = index
      default: break
      }
      if end != text.endIndex { break }
    }
    return String(text[..<end]).trimmingCharacters(in: .whitespaces)
  }

  private static func normalised(_ lines: [String], _ range: ClosedRange<Int>) -> String {
    lines[(range.lowerBound - 1)...(range.upperBound - 1)].map(withoutComment).joined(separator: " ")
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func withoutComment(_ line: String) -> String {
    guard let comment = line.range(of: "//"), !line[..<comment.lowerBound].contains("\"") else { return line }
    return String(line[..<comment.lowerBound])
  }
}
