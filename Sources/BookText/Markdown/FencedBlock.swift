import Foundation

/// A block between two fences, and what its opening fence says of where it comes from.
///
///     ```swift file=Chapters/01-ManualStack/CoreDataStack.swift region=context before=2
public struct FencedBlock: Sendable {
  /// `swift`, `sql`, `console`, …; empty if the fence names none.
  public let language: String
  /// The words after the language, in order; a word without `=` has an empty value.
  public let attributes: [(name: String, value: String)]
  public let body: [String]
  /// From the opening to the closing fence, numbered from 1.
  public let lines: ClosedRange<Int>

  /// The value of an attribute; nil if it isn't there.
  public subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// Whether the block says of itself that nothing checks it.
  public var isUnchecked: Bool { self["unchecked"] != nil }

  static func blocks(in lines: [String]) -> (blocks: [FencedBlock], openFence: Int?) {
    var blocks: [FencedBlock] = []
    var index = 0
    while index < lines.count {
      let fence = lines[index].prefix { $0 == "`" }
      guard fence.count >= 3 else {
        index += 1
        continue
      }
      guard let end = lines[(index + 1)...].firstIndex(where: { $0.trimmingCharacters(in: .whitespaces) == fence })
      else { return (blocks, index + 1) }
      let words = words(of: String(lines[index].dropFirst(fence.count)))
      blocks.append(
        FencedBlock(
          language: words.first.map { $0.value.isEmpty ? $0.name : "" } ?? "", attributes: Array(words.dropFirst()),
          body: Array(lines[(index + 1)..<end]), lines: (index + 1)...(end + 1)))
      index = end + 1
    }
    return (blocks, nil)
  }

  /// Words at blanks, but for those between double quotes.
  private static func words(of text: String) -> [(name: String, value: String)] {
    text.matches(of: #/([^\s=]+)(?:=(?:"([^"]*)"|(\S*)))?/#).map { match in
      (String(match.1), (match.2 ?? match.3).map(String.init) ?? "")
    }
  }
}
