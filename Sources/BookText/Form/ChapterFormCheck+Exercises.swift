extension ChapterFormCheck {
  // MARK: Cards

  func cards(_ blocks: [TeachingBlock], on page: Page) -> [BookProblem] {
    var problems: [BookProblem] = []
    var previous: (index: Int, title: String)?
    for case .card(let card) in blocks {
      guard let index = shelf.index(of: card) else {
        problems.append(page.problem(card.lines.lowerBound, noExercise(card)))
        continue
      }
      let entry = shelf.entries[index]
      problems += (differences(card, entry) + misplaced(card, entry, on: page)).map {
        page.problem(card.lines.lowerBound, $0)
      }
      if let previous, previous.index >= index {
        problems.append(
          page.problem(
            card.lines.lowerBound,
            "\"\(entry.guide.title)\" comes before \"\(previous.title)\" in the exercises' order; put the cards in that order"
          ))
      }
      previous = (index, entry.guide.title)
    }
    return problems
  }

  private func noExercise(_ card: TeachingBlock.Card) -> String {
    card.title.isEmpty
      ? "a card is written \"> **Now you:** [Exercise](\(ExerciseShelf.link)), 6 minutes: `swift run learn run Name`\""
      : "there is no exercise \"\(card.title)\"; `swift run learn list` has their titles"
  }

  private func differences(_ card: TeachingBlock.Card, _ entry: ExerciseShelf.Entry) -> [String] {
    var sentences: [String] = []
    if card.title != entry.guide.title { sentences.append("the exercise's title is \"\(entry.guide.title)\"") }
    if card.link != ExerciseShelf.link { sentences.append("the card's link leads to \(ExerciseShelf.link)") }
    if card.minutes != entry.guide.minutes {
      sentences.append("\(entry.path) says \(entry.guide.minutes) minutes")
    }
    if card.command != entry.command { sentences.append("the command is `\(entry.command)`") }
    return sentences.map { $0 + "; `book weave` writes it" }
      + (card.rest.contains("learn run") ? ["the card names a second exercise; give that one a card of its own"] : [])
  }

  private func misplaced(_ card: TeachingBlock.Card, _ entry: ExerciseShelf.Entry, on page: Page) -> [String] {
    let chapter = entry.guide.chapter
    guard page.folder == "Chapters/\(chapter.folder)" else {
      return ["this exercise belongs to \(chapter); put the card there, or change `Chapter:` in \(entry.path)"]
    }
    guard let heading = page.markdown.headings.first(where: { $0.anchor == chapter.anchor }) else {
      return ["there is no section \(chapter), to which \(entry.path) sends the reader; change its `Chapter:`"]
    }
    guard heading.line > card.lines.lowerBound else { return [] }
    return ["the card stands before \"\(heading.text)\", which teaches what it needs; put it behind that section"]
  }

  // MARK: The order of exercises

  /// Checks that exercises follow the book's order: by page, then by section.
  func exercisesOutOfOrder() -> [BookProblem] {
    let places = shelf.entries.map { entry in
      SectionPlace(entry.guide.chapter, in: book.page(inFolder: entry.guide.chapter.folder)?.markdown)
    }
    let missing = zip(shelf.entries, places).filter { $1 == nil }.map { entry, _ in
      problem(entry, "there is no section \(entry.guide.chapter); name one that is there")
    }
    return missing
      + SectionPlace.stepsBack(places).map { step in
        let (entry, before) = (shelf.entries[step.index], shelf.entries[step.before])
        return problem(
          entry,
          "its section \(entry.guide.chapter) comes before that of \(before.name.text), \(before.guide.chapter); "
            + "give it a lower number")
      }
  }

  private func problem(_ entry: ExerciseShelf.Entry, _ sentence: String) -> BookProblem {
    BookProblem(file: entry.path, line: entry.chapterLine, sentence)
  }
}
