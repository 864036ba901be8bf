import ArgumentParser
import ChapterSupport
import Foundation
import LibraryCatalogChapter
import StoreFileReader

extension BookQuery.Order: ExpressibleByArgument {}

/// How much of a list is shown, in which order.
struct PageOptions: ParsableArguments {
  @Option(help: "Sort by title, author or year.")
  var sort: BookQuery.Order = .title

  @Option(help: "Only books in this language, such as en.")
  var language: String?

  @Option(help: "How many books to show.")
  var limit = 20

  @Option(help: "How many books to pass over first.")
  var offset = 0

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    guard offset >= 0 else { throw ValidationError("--offset is at least 0.") }
  }

  /// The list, the same for every source.
  @MainActor func show(
    _ source: any ListDataSource, text: String = "", condition: BookCondition? = nil
  ) throws {
    let query = BookQuery(text: text, language: language, condition: condition, order: sort)
    let books = try source.books(matching: query, offset: offset, limit: limit)
    Output.table(
      books.map { book in
        [book.firstPublished.map(String.init) ?? "", book.title, book.authorLine]
      })
    let total = try source.numberOfBooks(matching: query)
    Output.line("\(books.count) of \(Output.count(total, "book"))")
  }
}

struct ListCommand: ChapterCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the books in order.")

  @OptionGroup var source: SourceOptions
  @OptionGroup var page: PageOptions

  @MainActor func perform() async throws {
    try page.show(try source.open())
  }
}

struct SearchCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find books by words of title, authors and subjects, or by a condition.",
    discussion: """
      A condition is a predicate over the keys of the model's Book, for example:
        search --where 'firstPublished < 1800'
        search --where 'ANY authors.name ENDSWITH[c] "wilde" AND subjects.@count > 1'
        search emma --where 'title LIKE[cd] "e*" OR NOT language IN {"en", "fr"}'
      """)

  @OptionGroup var source: SourceOptions
  @OptionGroup var page: PageOptions

  @Argument(help: "Words that must all occur, without regard to case and accents.")
  var words: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp("A condition that must hold, too.", valueName: "predicate"))
  var condition: String?

  func validate() throws {
    guard !words.isEmpty || condition != nil else {
      throw ValidationError("Say what to look for: words, or a condition with --where.")
    }
  }

  @MainActor func perform() async throws {
    let condition: BookCondition?
    do {
      condition = try self.condition.map(BookCondition.init)
    } catch let unfit as BookCondition.Unfit {
      throw ChapterFailure(unfit.localizedDescription, picture: unfit.picture)
    }
    try page.show(try source.open(), text: words.joined(separator: " "), condition: condition)
  }
}

struct ShowCommand: ChapterCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one book.")

  @OptionGroup var source: SourceOptions

  @Argument(help: "Its ISBN, in any form, or its address.")
  var key: String

  @MainActor func perform() async throws {
    let source = try source.open()
    guard let book = try source.book(withKey: key) else {
      throw ChapterFailure("\(source.name) has no book \(key).")
    }
    Output.table(
      [
        ["title", book.title],
        ["authors", book.authorLine],
        ["published", book.firstPublished.map(String.init) ?? "unknown"],
        ["language", book.language ?? "unknown"],
        ["subjects", book.subjects.joined(separator: ", ")],
        ["ISBN", book.isbn?.digits ?? "none"],
      ])
  }
}

struct StatsCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Count books, authors, subjects, centuries and languages.")

  @OptionGroup var source: SourceOptions

  @MainActor func perform() async throws {
    let statistics = try source.open().statistics()
    Output.line(
      "\(Output.count(statistics.books, "book")), \(Output.count(statistics.authors, "author")), "
        + Output.count(statistics.subjects, "subject"))
    Output.line("\(statistics.withoutISBN) without ISBN, \(statistics.withoutYear) without year")
    show("Centuries", statistics.centuries)
    show("Languages", statistics.languages)
    show("Subjects with most books", statistics.topSubjects)
    show("Authors with most books", statistics.topAuthors)
  }

  private func show(_ heading: String, _ rows: [CatalogStatistics.Row]) {
    Output.heading(heading)
    Output.table(rows.map { [$0.name, String($0.count)] })
  }
}
