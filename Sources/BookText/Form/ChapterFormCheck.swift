import Foundation

/// Checks the form of pages: a chapter's beginning and end, and correct blocks for teaching.
///
/// Chapter 0 is a first look, so it needs no questions at its end. Otherwise it is checked like every chapter.
public struct ChapterFormCheck {
  public static let mostWordsBeforeOutput = 350
  public static let mostWordsOfAside = 120
  static let firstChapterWithQuestions = 1

  public let book: Book
  let shelf: ExerciseShelf

  public init(book: Book) {
    self.book = book
    shelf = ExerciseShelf(book: book)
  }

  public func problems() -> [BookProblem] {
    (book.pages.flatMap(problems(of:)) + exercisesOutOfOrder()).sorted {
      ($0.file, $0.line ?? 0) < ($1.file, $1.line ?? 0)
    }
  }

  func problems(of page: Page) -> [BookProblem] {
    let blocks = page.markdown.teachingBlocks
    var problems = foldedParts(of: page) + cards(blocks, on: page)
    for block in blocks {
      switch block {
      case .card: break
      case .prediction(let prediction): problems += check(prediction, on: page)
      case .questions(let questions): problems += check(questions, on: page)
      case .aside(let aside): problems += check(aside, on: page)
      case .picture(let picture): problems += check(picture, on: page)
      case .next: break
      }
    }
    if case .chapter(let number) = page.place { problems += chapter(number, page, blocks) }
    return problems
  }

  // MARK: A chapter's beginning and end

  private func chapter(_ number: Int, _ page: Page, _ blocks: [TeachingBlock]) -> [BookProblem] {
    [promise(of: page), firstOutput(of: page), end(of: page, blocks)].compactMap { $0 }
      + (number < Self.firstChapterWithQuestions ? [] : [missingQuestions(page, blocks)].compactMap { $0 })
  }

  private func promise(of page: Page) -> BookProblem? {
    let paragraphs = page.markdown.proseRuns.filter {
      $0.kind == .paragraph && !$0.isQuoted && $0.plain.contains(where: \.isLetter) && !$0.text.hasPrefix("![")
    }
    guard paragraphs.count > 1 else {
      return page.problem(nil, "the chapter has no second paragraph, which says what the reader has \"At the end\"")
    }
    let words = paragraphs[1].plain.replacing("\n", with: " ")
    if words.contains("At the end") || words.contains("By the end") { return nil }
    return page.problem(
      paragraphs[1].lines.lowerBound,
      "the second paragraph does not promise a result; say what you will have, with \"At the end\" or \"By the end\"")
  }

  /// The number of words before the first output, and the line at which there are too many; nil if there is no output.
  func wordsBeforeOutput(of page: Page) -> (count: Int, late: Int?)? {
    guard let first = page.outputLines.min() else { return nil }
    var (count, late) = (0, Int?.none)
    for run in page.markdown.proseRuns where run.lines.lowerBound < first {
      count += run.wordCount
      if late == nil, count > Self.mostWordsBeforeOutput { late = run.lines.lowerBound }
    }
    return (count, late)
  }

  private func firstOutput(of page: Page) -> BookProblem? {
    guard let (count, late) = wordsBeforeOutput(of: page) else {
      return page.problem(
        nil,
        "the chapter shows no output; put a block with transcript= into its first \(Self.mostWordsBeforeOutput) words")
    }
    return late.map {
      page.problem(
        $0,
        "the first output comes after \(count) words; show one (transcript=) before word \(Self.mostWordsBeforeOutput), which is here"
      )
    }
  }

  private func end(of page: Page, _ blocks: [TeachingBlock]) -> BookProblem? {
    let lastLine = Self.lastLine(of: page)
    guard case .next(let next)? = blocks.last(where: { if case .next = $0 { true } else { false } }),
      next.lines.upperBound == lastLine
    else {
      return page.problem(lastLine, "the chapter does not end with \"**Next:** [Title](../NN-Name/README.md), …\"")
    }
    guard let following = chapter(after: page) else {
      return next.links.isEmpty ? page.problem(next.lines.lowerBound, "\"Next:\" has no link") : nil
    }
    let targets = next.links.map { BookCheck.path(String($0.target.prefix { $0 != "#" }), from: page.folder) }
    if targets.contains(following.path) { return nil }
    return page.problem(
      next.lines.lowerBound, "\"Next:\" does not lead to the chapter after this one, \(following.path)")
  }

