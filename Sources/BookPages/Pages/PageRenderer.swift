import BookText
import Foundation

/// Renders a text as a page. Blocks become figures, the Markdown program renders the rest, and its output gets ids,
/// links and diagrams.
struct PageRenderer {
  let book: Book
  let quoter: Quoter
  let markdown: MarkdownProgram
  var places: Places
  let glossary: GlossaryTerms
  private let figures: (any RecordedFigures)?

  /// - Parameter figures: makes the figures of recorded runs; nil if no page has any.
  init(book: Book, quoter: Quoter, markdown: MarkdownProgram, places: Places, figures: (any RecordedFigures)? = nil) {
    self.book = book
    self.quoter = quoter
    self.markdown = markdown
    self.places = places
    self.figures = figures
    glossary = GlossaryTerms(book: book)
  }

  /// - Parameter folder: the folder that relative links start from, as a path from the package's root; nil for the
  ///   page's own folder.
  /// - Throws: `BookProblem` if the page quotes or shows something that doesn't exist; `PagesProblem` if the Markdown
  ///   program fails.
  func render(_ page: Page, inFolder folder: String? = nil) throws -> RenderedPage {
    var blocks = BlockRenderer(book: book, page: page, quoter: quoter, places: places)
    let notes = page.markdown.lineNotes
    let figures = try page.blocks.enumerated().map { index, block in
      try blocks.html(of: block, notes: notes.first { $0.block == index })
    }
    let html = try markdown.html(of: TeachingMarkup.text(of: page, placeholder: Self.placeholder))
    var walk = Walk(page: page, folder: folder ?? page.folder, figures: figures, renderer: self)
    try walk.run(HTMLPiece.pieces(of: html))
    return RenderedPage(
      file: Places.file(of: page), title: walk.title ?? page.title, content: walk.output, sections: walk.sections,
      kind: page.markdown.figureRequests.isEmpty ? "" : FigurePart.kind)
  }

  /// - Parameter file: the file of the recorded run, relative to the page's folder.
  private func recorded(_ file: String, on page: Page) throws -> String {
    let path = BookCheck.path(file, from: page.folder)
    guard let figures else {
      throw PagesProblem("\(page.path) asks for the figures of \(path), and nothing is here that makes them.")
    }
    let record = Data(try book.text(path).utf8)
    do {
      if let html = try figures.html(of: record, snippets: PageFolder.Snippets(book: book, places: places)) {
        return html
      }
    } catch let error as DecodingError {
      throw PagesProblem("\(path) is a record, but not as the program writes it now: \(error)")
    }
    throw PagesProblem("\(path) is no record that figures can be made of.")
  }

  /// The text that takes a block's place. The Markdown program passes comments on unchanged.
  static func placeholder(_ index: Int) -> String { "<!--block \(index)-->" }

  /// Walks once through the HTML of a page.
  private struct Walk {
    let page: Page
    let folder: String
    let figures: [String]
    let renderer: PageRenderer
    private(set) var output = ""
    private(set) var sections: [RenderedPage.Section] = [RenderedPage.Section()]
    private(set) var title: String?
    private var anchors: [String: Int] = [:]
    private var diagrams = DiagramShelf()
    /// Whether the tags of a link without a target are being left out.
    private var leavesOutLink = false
    private var terms: GlossaryTerms.Links
    private var isInSummary = false
    private var isInPre = false
    /// The position in the output at which an unfinished table begins.
    private var tableStart: Int?

    init(page: Page, folder: String, figures: [String], renderer: PageRenderer) {
      self.page = page
      self.folder = folder
      self.figures = figures
      self.renderer = renderer
      terms = renderer.glossary.links(on: page, prefix: renderer.places.prefix)
    }

    mutating func run(_ pieces: [HTMLPiece]) throws {
      var index = 0
      while index < pieces.count {
        let piece = pieces[index]
        if case .tag(let tag) = piece { terms.pass(tag) }
        switch piece {
        case .comment(let text): try add(comment: text)
        case .text(let text):
          output += terms.linked(text)
          sections[sections.count - 1].text += text.unescapedFromHTML
        case .tag(let tag) where !tag.isEnd && Self.level(tag) != nil:
          let end = pieces[index...].firstIndex { Self.isEnd($0, of: tag.name) } ?? pieces.endIndex
          add(heading: Array(pieces[(index + 1)..<end]), tag)
          index = end
        case .tag(let tag) where tag.name == "p" && !tag.isEnd && isDiagram(pieces, at: index):
          try addDiagram(pieces, at: index)
          HTMLTag("</p>").map { terms.pass($0) }
          index += 2
        case .tag(let tag) where tag.name == "code" && !tag.isEnd:
          output += tag.html
          guard index + 1 < pieces.count, case .text(let text) = pieces[index + 1] else { break }
          sections[sections.count - 1].code.append(text.unescapedFromHTML)
          guard !isInPre else { break }
          output += UnbrokenCode.html(of: text)
          sections[sections.count - 1].text += text.unescapedFromHTML
          index += 1
        case .tag(let tag): add(tag)
        }
        index += 1
      }
    }

    // MARK: Pieces

