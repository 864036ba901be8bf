/// A summary of a page's form, in one line.
public struct PageForm: CustomStringConvertible {
  public let page: Page
  public let problemCount: Int
  public let description: String

  /// - Parameter problems: all problems of form and voice in the book.
  public static func all(of book: Book, problems: [BookProblem]) -> [PageForm] {
    let check = ChapterFormCheck(book: book)
    return book.pages.map { PageForm($0, check, Self.count(problems, $0)) }
  }

  private static func count(_ problems: [BookProblem], _ page: Page) -> Int { problems.count { $0.file == page.path } }

  private init(_ page: Page, _ check: ChapterFormCheck, _ problemCount: Int) {
    self.page = page
    self.problemCount = problemCount
    var (cards, predictions, asides, pictures, questions, hasNext) = (0, 0, 0, 0, 0, false)
    for block in page.markdown.teachingBlocks {
      switch block {
      case .card: cards += 1
      case .prediction: predictions += 1
      case .aside: asides += 1
      case .picture: pictures += 1
      case .questions(let all): questions = all.questions.count
      case .next: hasNext = true
      }
    }
    let name =
      page.place == .contents ? page.path : page.folder.split(separator: "/").last.map(String.init) ?? page.path
    let exercises = check.shelf.entries.count { "Chapters/\($0.guide.chapter.folder)" == page.folder }
    var parts = ["\(problemCount) problems", "\(page.wordCount) words"]
    if case .chapter = page.place {
      parts.append(check.wordsBeforeOutput(of: page).map { "output after \($0.count)" } ?? "no output")
      parts += ["\(cards) cards for \(exercises) exercises", "\(questions) questions", hasNext ? "Next" : "no Next"]
    }
    parts += ["\(predictions) predictions", "\(asides) asides", "\(pictures) pictures"]
    description = "\(name): " + parts.joined(separator: ", ")
  }
}
