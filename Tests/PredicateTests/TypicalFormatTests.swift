import Foundation
import Testing

@testable import CoreData

@Suite("Formats as programs write them")
struct TypicalFormatTests {
  @Test("Each is read, printed, and read again as the same tree, which prints the same")
  func stable() throws {
    #expect(TypicalFormats.all.count > 200)
    for (format, arguments) in TypicalFormats.all {
      let node = try PredicateParser.predicate(format, arguments: arguments)
      let text = PredicatePrinter.print(node)
      // A class has no literal: its name reads as a key path.
      let back = try PredicateParser.predicate(text)
      #expect(PredicatePrinter.print(back) == text, "\(format)")
      if !format.contains("isKindOfClass") { #expect(back == node.numeric, "\(format)") }
      #expect(
        NSPredicate(format: format, argumentArray: arguments).predicateFormat
          == PredicatePrinter.print(node, style: .description))
    }
  }

  @Test("Each is compiled for evaluation in memory, or refused by name")
  func compile() throws {
    let values = TypicalFormats.variables
    for (format, arguments) in TypicalFormats.all {
      let node = try PredicateParser.predicate(format, arguments: arguments)
      do {
        _ = try PredicateEvaluator(node, variables: values)
      } catch {
        let words = (error as NSError).localizedDescription
        #expect(words.hasSuffix("is not implemented."), "\(format): \(words)")
        #expect(
          ["UTI", "uti", "distance", "ANYKEY", "FETCH"].contains { format.contains($0) },
          "\(format): \(words)")
      }
    }
  }

  @Test("Blanks between tokens change nothing, nor do capitals in keywords")
  func blanks() throws {
    for (format, arguments) in TypicalFormats.all where !format.contains("'") && !format.contains("\"") {
      let node = try PredicateParser.predicate(format, arguments: arguments)
      let spaced = format.replacingOccurrences(of: " ", with: " \n\u{A0}\t ")
      #expect(try PredicateParser.predicate(spaced, arguments: arguments) == node, "\(format)")
      let printed = PredicatePrinter.print(node)
      guard !printed.contains("\""), !printed.contains(":"), !format.contains("isKind") else { continue }
      let again = try PredicateParser.predicate(printed)
      for keyword in ["AND", "OR", "NOT", "ANY", "IN", "BETWEEN", "SELF", "SUBQUERY", "TERNARY", "CAST"] {
        let changed = printed.replacingOccurrences(of: keyword + " ", with: keyword.lowercased() + " ")
        #expect(try PredicateParser.predicate(changed) == again, "\(changed)")
      }
    }
  }
}

extension TypicalFormats {
  /// Values for the variables that the formats have.
  static var variables: [String: PredicateValue] {
    [
      "DATE": .null, "FETCH_SOURCE": .null, "OWNER": .null, "x": .null, "y": .null, "i": .null,
      "LIST": .values([]),
    ]
  }
}
