import Foundation
import OutputFiles

/// Compares the book with what it refers to: sources, transcripts, links.
public struct BookCheck {
  /// The greatest length of a line of shown code, so that a page need not scroll sideways.
  public static let longestLine = 96

  public struct Result: Sendable {
    public fileprivate(set) var problems: [BookProblem] = []
    /// The number of blocks in the book, and the blocks that nothing checks, with their reasons.
    public fileprivate(set) var blockCount = 0
    public fileprivate(set) var unchecked: [(page: String, line: Int, reason: String)] = []
    public fileprivate(set) var transcriptCount = 0
    /// The transcripts whose programs need a service that this machine lacks.
    public fileprivate(set) var skipped: [SkippedTranscript] = []

    /// The share of verified blocks in whole percent, rounded down.
    public var verifiedShare: Int { blockCount == 0 ? 100 : (blockCount - unchecked.count) * 100 / blockCount }
  }

  public let book: Book
  private let quoter: Quoter

  public init(book: Book) {
    self.book = book
    quoter = Quoter(book: book)
  }

  /// Runs all checks: of texts, regions and links, and, if there is a runner, of the programs' output.
  ///
  /// - Parameter form: whether to check the form of chapters and the voice of texts.
  public func run(programs runner: TranscriptRunner?, form: Bool = false) -> Result {
    var result = Result()
    let transcripts = transcripts(&result)
    for page in book.pages { check(page, transcripts, &result) }
    for page in book.pages { result.problems += checkTables(on: page, transcripts) }
    checkRegions(&result)
    result.problems += hiddenRecordings(transcripts)
    checkLinks(&result)
    checkRecords(&result)
    checkNotesAndParts(&result)
    if form { result.problems += ChapterFormCheck(book: book).problems() + VoiceCheck(book: book).problems() }
    if let runner { Self.compare(transcripts, runner, &result) }
    return result
  }

  // MARK: Blocks

  private func check(_ page: Page, _ transcripts: [Transcript], _ result: inout Result) {
    if let line = page.markdown.openFence {
      result.problems.append(page.problem(line, "this fence is never closed"))
    }
    result.blockCount += page.blocks.count
    for block in page.blocks {
      if block.isUnchecked {
        result.unchecked.append((page.path, block.lines.lowerBound, block["unchecked"] ?? ""))
      }
      do {
        try check(block, on: page, transcripts)
      } catch let problem as BookProblem {
        result.problems.append(problem)
      } catch {
        result.problems.append(page.problem(block.lines.lowerBound, "\(error)"))
      }
    }
    for line in page.markdown.proseLines
    where page.markdown.isIndentedCode(line) && page.markdown.lines[line.number - 2].isEmpty {
      result.problems.append(
        page.problem(line.number, "indented code: put it between fences that say where it is from"))
    }
  }

  private func check(_ block: FencedBlock, on page: Page, _ transcripts: [Transcript]) throws {
    let first = block.lines.lowerBound
    if let line = block.body.firstIndex(where: SourceRegions.isMark) {
      throw page.problem(first + 1 + line, "the mark of a region shows")
    }
    if block.isUnchecked {
      guard block["unchecked"]?.isEmpty == false else {
        throw page.problem(first, "an unchecked block says why: unchecked=\"…\"")
      }
    } else if let body = try Weaver.body(of: block, on: page, quoter) {
      try check(block, on: page, is: body)
    } else if let name = block["transcript"] {
      try check(block, on: page, quotes: name, transcripts)
    } else if block["command"] != nil {
      try check(block, on: page, commands: transcripts)
    } else {
      throw page.problem(first, "the block does not say where it is from: file=, transcript=, command or unchecked=")
    }
  }

  private func check(_ block: FencedBlock, on page: Page, is body: [String]) throws {
    let first = block.lines.lowerBound
    if let index = body.indices.first(where: { $0 >= block.body.count || block.body[$0] != body[$0] }) {
      throw page.problem(
        min(first + 1 + index, block.lines.upperBound), "the source has \"\(body[index])\" here; `book weave` writes it"
      )
    }
    guard block.body.count == body.count else {
      throw page.problem(first + 1 + body.count, "the source has no such line here; `book weave` takes it away")
    }
    // Each line of a difference begins with a sign, which takes a column.
    let longest = Self.longestLine + (block.language == "diff" ? 1 : 0)
    if ["swift", "diff", "json"].contains(block.language),
      let index = body.indices.first(where: { body[$0].count > longest })
    {
      throw page.problem(first + 1 + index, "the line has \(body[index].count) columns; a page shows \(longest)")
    }
  }

