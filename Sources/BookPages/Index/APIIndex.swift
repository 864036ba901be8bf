/// The index of APIs: the sections of the book that mention each name of the module.
struct APIIndex {
  static let file = "apis.html"

  struct Mention: Hashable {
    var page: String
    var file: String
    var section: String
    var id: String
    /// Whether the name is in the section's heading.
    var isInHeading: Bool
  }

  struct Entry {
    var name: String
    /// The types with a member of this name; empty if the name is a type's.
    var owners: [String]
    var mentions: [Mention]
  }

  let entries: [Entry]

  init(pages: [RenderedPage], names: PublicNames) {
    var owners: [String: Set<String>] = [:]
    var mentions: [String: [Mention]] = [:]
    for page in pages {
      for section in page.sections {
        for (code, isInHeading) in section.headingCode.map({ ($0, true) }) + section.code.map({ ($0, false) }) {
          let meant = names.names(meantBy: code)
          guard let title = Self.title(of: meant) else { continue }
          owners[title, default: []].formUnion(meant.filter { !$0.isType }.map(\.owner))
          let mention = Mention(
            page: page.title, file: page.file, section: section.heading?.text ?? page.title,
            id: section.heading?.id ?? "",
            isInHeading: isInHeading)
          if mentions[title]?.contains(where: { $0.file == mention.file && $0.id == mention.id }) != true {
            mentions[title, default: []].append(mention)
          }
        }
      }
    }
    entries = mentions.map { title, mentions in
      let (first, later) = (mentions.filter(\.isInHeading), mentions.filter { !$0.isInHeading })
      return Entry(
        name: title, owners: owners[title, default: []].filter { !$0.isEmpty }.sorted(), mentions: first + later)
    }
    .sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
  }

  /// The name with its labels. If several names differ only in their labels, it is the part that they share.
  private static func title(of names: [PublicNames.Name]) -> String? {
    let different = Set(names.map(\.name))
    guard let first = different.first else { return nil }
    if different.count == 1 { return first }
    let base = String(first.prefix { $0 != "(" })
    return different.allSatisfy { $0.contains("(") } ? base + "(…)" : base
  }

  func page() -> RenderedPage {
    let letters = Dictionary(grouping: entries) { String($0.name.prefix(1)).uppercased() }.sorted { $0.key < $1.key }
    var content = """
      <h1>Index of APIs</h1>
      <p>The names of the module that the text speaks of, and where. A section with the name in its heading comes first, \
      in bold.</p>

      """
    var sections: [RenderedPage.Section] = []
    for (letter, entries) in letters {
      let heading = RenderedPage.Heading(level: 2, id: "letter-\(letter.lowercased())", html: letter, text: letter)
      sections.append(RenderedPage.Section(heading: heading))
      content += "<h2 id=\"\(heading.id)\">\(letter)</h2>\n<dl class=\"list-of-apis\">\n"
      content += entries.map(Self.html).joined()
      content += "</dl>\n"
    }
    return RenderedPage(file: Self.file, title: "Index of APIs", content: content, sections: sections)
  }

  private static func html(of entry: Entry) -> String {
    let owners = entry.owners.map { "<code>\($0.escapedForHTML)</code>" }.joined(separator: ", ")
    let places = entry.mentions.map { mention in
      let anchor = mention.id.isEmpty ? "" : "#\(mention.id)"
      let says = mention.section == mention.page ? mention.page : "\(mention.page): \(mention.section)"
      let link = "<a href=\"\((mention.file + anchor).escapedForHTML)\">\(says.escapedForHTML)</a>"
      return "<dd>\(mention.isInHeading ? "<b>\(link)</b>" : link)</dd>\n"
    }
    return "<dt><code>\(entry.name.escapedForHTML)</code>\(owners.isEmpty ? "" : " <small>\(owners)</small>")</dt>\n"
      + places.joined()
  }
}
