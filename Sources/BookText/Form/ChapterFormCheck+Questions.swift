extension ChapterFormCheck {
  func missingQuestions(_ page: Page, _ blocks: [TeachingBlock]) -> BookProblem? {
    if blocks.contains(where: { if case .questions = $0 { true } else { false } }) { return nil }
    let exercises = page.markdown.headings.last { $0.level == 2 && $0.text == "Exercises" }
    return page.problem(
      exercises?.line ?? Self.lastLine(of: page),
      "the chapter has no section \"## \(MarkdownText.questionsHeading)\"; it stands before the exercises")
  }

  func check(_ questions: TeachingBlock.Questions, on page: Page) -> [BookProblem] {
    var problems: [BookProblem] = []
    let count = questions.questions.count
    if count != 5 {
      problems.append(
        page.problem(
          questions.lines.lowerBound, "\"Five questions\" has \(count) that begin \"**1. …**\"; write five"))
    }
    for (index, question) in questions.questions.enumerated() {
      let line = question.lines.lowerBound
      if question.number != index + 1 {
        problems.append(page.problem(line, "this is question \(index + 1), and has the number \(question.number)"))
      }
      if !(2...4).contains(question.options.count) {
        problems.append(
          page.problem(
            line,
            "question \(question.number) has \(question.options.count) options; list two to four before its answer"))
      }
      problems += answer(of: question, on: page).map { [$0] } ?? []
    }
    return problems
  }

  private func answer(of question: TeachingBlock.Questions.Question, on page: Page) -> BookProblem? {
    guard let answer = question.answer else {
      return page.problem(
        question.lines.lowerBound, "question \(question.number) has no <details> with <summary>Answer</summary>")
    }
    if question.links.contains(where: { leadsToSection($0.target, from: page) }) { return nil }
    return page.problem(
      answer.lines.lowerBound,
      "the answer to question \(question.number) has no link to a section; name the one to reread")
  }

  private func leadsToSection(_ target: String, from page: Page) -> Bool {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return false }
    let path = parts[0].isEmpty ? page.path : BookCheck.path(parts[0], from: page.folder)
    return book.pages.first { $0.path == path }?.markdown.headings.contains { $0.anchor == parts[1] } ?? false
  }
}