  private func check(
    _ block: FencedBlock, on page: Page, quotes name: String, _ transcripts: [Transcript]
  ) throws {
    let path = page.path(ofTranscript: name)
    guard let transcript = transcripts.first(where: { $0.path == path }) else {
      throw page.problem(block.lines.lowerBound, "there is no \(path)")
    }
    let isThere =
      block.language == "sql"
      ? TranscriptQuote.showsStatements(block.body, of: transcript)
      : TranscriptQuote.shows(block.body, of: transcript)
    guard isThere else {
      let known = Set(transcript.text.components(separatedBy: "\n"))
      let line =
        block.language == "sql"
        ? nil
        : block.body.firstIndex {
          !known.contains($0) && $0.trimmingCharacters(in: .whitespaces) != TranscriptQuote.omission
        }
      throw page.problem(
        block.lines.lowerBound + (line.map { $0 + 1 } ?? 0), "this is not in \(path), or not in this order")
    }
  }

  private func check(_ block: FencedBlock, on page: Page, commands transcripts: [Transcript]) throws {
    guard !block.body.isEmpty else { throw page.problem(block.lines.lowerBound, "there is no command in the block") }
    for (index, line) in block.body.enumerated() where !isCommand(line, transcripts) {
      throw page.problem(
        block.lines.lowerBound + 1 + index, "\"\(line)\" is neither a transcript's command nor a script of the project")
    }
  }

  private func isCommand(_ line: String, _ transcripts: [Transcript]) -> Bool {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 2, words[0] == "$" else { return false }
    if words[1].hasPrefix("Scripts/") {
      return FileManager.default.isExecutableFile(atPath: book.root.appendingPathComponent(words[1]).path)
    }
    if words.prefix(3) == ["$", "swift", "run"], words.count > 3, ["book", "learn"].contains(words[3]) { return true }
    return transcripts.contains { $0.steps.contains { $0.command == line } }
  }

  // MARK: Regions

  private func checkRegions(_ result: inout Result) {
    var shown = Set<[String]>()
    for block in book.pages.flatMap(\.blocks) {
      if let file = block["file"], let region = block["region"] { shown.insert([file, region]) }
      for side in [block["from"], block["to"]].compactMap({ $0 }) {
        shown.insert(side.split(separator: "#", maxSplits: 1).map(String.init))
      }
    }
    for file in book.files(endingIn: ".swift") {
      guard let source = try? book.text(file) else {
        result.problems.append(BookProblem(file: file, "the source can't be read as text in UTF-8"))
        continue
      }
      let regions = SourceRegions(source, file: file)
      result.problems += regions.problems
      for region in regions.regions where !region.isHidden && !shown.contains([file, region.name]) {
        result.problems.append(
          BookProblem(
            file: file, line: region.marks.lowerBound, "the region \"\(region.name)\" is shown nowhere in the book"))
      }
    }
  }

  // MARK: Recordings

  /// Recordings that no block shows. The content of shown ones is checked with their blocks.
  private func hiddenRecordings(_ transcripts: [Transcript]) -> [BookProblem] {
    let shown = Set(
      book.pages.flatMap { page in
        page.blocks.filter { $0.language == "steps" }.compactMap { page.path(ofTranscript: $0["transcript"] ?? "") }
      })
    return transcripts.filter { $0.output.contains("{\"recording\"") && !shown.contains($0.path) }.map { transcript in
      BookProblem(
        file: transcript.path, line: 1,
        "no text shows this recording; put a block ```steps transcript=\(transcript.name) where its idea is")
    }
  }

  // MARK: Notes, parts and figures

  private func checkNotesAndParts(_ result: inout Result) {
    for page in book.pages {
      for notes in page.markdown.lineNotes {
        result.problems += notes.problems(notes.block.map { page.blocks[$0] }).map {
          page.problem($0.line, $0.sentence)
        }
      }
      let headings = page.markdown.headings
      for parts in page.markdown.sectionParts {
        guard let sentence = parts.problem(below: headings.first { $0.line == parts.line - 1 }) else { continue }
        result.problems.append(page.problem(parts.line, sentence))
      }
    }
  }

