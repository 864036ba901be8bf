import Foundation
import Testing

@testable import CoreData

@Suite("Formats at random")
struct FuzzTests {
  private static let pieces = [
    "a", "b.c", "SELF", "$x", "#size", "@count", ".", ",", ":", ":=", "(", ")", "{", "}", "[", "]", "[cd]",
    "==", "!=",
    "<", ">=", "<<", "&", "|", "^", "~", "+", "-", "*", "**", "/", "!", "&&", "||", "AND", "OR", "NOT", "ANY",
    "ALL",
    "NONE", "IN", "BETWEEN", "CONTAINS", "LIKE", "MATCHES", "BEGINSWITH", "TRUEPREDICATE", "YES", "nil", "1",
    "2.5",
    "0x1F", "'x'", "\"y\"", "'", "\\", "%@", "%K", "%d", "%", "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(",
    "FETCH(",
    "lowercase(", "max(", "modulus:by:(", "UNION", "MINUS", "ANYKEY", "[FIRST]", "[SIZE]", "é", "日", "😀",
    "\u{301}",
    "“", " ", "\n", "isKindOfClass:", "UTI-EQUALS", "1e", "0b2", "\\u12",
  ]

  /// Reads, and does with what was read all that a program may do.
  private func use(_ format: String) {
    let arguments: [Any?] = ["x", 1, nil, [1, "a"], 2.5]
    guard let node = try? PredicateParser.predicate(format, arguments: arguments) else {
      _ = try? PredicateParser.expression(format, arguments: arguments)
      return
    }
    let text = PredicatePrinter.print(node)
    let back = try? PredicateParser.predicate(text)
    #expect(back == node.numeric || format.contains("%K"), "\(format) -> \(text)")
    _ = node.hashValue
    _ = node.substituting(["x": .constant(.int(1))])
    if let evaluator = try? PredicateEvaluator(node, variables: ["x": .null]) {
      _ = try? evaluator.matches(PredicateValue(any: Library.book))
      _ = try? evaluator.matches(.null)
    }
  }

  @Test("No sequence of tokens ends the program, and what is read prints as what reads the same")
  func tokens() {
    var random = TreeMaker(seed: 99)
    for _ in 0..<20_000 {
      let count = 1 + random.next(14)
      use(
        (0..<count).map { _ in FuzzTests.pieces[random.next(FuzzTests.pieces.count)] }.joined(
          separator: random.next(4) == 0 ? "" : " "))
    }
  }

  @Test("Nor does one character more, less or other in a sound format")
  func mutations() {
    var random = TreeMaker(seed: 3)
    for (format, _) in TypicalFormats.all {
      for _ in 0..<40 {
        var bytes = Array(format.utf8)
        let place = random.next(bytes.count)
        switch random.next(4) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = UInt8(random.next(256))
        case 2: bytes.insert(UInt8(random.next(256)), at: place)
        default: bytes = Array(bytes[..<place])
        }
        use(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  @Test("Nor do bytes at random")
  func bytes() {
    var random = TreeMaker(seed: 5)
    for _ in 0..<5_000 {
      use(String(decoding: (0..<random.next(40)).map { _ in UInt8(random.next(256)) }, as: UTF8.self))
    }
  }
}
