/// A comment in whose place the built pages have the tables and drawings of a recorded run:
///
///     <!-- figures measured.json -->
///
/// Where a text is only read as Markdown, nothing stands there.
public struct FigureRequest: Equatable, Sendable {
  /// From 1.
  public let line: Int
  /// The record's file, relative to the page's folder.
  public let file: String

  /// The file that a comment asks for; nil for any other comment.
  public static func file(inComment text: some StringProtocol) -> String? {
    String(text).wholeMatch(of: Patterns.figures).map { String($0.1) }
  }
}

extension MarkdownText {
  public var figureRequests: [FigureRequest] {
    proseLines.compactMap { line in
      FigureRequest.file(inComment: line.text).map { FigureRequest(line: line.number, file: $0) }
    }
  }
}
