import AskingChapter
import ChapterSupport
import CoreData

/// Questions with mistakes in them.
extension TourCommand {
  @MainActor func showRefusals(_ shelf: Shelf) throws {
    Output.heading("A key that no book has")
    try Answer.showRefusal(Question.broken("yaer < 1850"), shelf.context)
    Output.heading("A format that stops too early")
    do {
      _ = try NSPredicate.parsing("year < AND pages > 100")
    } catch {
      Answer.saysWhere(error)
    }
    Output.heading("A text operator on an object")
    try Answer.showRefusal(Question.broken("author CONTAINS 'Austen'"), shelf.context)
    Output.heading("An order by many things")
    let request = Book.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "reviews.stars", ascending: true)]
    do {
      _ = try SQLRecorder.record { try shelf.context.fetch(request) }
    } catch {
      Answer.says(error)
    }
    Output.heading("A number compared with a word")
    try Answer.showRefusal(Question.broken("year == 'eighteen'"), shelf.context)
  }
}
