import Foundation

/// A fenced block, and the source that its opening fence names:
///
///     ```swift file=Chapters/01-ManualStack/CoreDataStack.swift region=context before=2
public struct FencedBlock: Sendable {
  /// `swift`, `sql`, `console`, …; empty if the fence names none.
  public let language: String
  /// The words after the language, in order. A word without `=` has an empty value.
  public let attributes: [(name: String, value: String)]
  public let body: [String]
  /// The lines from the opening to the closing fence, counted from 1.
  public let lines: ClosedRange<Int>

  /// The value of an attribute; nil if the fence doesn't have it.
  public subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// Whether the fence says that nothing checks the block.
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

  /// Splits at blanks, except inside double quotes.
  private static func words(of text: String) -> [(name: String, value: String)] {
    text.matches(of: #/([^\s=]+)(?:=(?:"([^"]*)"|(\S*)))?/#).map { match in
      (String(match.1), (match.2 ?? match.3).map(String.init) ?? "")
    }
  }
}