  /// The last line with content.
  static func lastLine(of page: Page) -> Int {
    max(page.markdown.proseRuns.last?.lines.upperBound ?? 1, page.blocks.last?.lines.upperBound ?? 1)
  }

  /// The chapter after a chapter; nil after the last one.
  private func chapter(after page: Page) -> Page? {
    guard let index = book.pages.firstIndex(where: { $0.path == page.path }), index + 1 < book.pages.count,
      case .chapter = book.pages[index + 1].place
    else { return nil }
    return book.pages[index + 1]
  }

  // MARK: Folded parts, asides and pictures

  private func foldedParts(of page: Page) -> [BookProblem] {
    let markdown = page.markdown
    var problems = markdown.strayDetailsEnds.map { page.problem($0, "this </details> closes nothing; take it away") }
    for details in markdown.details {
      if !details.isClosed {
        problems.append(page.problem(details.lines.lowerBound, "this <details> is never closed; write </details>"))
      }
      if details.summary.isEmpty {
        problems.append(
          page.problem(details.lines.lowerBound, "this <details> has no summary; write <summary>…</summary> behind it"))
      } else if details.summary.contains("`") {
        problems.append(
          page.problem(details.summaryLine, "a summary is HTML; write <code>…</code> in place of backticks"))
      }
      let behind = details.summaryLine < markdown.lines.count ? markdown.lines[details.summaryLine] : ""
      if !details.summary.isEmpty, !behind.trimmingCharacters(in: .whitespaces).isEmpty {
        problems.append(
          page.problem(
            details.summaryLine, "put an empty line behind the summary; without it Markdown is not read in the part"))
      }
    }
    for line in markdown.proseLines where line.text.contains(Patterns.prediction) {
      if !markdown.details.contains(where: { $0.lines.contains(line.number) && $0.summary.hasPrefix("Predict:") }) {
        problems.append(
          page.problem(line.number, "\"Predict:\" stands outside of a <details>, as whose <summary> it belongs"))
      }
    }
    return problems
  }

  private func check(_ prediction: TeachingBlock.Prediction, on page: Page) -> [BookProblem] {
    if page.outputLines.contains(where: prediction.details.lines.contains) { return [] }
    return [
      page.problem(
        prediction.details.lines.lowerBound,
        "the answer to \"Predict:\" is not checked; show it in a block with transcript=")
    ]
  }

  private func check(_ aside: TeachingBlock.Aside, on page: Page) -> [BookProblem] {
    guard aside.wordCount > Self.mostWordsOfAside else { return [] }
    return [
      page.problem(
        aside.lines.lowerBound,
        "the aside has \(aside.wordCount) words; cut it to \(Self.mostWordsOfAside), or make it text")
    ]
  }

  private func check(_ picture: TeachingBlock.Picture, on page: Page) -> [BookProblem] {
    var problems: [BookProblem] = []
    let line = picture.lines.lowerBound
    if picture.words.split(whereSeparator: \.isWhitespace).count < 2 {
      problems.append(
        page.problem(line, "the picture's text is \"\(picture.words)\"; write a sentence that says what it shows"))
    }
    guard picture.target.hasSuffix(".svg"), picture.target.prefixMatch(of: #/[a-z]+:/#) == nil else { return problems }
    let path = BookCheck.path(picture.target, from: page.folder)
    // The check of links finds missing files.
    guard let drawing = try? book.text(path) else { return problems }
    for name in ["title", "desc"] where !Self.hasText(name, drawing) {
      problems.append(
        BookProblem(
          file: path, line: 1, "the drawing has no <\(name)> with words in it, which \(page.path):\(line) needs"))
    }
    return problems
  }

  private static func hasText(_ name: String, _ drawing: String) -> Bool {
    guard let start = drawing.range(of: "<\(name)(\\s[^>]*)?>", options: .regularExpression),
      let end = drawing[start.upperBound...].range(of: "</\(name)>")
    else { return false }
    return drawing[start.upperBound..<end.lowerBound].contains { $0.isLetter }
  }
}
