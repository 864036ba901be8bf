/// What a block quotes from a file, as the file has it now.
public struct Quotation: Sendable {
  public struct Line: Sendable {
    /// In the file, from 1.
    public let number: Int
    /// Without the indentation that all lines share.
    public let text: String
    /// Whether it only shows what stands around.
    public let isContext: Bool
  }

  /// From the package's root.
  public let file: String
  /// What was asked for: a region's, a symbol's or an element's name, or the lines; nil for the whole file.
  public let name: String?
  /// The declaration in which the lines stand: `class CoreDataStack`.
  public let enclosing: String?
  public let lines: [Line]

  public var fileName: String { file.split(separator: "/").last.map(String.init) ?? file }

  /// `CoreDataStack.swift, in class CoreDataStack`
  public var label: String { fileName + (enclosing.map { ", in \($0)" } ?? "") }

  /// A name for links to the snippet: `CoreDataStack.swift-context`.
  public var anchor: String {
    (fileName + (name.map { "-\($0)" } ?? "")).map { character in
      character.isLetter || character.isNumber || "-._".contains(character) ? String(character) : "-"
    }.joined()
  }

  /// What a block in the text has between its fences: where the code comes from, as a comment of its language, and
  /// the lines.
  public func body(language: String) -> [String] {
    let head: String? =
      switch language {
      case "swift": "// \(label)"
      case "sql": "-- \(label)"
      case "xml": "<!-- \(label) -->"
      case "yaml": "# \(label)"
      default: nil
      }
    return (head.map { [$0] } ?? []) + lines.map(\.text)
  }
}
