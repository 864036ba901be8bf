import Foundation

extension MarkdownText {
  /// The blocks for teaching, ordered by their first lines. A picture may be inside another block.
  public var teachingBlocks: [TeachingBlock] {
    let runs = proseRuns
    var blocks = runs.flatMap { run in [quote(run), next(run)].compactMap { $0 } + pictures(run) }
    blocks += details.compactMap(prediction)
    blocks += questions(runs).map { [.questions($0)] } ?? []
    return blocks.sorted { $0.lines.lowerBound < $1.lines.lowerBound }
  }

  var cards: [TeachingBlock.Card] {
    teachingBlocks.compactMap { if case .card(let card) = $0 { card } else { nil } }
  }

  // MARK: Cards and asides

  private func quote(_ run: ProseRun) -> TeachingBlock? {
    guard run.isQuoted, run.kind == .paragraph else { return nil }
    if run.text.hasPrefix("**Now you:**") { return .card(Self.card(run)) }
    guard let mark = run.text.prefixMatch(of: #/\*\*Aside\.\*\*\s*/#) else { return nil }
    return .aside(
      TeachingBlock.Aside(
        lines: run.lines, text: String(run.text[mark.range.upperBound...]), wordCount: run.wordCount - 1))
  }

  private static func card(_ run: ProseRun) -> TeachingBlock.Card {
    let text = run.text
    let unreadable = TeachingBlock.Card(
      lines: run.lines, title: "", link: nil, minutes: nil, command: nil, rest: "")
    guard let subject = text.prefixMatch(of: #/\*\*Now you:\*\*\s+(?:\[([^\]]+)\](?:\(([^)]*)\))?|([^\[\]`,:]+))/#)
    else {
      return unreadable
    }
    var rest = text[subject.range.upperBound...]
    let minutes = rest.prefixMatch(of: #/\s*,\s*([0-9]+)\s+minutes?/#)
    if let minutes { rest = rest[minutes.range.upperBound...] }
    let command = rest.prefixMatch(of: #/\s*:\s*`([^`]*)`/#)
    if let command { rest = rest[command.range.upperBound...] }
    let title = (subject.1 ?? subject.3 ?? "").replacing("\n", with: " ")
      .trimmingCharacters(in: .whitespaces.union(CharacterSet(charactersIn: ".")))
    guard command != nil || rest.allSatisfy({ $0 == " " || $0 == "." }) else { return unreadable }
    return TeachingBlock.Card(
      lines: run.lines, title: title, link: subject.2.map(String.init), minutes: minutes.flatMap { Int($0.1) },
      command: command.map { $0.1.replacing("\n", with: " ") }.map(String.init),
      rest: command == nil ? "" : String(rest))
  }

  // MARK: Predictions

  private func prediction(_ details: Details) -> TeachingBlock? {
    guard details.summary.hasPrefix("Predict:") else { return nil }
    let question = details.summary.dropFirst("Predict:".count).trimmingCharacters(in: .whitespaces)
    return .prediction(TeachingBlock.Prediction(details: details, question: question))
  }

  // MARK: Questions

  static let questionsHeading = "Five questions"

  private func questions(_ runs: [ProseRun]) -> TeachingBlock.Questions? {
    let headings = headings
    guard let index = headings.firstIndex(where: { $0.level == 2 && $0.text == Self.questionsHeading }) else {
      return nil
    }
    let first = headings[index].line
    let end = headings[(index + 1)...].first { $0.level <= 2 }.map { $0.line - 1 } ?? lines.count
    let inside = runs.filter { $0.lines.lowerBound > first && $0.lines.upperBound <= end }
    let starts = inside.filter { $0.kind == .paragraph && $0.text.prefixMatch(of: #/\*\*[0-9]+\. /#) != nil }
    let questions = starts.enumerated().map { place, start in
      let last = place + 1 < starts.count ? starts[place + 1].lines.lowerBound - 1 : end
      return question(start, to: last, runs: inside)
    }
    return TeachingBlock.Questions(lines: first...end, questions: questions)
  }

  private func question(_ start: ProseRun, to last: Int, runs: [ProseRun]) -> TeachingBlock.Questions.Question {
    let lines = start.lines.lowerBound...last
    let sign = start.text.prefixMatch(of: #/\*\*([0-9]+)\. /#)
    let text = start.text[(sign?.range.upperBound ?? start.text.startIndex)...]
    let answer = details.first { lines.contains($0.lines.lowerBound) && $0.summary == "Answer" }
    let options = runs.filter { run in
      run.kind == .item && lines.contains(run.lines.lowerBound)
        && run.lines.lowerBound < answer?.lines.lowerBound ?? Int.max
    }
    return TeachingBlock.Questions.Question(
      lines: lines, number: sign.flatMap { Int($0.1) } ?? 0,
      text: String(text.replacing("**", with: "").replacing("\n", with: " ")),
      options: options.map(\.text), answer: answer,
      links: answer.map { answer in links.filter { answer.lines.contains($0.line) } } ?? [])
  }

  // MARK: Pictures and what comes next

  private func pictures(_ run: ProseRun) -> [TeachingBlock] {
    run.text.matches(of: Patterns.picture).map { match in
      let first = run.line(of: match.range.lowerBound, in: run.text)
      return .picture(
        TeachingBlock.Picture(
          lines: first...run.line(of: match.range.upperBound, in: run.text),
          words: match.1.replacing("\n", with: " ").trimmingCharacters(in: .whitespaces), target: String(match.2)))
    }
  }

  private func next(_ run: ProseRun) -> TeachingBlock? {
    guard run.kind == .paragraph, !run.isQuoted, run.text.hasPrefix("**Next:**") else { return nil }
    return .next(TeachingBlock.Next(lines: run.lines, links: links.filter { run.lines.contains($0.line) }))
  }
}
