/// The part of a file that a block quotes, as it is now.
public struct Quotation: Sendable {
  public struct Line: Sendable {
    /// The line number in the file, counted from 1.
    public let number: Int
    /// The text without the indentation that all lines share.
    public let text: String
    /// Whether the line is only shown to help the reader find the place.
    public let isContext: Bool
  }

  /// The path from the package's root.
  public let file: String
  /// The name of the quoted region, symbol or element, or its lines; nil for the whole file.
  public let name: String?
  /// The declaration that contains the lines: `class CoreDataStack`.
  public let enclosing: String?
  public let lines: [Line]

  public var fileName: String { file.split(separator: "/").last.map(String.init) ?? file }

  /// A label such as `CoreDataStack.swift, in class CoreDataStack`.
  public var label: String { fileName + (enclosing.map { ", in \($0)" } ?? "") }

  /// An id for links to the snippet: `CoreDataStack.swift-context`.
  public var anchor: String {
    (fileName + (name.map { "-\($0)" } ?? "")).map { character in
      character.isLetter || character.isNumber || "-._".contains(character) ? String(character) : "-"
    }.joined()
  }

  /// The text between the block's fences: the source as a comment in the block's language, then the lines.
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