    private mutating func add(comment: String) throws {
      if let file = FigureRequest.file(inComment: comment) {
        let html = try renderer.recorded(file, on: page)
        output += html
        sections += FigurePart.sections(of: html)
        return
      }
      if let names = SectionParts.names(inComment: comment) {
        output += PartMarks.html(names.compactMap(SectionParts.Part.init))
        return
      }
      guard let index = figures.indices.first(where: { PageRenderer.placeholder($0) == comment }) else { return }
      output += figures[index]
      sections[sections.count - 1].blocks += page.blocks[index].body.joined(separator: " ") + " "
    }

    private mutating func add(_ tag: HTMLTag) {
      var tag = tag
      switch tag.name {
      case "a" where tag.isEnd:
        if leavesOutLink { leavesOutLink = false } else { output += tag.html }
      case "a":
        if let target = tag["href"] {
          guard let link = renderer.places.link(target, from: folder) else {
            leavesOutLink = true
            return
          }
          tag["href"] = link
        }
        output += tag.html
      case "table":
        // Wide tables scroll in a box of their own, also with the keyboard.
        if !tag.isEnd { tableStart = output.utf8.count }
        output += tag.html
        if tag.isEnd, let start = tableStart {
          let table = output.utf8.index(output.startIndex, offsetBy: start)..<output.endIndex
          output.replaceSubrange(table, with: TableMarkup.html(of: String(output[table])))
        }
      case "pre":
        // Code without fences. The book has none, but other documents do.
        isInPre = !tag.isEnd
        output += tag.isEnd ? "</pre></div>" : "<div class=\"code bare\"><pre>"
      case "summary":
        isInSummary = !tag.isEnd
        output += tag.html
      case "p" where isInSummary:
        // A summary contains words, but no paragraphs.
        sections[sections.count - 1].text += " "
      case "p", "li", "td", "th", "dd", "dt", "h1":
        sections[sections.count - 1].text += " "
        output += tag.html
      default:
        output += tag.html
      }
    }

    private mutating func add(heading pieces: [HTMLPiece], _ tag: HTMLTag) {
      var inside: [HTMLPiece] = []
      var code: [String] = []
      for (index, piece) in pieces.enumerated() {
        // The heading is a link to itself, so it can't contain another.
        if case .tag(let tag) = piece, tag.name == "a" { continue }
        inside.append(piece)
        if case .tag(let tag) = piece, tag.name == "code", !tag.isEnd, index + 1 < pieces.count,
          case .text(let text) = pieces[index + 1]
        {
          code.append(text.unescapedFromHTML)
        }
      }
      let text = inside.plainText
      let id = anchor(of: text)
      let heading = RenderedPage.Heading(level: Self.level(tag) ?? 2, id: id, html: inside.html, text: text)
      if title == nil { title = text }
      sections.append(RenderedPage.Section(heading: heading, headingCode: code))
      output +=
        "<\(tag.name) id=\"\(id.escapedForHTML)\"><a class=\"anchored\" href=\"#\(id.escapedForHTML)\">"
        + "\(Self.numbered(inside.html, tag))</a></\(tag.name)>"
    }

    /// Puts a chapter's number into an element of its own, which the style sheet shows above the title.
    private static func numbered(_ html: String, _ tag: HTMLTag) -> String {
      guard tag.name == "h1", let match = html.prefixMatch(of: #/(\d+)\./#) else { return html }
      return "<span class=\"number\">\(match.1)<span class=\"unseen\">.</span></span>\(html.dropFirst(match.0.count))"
    }

    private mutating func anchor(of text: String) -> String {
      let anchor = MarkdownText.anchor(of: text)
      anchors[anchor, default: 0] += 1
      return anchors[anchor] == 1 ? anchor : "\(anchor)-\(anchors[anchor]! - 1)"
    }

    // MARK: Diagrams

    /// Whether a paragraph contains only one of the project's own drawings.
    private func isDiagram(_ pieces: [HTMLPiece], at index: Int) -> Bool {
      guard index + 2 < pieces.count, case .tag(let image) = pieces[index + 1], image.name == "img",
        Self.isEnd(pieces[index + 2], of: "p"), let source = image["src"]
      else { return false }
      return source.hasSuffix(".svg") && source.prefixMatch(of: #/[a-z]+:/#) == nil
    }

    private mutating func addDiagram(_ pieces: [HTMLPiece], at index: Int) throws {
      guard case .tag(let image) = pieces[index + 1], let source = image["src"] else { return }
      let path = BookCheck.path(source, from: folder)
      let drawing = diagrams.html(of: try renderer.book.text(path), named: path)
      output += "<figure class=\"diagram\">\(drawing)"
      if let words = image["alt"], !words.isEmpty { output += "\n<figcaption>\(words.escapedForHTML)</figcaption>" }
      output += "</figure>"
    }

    private static func level(_ tag: HTMLTag) -> Int? {
      guard tag.name.count == 2, tag.name.hasPrefix("h"), let level = Int(tag.name.dropFirst()) else { return nil }
      return level
    }

    private static func isEnd(_ piece: HTMLPiece, of name: String) -> Bool {
      if case .tag(let tag) = piece { tag.isEnd && tag.name == name } else { false }
    }
  }
}
