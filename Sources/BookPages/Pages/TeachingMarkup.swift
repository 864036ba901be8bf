import BookText
import Foundation

/// Prepares a page's text for the Markdown program. Comments take the place of fenced blocks, and blocks for teaching
/// are put into elements that the style sheet knows:
///
///     <div class="card">       <details class="predict">    <div class="questions">, in it <details class="answer">
///     <div class="next">       <aside class="aside">, or in the margin:
///                              <div class="beside"><aside class="aside margin">…</aside>the paragraph</div>
///     <div class="noted">the block <details class="line-notes">
struct TeachingMarkup {
  private let page: Page
  private let runs: [ProseRun]
  private let blocks: [TeachingBlock]
  /// The replacements for lines; an empty range of lines inserts text. Indices are counted from 0.
  private var edits: [(lines: Range<Int>, text: [String])] = []

  static func text(of page: Page, placeholder: (Int) -> String) -> String {
    var markup = TeachingMarkup(page)
    let notes = page.markdown.lineNotes
    for (index, block) in page.blocks.enumerated() {
      let opening = notes.contains { $0.block == index } ? ["", "<div class=\"noted\">"] : []
      markup.replace(block.lines, opening + ["", placeholder(index), ""])
    }
    for notes in notes where notes.block != nil { markup.add(notes) }
    for block in markup.blocks { markup.add(block) }
    return markup.applied
  }

  private init(_ page: Page) {
    self.page = page
    runs = page.markdown.proseRuns
    blocks = page.markdown.teachingBlocks
  }

  private mutating func replace(_ lines: ClosedRange<Int>, _ text: [String]) {
    edits.append(((lines.lowerBound - 1)..<lines.upperBound, text))
  }

  private mutating func insert(_ text: [String], before index: Int) { edits.append((index..<index, text)) }

  private var applied: String {
    var lines = page.markdown.lines
    for edit in edits.sorted(by: { $0.lines.lowerBound > $1.lines.lowerBound }) {
      lines.replaceSubrange(edit.lines, with: edit.text)
    }
    return lines.joined(separator: "\n")
  }

  // MARK: Blocks

  private mutating func add(_ block: TeachingBlock) {
    switch block {
    case .card(let card):
      let words = page.markdown.lines[(card.lines.lowerBound - 1)..<card.lines.upperBound]
        .map { $0.drop { $0 == ">" || $0 == " " } }.joined(separator: "\n")
      replace(card.lines, Self.element("div class=\"card\"", [words]))
    case .prediction(let prediction): fold(prediction.details, "predict")
    case .questions(let questions):
      insert(["", "<div class=\"questions\">", ""], before: questions.lines.lowerBound)
      insert(["", "</div>", ""], before: questions.lines.upperBound)
      for question in questions.questions { question.answer.map { fold($0, "answer") } }
    case .aside(let aside): add(aside)
    // A picture is already a figure.
    case .picture: break
    case .next(let next):
      let words = page.markdown.lines[(next.lines.lowerBound - 1)..<next.lines.upperBound]
      replace(next.lines, Self.element("div class=\"next\"", Array(words)))
    }
  }

  /// An element with lines of Markdown inside. Empty lines around them make the program read them as Markdown.
  private static func element(_ tag: String, _ lines: [String]) -> [String] {
    let name = tag.prefix { $0 != " " }
    return ["", "<\(tag)>", ""] + lines + ["", "</\(name)>", ""]
  }

  private mutating func add(_ notes: LineNotes) {
    let items = page.markdown.lines[notes.lines.lowerBound..<notes.lines.upperBound]
    let summary = notes.notes.count == 1 ? "A note" : "\(notes.notes.count) notes"
    replace(
      notes.lines,
      ["", "<details class=\"line-notes\">", "<summary>\(summary) on this code</summary>", ""] + items
        + ["", "</details>", "", "</div>", ""])
  }

  private mutating func fold(_ details: Details, _ name: String) {
    guard !details.summary.isEmpty else { return }
    let summary = details.summary.replacing(#/^Predict:/#, with: "<b>Predict:</b>")
    replace(
      details.lines.lowerBound...details.summaryLine,
      ["", "<details class=\"\(name)\">", "<summary>\(summary)</summary>", ""])
  }

  private mutating func add(_ aside: TeachingBlock.Aside) {
    let (lead, rest) = aside.parts
    let before = paragraph(before: aside)
    let isBeside = hasRoom(aside, beside: before)
    let tag = isBeside ? "aside class=\"aside margin\" role=\"note\"" : "aside class=\"aside\" role=\"note\""
    // A short aside needs no fold, and a summary can't contain a link.
    let inside =
      rest.isEmpty || lead.contains("](")
      ? ["**Aside.** \(rest.isEmpty ? lead : "\(lead) \(rest)")"]
      : ["<details>", "<summary>", "", "**Aside.** \(lead)", "", "</summary>", "", rest, "", "</details>"]
    let element = Self.element(tag, inside)
    guard isBeside, let before else { return replace(aside.lines, element) }
    // A floating element must come before the text that it is beside. If it doesn't float, the style sheet puts it
    // after.
    let words = page.markdown.lines[(before.lines.lowerBound - 1)..<before.lines.upperBound]
    replace(
      before.lines.lowerBound...aside.lines.upperBound,
      Self.element("div class=\"beside\"", element + Array(words)))
  }

  // MARK: The margin

  /// The paragraph directly before an aside, which the aside comments on; nil if there is none.
  private func paragraph(before aside: TeachingBlock.Aside) -> ProseRun? {
    guard let run = runs.last(where: { $0.lines.upperBound < aside.lines.lowerBound }), run.kind == .paragraph,
      !run.isQuoted, !run.text.hasPrefix("![")
    else { return nil }
    let between = page.markdown.lines[run.lines.upperBound..<(aside.lines.lowerBound - 1)]
    return between.allSatisfy(\.isEmpty) ? run : nil
  }

  /// Whether the paragraph and the text after the aside are as high as the aside in the margin. A wide element, such as
  /// code, begins below both, so a gap would open in the text otherwise.
  ///
  /// Heights are estimated in lines of the text column, as the style sheet sets it from a width of 1200 pixels.
  private func hasRoom(_ aside: TeachingBlock.Aside, beside paragraph: ProseRun?) -> Bool {
    guard let paragraph else { return false }
    let last = aside.lines.upperBound
    let wide =
      page.blocks.map(\.lines.lowerBound)
      + runs.filter { $0.kind == .cell || $0.kind == .html }.map(\.lines.lowerBound)
      + blocks.filter { if case .aside = $0 { true } else { false } }.map(\.lines.lowerBound)
    let end = wide.filter { $0 > last }.min() ?? page.markdown.lines.count + 1
    let beside = [paragraph] + runs.filter { $0.lines.lowerBound > last && $0.lines.lowerBound < end }
    let height = beside.reduce(0) { $0 + Self.lines($1.plainWithCode.count, of: 72) + ($1.kind == .item ? 0.2 : 0.6) }
    return height >= (Self.lines(aside.text.count + 7, of: 30) + 1) * 0.75
  }

  private static func lines(_ characters: Int, of width: Int) -> Double {
    (Double(characters) / Double(width)).rounded(.up)
  }
}
