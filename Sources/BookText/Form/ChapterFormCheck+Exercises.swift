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
            "\"\(entry.guide.title)\" comes before \"\(previous.title)\" in the exercises' order; put the cards in that order"))
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
    guard "Chapters/\(chapter.folder)/README.md" == page.path else {
      return ["this exercise belongs to \(chapter); put the card there, or change `Chapter:` in \(entry.path)"]
    }
    guard let heading = page.markdown.headings.first(where: { $0.anchor == chapter.anchor }) else {
      return ["there is no section \(chapter), to which \(entry.path) sends the reader; change its `Chapter:`"]
    }
    guard heading.line > card.lines.lowerBound else { return [] }
    return ["the card stands before \"\(heading.text)\", which teaches what it needs; put it behind that section"]
  }

  // MARK: The order of exercises

  /// Exercises go forward through the book: by pages, then by sections.
  func exercisesOutOfOrder() -> [BookProblem] {
    var problems: [BookProblem] = []
    var before: (place: (Int, Int), entry: ExerciseShelf.Entry)?
    for entry in shelf.entries {
      guard let place = place(of: entry.guide.chapter) else {
        problems.append(
          BookProblem(
            file: entry.path, line: entry.chapterLine, "there is no section \(entry.guide.chapter); name one that is there"))
        continue
      }
      if let before, place < before.place {
        problems.append(
          BookProblem(
            file: entry.path, line: entry.chapterLine,
            "its section \(entry.guide.chapter) comes before that of \(before.entry.name.text), \(before.entry.guide.chapter); give it a lower number"))
      }
      before = (place, entry)
    }
    return problems
  }

  private func place(of link: Guide.ChapterLink) -> (Int, Int)? {
    guard let page = book.pages.firstIndex(where: { $0.path == "Chapters/\(link.folder)/README.md" }),
      let heading = book.pages[page].markdown.headings.first(where: { $0.anchor == link.anchor })
    else { return nil }
    return (page, heading.line)
  }
}
