/// The parts of a stack that a section speaks of, as its author says below the heading:
///
///     ## Ask first, then save
///     <!-- parts: context, store -->
///
/// Where a text is only read as Markdown, nothing stands there. The built pages have a mark for each part, with the
/// colour and the shape that the part has in every drawing.
public struct SectionParts: Sendable {
  public static let most = 3

  public enum Part: String, CaseIterable, Sendable {
    case objects, context, coordinator, store, model
    case sql = "SQL"
  }

  /// In the text, from 1.
  public let line: Int
  public let names: [String]

  /// The named parts; what is no part's name is left out.
  public var parts: [Part] { names.compactMap(Part.init) }

  /// What a comment says; nil for any other comment.
  public static func names(inComment text: some StringProtocol) -> [String]? {
    String(text).wholeMatch(of: Patterns.parts).map { match in
      match.1.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmingPrefix(" ") }.map(
        String.init)
    }
  }

  /// What is wrong with them; nil if nothing is.
  ///
  /// - Parameter heading: That on the line above; nil if there is none.
  func problem(below heading: MarkdownText.Heading?) -> String? {
    guard let heading, heading.level == 2 || heading.level == 3 else {
      return "parts stand right below the heading of a section"
    }
    if let unknown = names.first(where: { Part(rawValue: $0) == nil }) {
      return "\"\(unknown)\" is no part of a stack; these are: \(Part.allCases.map(\.rawValue).joined(separator: ", "))"
    }
    if Set(names).count < names.count { return "a part is named twice" }
    return names.count > Self.most
      ? "\(names.count) parts are all of them, and so none; name at most \(Self.most)" : nil
  }
}

extension MarkdownText {
  public var sectionParts: [SectionParts] {
    proseLines.compactMap { line in
      SectionParts.names(inComment: line.text).map { SectionParts(line: line.number, names: $0) }
    }
  }
}