  private func checkRecords(_ result: inout Result) {
    for page in book.pages {
      for request in page.markdown.figureRequests {
        let path = Self.path(request.file, from: page.folder)
        guard !FileManager.default.fileExists(atPath: book.root.appendingPathComponent(path).path) else { continue }
        result.problems.append(page.problem(request.line, "there is no \(path), of which figures are to be made"))
      }
    }
  }

  // MARK: Links

  private func checkLinks(_ result: inout Result) {
    var anchors: [String: Set<String>] = [:]
    for page in book.pages { anchors[page.path] = Set(page.markdown.headings.map(\.anchor)) }
    for page in book.pages {
      for link in page.markdown.links {
        if let sentence = problem(of: link.target, on: page, anchors) {
          result.problems.append(page.problem(link.line, sentence))
        }
      }
    }
  }

  private func problem(of target: String, on page: Page, _ anchors: [String: Set<String>]) -> String? {
    if target.firstMatch(of: #/^[a-z]+:/#) != nil { return nil }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let file = parts[0].isEmpty ? page.path : Self.path(parts[0], from: page.folder)
    guard FileManager.default.fileExists(atPath: book.root.appendingPathComponent(file).path) else {
      return "the link \"\(target)\" leads nowhere"
    }
    guard parts.count == 2, let known = anchors[file] else { return nil }
    return known.contains(parts[1]) ? nil : "the link \"\(target)\" leads to no heading of \(file)"
  }

  /// Turns a path that is relative to a folder into one from the package's root.
  public static func path(_ relative: String, from folder: String) -> String {
    var parts = folder.split(separator: "/").map(String.init)
    for part in relative.split(separator: "/") {
      switch part {
      case ".": break
      case "..": _ = parts.popLast()
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }

  // MARK: Transcripts

  /// The book's transcripts. Those of the tools' programs are in the chapters' folders too.
  private func transcripts(_ result: inout Result) -> [Transcript] {
    var transcripts: [Transcript] = []
    for path in book.files(endingIn: ".transcript") {
      do {
        transcripts.append(try Transcript(path: path, text: try book.text(path)))
      } catch let problem as BookProblem {
        result.problems.append(problem)
      } catch {
        result.problems.append(BookProblem(file: path, "\(error)"))
      }
    }
    result.transcriptCount = transcripts.count
    return transcripts
  }

  /// Runs the transcripts, and reports the first line of each that differs from what its program prints.
  private static func compare(_ transcripts: [Transcript], _ runner: TranscriptRunner, _ result: inout Result) {
    for (transcript, outcome) in TranscriptRun.all(transcripts, runner) {
      switch outcome {
      case .failure(let error): result.addFailure(error, of: transcript)
      case .success(let output):
        guard output != transcript.output else { continue }
        let (old, new) = (transcript.output.components(separatedBy: "\n"), output.components(separatedBy: "\n"))
        let index =
          zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
        let printed = index < new.count ? "prints \"\(new[index])\"" : "prints nothing more"
        result.problems.append(
          BookProblem(
            file: transcript.path, line: index + 2,
            "the program \(printed) here; `book check --bless` writes what it prints"))
      }
    }
  }

  /// Runs the transcripts, and writes the output into those that differ.
  ///
  /// - Returns: the paths of the changed transcripts, the problems, and the skipped transcripts.
  public func bless(
    programs runner: TranscriptRunner
  ) throws -> (changed: [String], problems: [BookProblem], skipped: [SkippedTranscript]) {
    var result = Result()
    var changed: [String] = []
    for (transcript, outcome) in TranscriptRun.all(transcripts(&result), runner) {
      switch outcome {
      case .failure(let error): result.addFailure(error, of: transcript)
      case .success(let output) where output != transcript.output:
        let text = transcript.command + "\n" + output
        try OutputFile.write(Data(text.utf8), to: book.root.appendingPathComponent(transcript.path).path)
        changed.append(transcript.path)
      case .success: break
      }
    }
    return (changed, result.problems, result.skipped)
  }
}

extension BookCheck.Result {
  /// Records why a transcript's program printed nothing to compare.
  fileprivate mutating func addFailure(_ error: any Error, of transcript: Transcript) {
    switch error {
    case let skip as SkippedTranscript: skipped.append(skip)
    case let problem as BookProblem: problems.append(problem)
    default: problems.append(BookProblem(file: transcript.path, line: 1, "\(error)"))
    }
  }
}
