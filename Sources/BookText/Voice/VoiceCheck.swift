import Foundation

/// Checks the voice of the texts: they speak to "you", in sentences that are read once, and without certain habits.
///
/// A line with the comment `<!-- voice: why -->` is exempt, for example because it quotes another text.
public struct VoiceCheck {
  /// The greatest number of words in a sentence, without code spans.
  public static let longestSentence = 40

  public let book: Book
  private let habits = VoiceHabit.all

  public init(book: Book) { self.book = book }

  public func problems() -> [BookProblem] {
    book.pages.flatMap(problems(of:)) + readme() + guides()
  }

  func problems(of page: Page) -> [BookProblem] {
    problems(in: page.markdown, file: page.path) + withoutReader(page)
  }

  // MARK: Texts

  private func readme() -> [BookProblem] {
    guard let text = try? book.text("README.md") else { return [] }
    return problems(in: MarkdownText(text), file: "README.md")
  }

  private func guides() -> [BookProblem] {
    ExerciseShelf(book: book).entries.flatMap { entry in
      // The fields of a guide are lines of one paragraph, but each is checked by itself.
      let lines = entry.text.components(separatedBy: "\n").map { $0.contains(#/^(?:Chapter|Minutes):/#) ? "" : $0 }
      return problems(in: MarkdownText(lines.joined(separator: "\n")), file: entry.path)
    }
  }

  /// Reports a chapter that never speaks to its reader.
  private func withoutReader(_ page: Page) -> [BookProblem] {
    guard case .chapter = page.place else { return [] }
    let speaks = page.markdown.proseRuns.contains { $0.plain.contains(#/\b[Yy]ou(?:r|rs|rself)?\b/#) }
    return speaks ? [] : [page.problem(nil, "the chapter never says \"you\"; write to the reader")]
  }

  // MARK: Prose

  func problems(in markdown: MarkdownText, file: String) -> [BookProblem] {
    markdown.proseRuns.flatMap { run -> [BookProblem] in
      let plain = run.plain
      let found = habits(in: plain, of: run) + Sentences.sentences(of: plain).flatMap { sentence(run, plain, $0) }
      return found.filter { !isExempt($0.lines, in: markdown) }
        .map { BookProblem(file: file, line: $0.lines.lowerBound, $0.sentence) }
    }
  }

  private typealias Finding = (lines: ClosedRange<Int>, sentence: String)

  private func habits(in plain: String, of run: ProseRun) -> [Finding] {
    habits.flatMap { habit in
      habit.pattern.matches(in: plain, range: NSRange(plain.startIndex..., in: plain)).compactMap { match in
        Range(match.range, in: plain).map { range in
          let line = run.line(of: range.lowerBound, in: plain)
          return (line...line, Self.sentence(says: plain[range], instead: habit.instead))
        }
      }
    }
  }

  private func sentence(_ run: ProseRun, _ plain: String, _ sentence: Substring) -> [Finding] {
    let last = sentence.isEmpty ? sentence.startIndex : sentence.index(before: sentence.endIndex)
    let lines = run.line(of: sentence.startIndex, in: plain)...run.line(of: last, in: plain)
    var found: [Finding] = []
    let count = Self.words(of: sentence)
    if count > Self.longestSentence {
      let beginning = sentence.split(whereSeparator: \.isWhitespace).prefix(4).joined(separator: " ")
        .replacing(String(ProseRun.code), with: "`…`")
      found.append(
        (
          lines,
          "the sentence \"\(beginning) …\" has \(count) words; make two of it, \(Self.longestSentence) are the most"
        ))
    }
    if [.paragraph, .item].contains(run.kind), let first = sentence.prefixMatch(of: #/Who(?:se)?\s+\w+/#),
      !sentence.contains("?")
    {
      found.append((lines.lowerBound...lines.lowerBound, Self.sentence(says: first.0, instead: "If you …")))
    }
    return found
  }

  private static func sentence(says words: Substring, instead: String) -> String {
    "\"\(words.replacing("\n", with: " ").replacing(String(ProseRun.code), with: "`…`"))\" is a habit; write: \(instead)"
  }

  /// The number of words outside of code.
  private static func words(of sentence: Substring) -> Int {
    sentence.split(whereSeparator: \.isWhitespace).count { word in
      word.contains { $0.isLetter || $0.isNumber } && !word.contains(ProseRun.code)
    }
  }

  private func isExempt(_ lines: ClosedRange<Int>, in markdown: MarkdownText) -> Bool {
    lines.contains { markdown.lines[$0 - 1].contains(#/<!--\s*voice:\s*[^\s-]/#) }
  }
}
