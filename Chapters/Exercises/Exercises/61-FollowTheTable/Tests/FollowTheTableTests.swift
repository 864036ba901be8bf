import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("61 Follow the table", .serialized)
struct FollowTheTableTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
  }

  @Test("Rows that went are gone, whatever the order in which they are told")
  func deletions() throws {
    let gone = [TitleChange(old: 0, new: nil, title: "A"), TitleChange(old: 2, new: nil, title: "C")]
    let titles = try applyTitleChanges(gone, to: ["A", "B", "C", "D"])
    #expect(titles == ["B", "D"])
    let reversed = try applyTitleChanges(gone.reversed(), to: ["A", "B", "C", "D"])
    #expect(reversed == ["B", "D"])
  }

  @Test("Rows that came are at their places in the new list")
  func insertions() throws {
    let came = [TitleChange(old: nil, new: 3, title: "D"), TitleChange(old: nil, new: 0, title: "A")]
    let titles = try applyTitleChanges(came, to: ["B", "C"])
    #expect(titles == ["A", "B", "C", "D"])
  }

  @Test("Deletions, insertions, moves and updates of one event make the new list together")
  func together() throws {
    let changes = [
      TitleChange(old: 0, new: nil, title: "A"), TitleChange(old: 1, new: 3, title: "Y"),
      TitleChange(old: 3, new: 2, title: "D, 2nd edition"), TitleChange(old: nil, new: 0, title: "Anew"),
    ]
    let titles = try applyTitleChanges(changes, to: ["A", "B", "C", "D"])
    #expect(titles == ["Anew", "C", "D, 2nd edition", "Y"])
  }

  @Test("A list that follows a controller is the controller's, save after save")
  func follows() throws {
    let books = ["Dracula", "Emma", "Jane Eyre", "Middlemarch", "Persuasion", "Villette"].map { title in
      let book = Book(context: context)
      book.title = title
      return book
    }
    try context.save()
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    let table = TitleTable(following: controller)

    context.delete(books[0])
    context.delete(books[1])
    books[2].title = "Zadig"
    books[5].stock = 3
    Book(context: context).title = "Candide"
    try context.save()
    if let failure = table.failure { throw failure }
    #expect(table.titles == ["Candide", "Middlemarch", "Persuasion", "Villette", "Zadig"])
    #expect(table.titles == (controller.fetchedObjects ?? []).map { $0.title ?? "" })
  }
}
