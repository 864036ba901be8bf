import ArgumentParser
import AskingChapter
import ChapterSupport
import CoreData
import Foundation

struct AskCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Ask the shelf a question of your own.",
    discussion: """
      The question is a predicate over the keys of the entity, for example:
        ask 'year < 1850'
        ask 'ANY reviews.stars == 5 AND author.name CONTAINS[cd] "bronte"'
        ask --of Author 'books.@count > 1'
        ask --sort -pages,title --limit 3 TRUEPREDICATE
      You see the SQL that it becomes, how SQLite goes about it, and the rows. The twelve books are made for each
      question, so nothing that you ask can break them.
      """)

  @Argument(help: "The predicate. Put it in single quotes, and texts inside in double ones.")
  var predicate: String

  @Option(name: .customLong("of"), help: ArgumentHelp("Author, Book, Review or Tag.", valueName: "entity"))
  var entity = "Book"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Keys to sort by, with a minus for the largest first.", valueName: "keys"))
  var sort = ""

  @Option(help: "At most so many rows.")
  var limit = 0

  @MainActor func perform() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Asking-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let shelf = try SQLRecorder.record { try Shelf(folder: folder) }.answer
    try answer(shelf)
    try SQLRecorder.silence { try shelf.close() }
  }

  @MainActor private func answer(_ shelf: Shelf) throws {
    guard shelf.model.entitiesByName[entity] != nil else {
      let names = shelf.model.entities.compactMap(\.name).sorted().joined(separator: ", ")
      throw ChapterFailure("There is no entity \(entity). The model has \(names).")
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = try parsed()
    request.fetchLimit = limit
    request.sortDescriptors = sort.split(separator: ",").map { key in
      let isDescending = key.hasPrefix("-")
      return NSSortDescriptor(key: String(isDescending ? key.dropFirst() : key), ascending: !isDescending)
    }
    let (found, statements) = try SQLRecorder.record { try shelf.context.fetch(request) }
    Output.line(predicate)
    for statement in statements {
      Answer.sql(statement.tail, statement.values)
      for (index, step) in statement.plan.enumerated() { Answer.lines(step, mark: index == 0 ? "plan " : "     ") }
    }
    Answer.names(found.map(name))
  }

  private func parsed() throws -> NSPredicate {
    do {
      return try NSPredicate.parsing(predicate)
    } catch {
      // The error's first line is a sentence, the others show the place.
      let lines = error.localizedDescription.split(separator: "\n", maxSplits: 1).map(String.init)
      throw ChapterFailure(lines[0], picture: lines.count > 1 ? lines[1] : nil)
    }
  }

  private func name(of object: NSManagedObject) -> String {
    switch object {
    case let book as Book: book.title ?? "?"
    case let author as Author: author.name ?? "?"
    case let tag as Tag: tag.name ?? "?"
    case let review as Review: "\(review.stars) by \(review.reviewer ?? "?") for \(review.book?.title ?? "?")"
    default: "\(object.objectID)"
    }
  }
}
