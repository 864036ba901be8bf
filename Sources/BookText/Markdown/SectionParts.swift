/// The parts of the stack that a section is about, named by a comment below the heading:
///
///     ## Ask first, then save
///     <!-- parts: context, store -->
///
/// Other renderers of Markdown show nothing for it. The built pages show a mark for each part, with the colour and
/// shape that the part has in every drawing.
public struct SectionParts: Sendable {
  public static let most = 3

  public enum Part: String, CaseIterable, Sendable {
    case objects, context, coordinator, store, model
    case sql = "SQL"
  }

  /// The line in the text, counted from 1.
  public let line: Int
  public let names: [String]

  /// The named parts. Unknown names are left out.
  public var parts: [Part] { names.compactMap(Part.init) }

  /// The names in a comment; nil if it is another comment.
  public static func names(inComment text: some StringProtocol) -> [String]? {
    String(text).wholeMatch(of: Patterns.parts).map { match in
      match.1.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmingPrefix(" ") }.map(
        String.init)
    }
  }

  /// The problem of the names; nil if there is none.
  ///
  /// - Parameter heading: the heading on the line above; nil if there is none.
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
