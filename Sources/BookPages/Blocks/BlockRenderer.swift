import BookText

/// Turns the fenced blocks of a page into figures.
///
/// It reads quoted code from the source again, because the text doesn't have the line numbers and doesn't tell context
/// from the rest.
struct BlockRenderer {
  let book: Book
  let page: Page
  let quoter: Quoter
  let places: Places
  /// The ids that are already used on the page.
  private var taken: [String: Int] = [:]

  init(book: Book, page: Page, quoter: Quoter, places: Places) {
    self.book = book
    self.page = page
    self.quoter = quoter
    self.places = places
  }

  /// - Parameter notes: the notes on the block's lines.
  /// - Throws: `BookProblem` if the block quotes something that doesn't exist.
  mutating func html(of block: FencedBlock, notes: LineNotes? = nil) throws -> String {
    if let recording = try book.recording(of: block, on: page) { return figure(of: recording, block).html }
    if let difference = try quoter.difference(of: block, on: page) { return figure(of: difference).html }
    var code = try quoter.quotation(of: block, on: page).map { figure(of: $0, block) } ?? figure(of: block)
    for (index, place) in (notes?.places(in: code.lines.map(\.text)) ?? []).enumerated() {
      if let place { code.lines[place].note = index + 1 }
    }
    return code.html
  }

  // MARK: Sources

  private mutating func figure(of quotation: Quotation, _ block: FencedBlock) -> CodeFigure {
    let id = unique(quotation.anchor)
    return CodeFigure(
      id: id, caption: caption(of: quotation, id: id), language: block.language,
      lines: quotation.lines.map { CodeFigure.Line(number: $0.number, text: $0.text, isContext: $0.isContext) },
      // Xcode writes each element on one line, however long it is.
      isWrapped: block.language == "xml", marksShownLines: true)
  }

  private mutating func figure(of difference: SourceDifference) -> DifferenceFigure {
    let id = unique(difference.to.anchor + "-difference")
    let (from, to) = (link(to: difference.from), link(to: difference.to))
    return DifferenceFigure(
      id: id, caption: "<a href=\"#\(id.escapedForHTML)\">What changed</a>: \(from) became \(to)",
      difference: difference)
  }

  /// A caption such as `CoreDataStack.swift, in class CoreDataStack, lines 34–50`.
  private func caption(of quotation: Quotation, id: String) -> String {
    let name =
      "<a href=\"#\(id.escapedForHTML)\">\(Self.name(of: quotation).escapedForHTML.replacing("+", with: "<wbr>+"))</a>"
    let enclosing = quotation.enclosing.map { ", in <code>\($0.escapedForHTML)</code>" } ?? ""
    return "\(name)\(enclosing), \(link(to: quotation, says: Self.lines(quotation)))"
  }

  private func link(to quotation: Quotation) -> String {
    link(to: quotation, says: Self.name(of: quotation))
      + (quotation.enclosing.map { ", <code>\($0.escapedForHTML)</code>" } ?? "")
  }

  private func link(to quotation: Quotation, says text: String) -> String {
    let line = quotation.lines.first { !$0.isContext }?.number ?? 1
    let place = places.source(quotation.file) + "#L\(line)"
    return "<a class=\"source\" href=\"\(place.escapedForHTML)\">\(text.escapedForHTML)</a>"
  }

  /// The file's name. For a model, whose file is always named `contents`, it is the folder's name.
  private static func name(of quotation: Quotation) -> String {
    let parts = quotation.file.split(separator: "/").map(String.init)
    return quotation.fileName == "contents" ? parts.dropLast().last ?? quotation.fileName : quotation.fileName
  }

  private static func lines(_ quotation: Quotation) -> String {
    let numbers = quotation.lines.filter { !$0.isContext }.map(\.number)
    guard let first = numbers.first, let last = numbers.last else { return "empty" }
    return first == last ? "line \(first)" : "lines \(first)–\(last)"
  }

  // MARK: Recordings

  private mutating func figure(of recording: StepRecording, _ block: FencedBlock) -> StepFigure {
    let path = page.path(ofTranscript: block["transcript"] ?? "")
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return StepFigure(
      recording: recording, id: unique(String(file.dropLast(".transcript".count))),
      source: "<a class=\"source\" href=\"\(places.source(path).escapedForHTML)\">\(file.escapedForHTML)</a>")
  }

  // MARK: Transcripts, commands, and unchecked blocks

  private func figure(of block: FencedBlock) -> CodeFigure {
    var figure = CodeFigure(language: block.language, lines: block.body.map { CodeFigure.Line(text: $0) })
    if let name = block["transcript"] {
      let path = page.path(ofTranscript: name)
      let says = block.language == "sql" ? "The SQL that ran" : "Output"
      let file = path.split(separator: "/").last.map(String.init) ?? path
      figure.caption =
        "\(says), checked: <a class=\"source\" href=\"\(places.source(path).escapedForHTML)\">\(file.escapedForHTML)</a>"
      figure.classes = ["console"]
      figure.isWrapped = true
    } else if block["command"] != nil {
      figure.caption = "In a terminal"
      figure.classes = ["console"]
      figure.isWrapped = true
    } else if let reason = block["unchecked"] {
      figure.caption = "Not checked: \(reason.escapedForHTML)"
    }
    if ["console", "text", ""].contains(block.language) { figure.isWrapped = true }
    if block.language == "console" { Self.keepColumns(&figure.lines) }
    return figure
  }

  /// Keeps the lines of a printed table from being wrapped, because wrapped columns can't be read. It takes lines with
  /// gaps for a table if there are several of them; SQL statements have gaps too.
  private static func keepColumns(_ lines: inout [CodeFigure.Line]) {
    let rows = lines.indices.filter { index in
      !lines[index].text.contains("CoreData: ") && lines[index].text.contains(#/\S {2,}\S/#)
    }
    // Lines that fit on no screen are not shown as a table.
    guard rows.count >= 3, rows.allSatisfy({ lines[$0].text.count <= 112 }) else { return }
    for index in rows { lines[index].hasColumns = true }
  }

  /// The highlighter's name for the language of a file, by the file's extension.
  static func language(ofFile file: String) -> String {
    if file.hasSuffix(".xcdatamodel/contents") || file.hasSuffix(".svg") { return "xml" }
    switch file.split(separator: ".").last {
    case "swift": return "swift"
    case "xml", "plist": return "xml"
    case "json": return "json"
    case "yml", "yaml": return "yaml"
    case "sql": return "sql"
    case "transcript": return "console"
    default: return ""
    }
  }

  private mutating func unique(_ id: String) -> String {
    taken[id, default: 0] += 1
    return taken[id] == 1 ? id : "\(id)-\(taken[id]!)"
  }
}
