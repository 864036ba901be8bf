import AskingChapter
import ChapterSupport
import CoreData

/// How questions, SQL and rows are printed.
enum Answer {
  /// Questions with their predicates, the SQL of each condition, and the titles that it finds.
  static func show(_ questions: [Question], _ context: NSManagedObjectContext) throws {
    for question in questions {
      let request = question.request
      let (books, statements) = try SQLRecorder.record { try context.fetch(request) }
      head(question, request)
      for statement in statements { sql(statement.condition, statement.conditionValues) }
      titles(books)
    }
  }

  /// A question that the store refuses, and what it says.
  static func showRefusal(_ question: Question, _ context: NSManagedObjectContext) throws {
    let request = question.request
    head(question, request)
    do {
      titles(try SQLRecorder.record { try context.fetch(request) }.answer)
    } catch {
      says(error)
    }
  }

  static func says(_ error: any Error) {
    lines("\((error as NSError).code): \(error.localizedDescription)", mark: "says ")
  }

  /// What the parser says: a sentence, and lines that show the place.
  static func saysWhere(_ error: any Error) {
    let parts = error.localizedDescription.split(separator: "\n")
    for (index, part) in parts.enumerated() {
      if index == 0 { lines(String(part), mark: "says ") } else { Output.line("     \(part)") }
    }
  }

  private static func head(_ question: Question, _ request: NSFetchRequest<Book>) {
    if !question.text.isEmpty { Output.line(question.text) }
    let text = question.format ?? request.predicate.map { "\($0)" } ?? "nothing"
    lines(text.hasPrefix("<NSPredicate") || text.hasPrefix("BLOCK") ? "a block" : text, mark: "asks ")
  }

  static func sql(_ text: String, _ values: [String] = []) {
    lines(text, mark: "SQL  ", isSQL: true)
    if !values.isEmpty { lines(values.joined(separator: ", "), mark: "with ") }
  }

  static func titles(_ books: [Book]) { names(books.map { $0.title ?? "none" }) }

  static func names(_ names: [String]) {
    lines("\(names.count)" + (names.isEmpty ? "" : ": " + names.joined(separator: ", ")), mark: "rows ")
  }

  /// A long text in lines that a page can hold, the mark before the first.
  static func lines(_ text: String, mark: String, isSQL: Bool = false) {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var mark = mark
    while !words.isEmpty {
      let count = wordsOfLine(words, isSQL: isSQL)
      Output.line("  \(mark)\(words.prefix(count).joined(separator: " "))")
      words.removeFirst(count)
      mark = String(repeating: " ", count: mark.count)
    }
  }

  /// How many words go into a line. SQL is broken before a word that begins a part of it.
  private static func wordsOfLine(_ words: [String], isSQL: Bool) -> Int {
    let starts = isSQL ? ["AND", "OR", "WHERE", "ORDER", "GROUP", "LEFT", "HAVING"] : []
    var length = -1
    var fitting = 0
    var best = 0
    for (index, word) in words.enumerated() {
      if index > 0, length > 40, starts.contains(word) { best = index }
      length += word.count + 1
      if index > 0, length > 87 { return best > 0 ? best : fitting }
      fitting = index + 1
    }
    return fitting
  }
}
