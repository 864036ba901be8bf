/// A comment that the built pages replace with the tables and drawings of a recorded run:
///
///     <!-- figures measured.json -->
///
/// Other renderers of Markdown show nothing for it.
public struct FigureRequest: Equatable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The file of the recorded run, relative to the page's folder.
  public let file: String

  /// The file that a comment names; nil if it is another comment.
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
