import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("15 By first letters", .serialized)
@MainActor struct ByFirstLettersTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for title in ["Emma", "Émile", "Dracula", "Who?", "Who's Who"] { Book(context: context).title = title }
    try context.save()
  }

  private func titles(_ typed: String) throws -> Set<String> {
    Set(try books(beginningWith: typed, in: context).compactMap(\.title))
  }

  @Test("Capitals and accents make no difference")
  func loose() throws {
    let found = try titles("em")
    #expect(found == ["Emma", "Émile"])
  }

  @Test("Only the beginning counts")
  func beginning() throws {
    let found = try titles("mm")
    #expect(found == [])
  }

  @Test("A question mark is a question mark")
  func questionMark() throws {
    let found = try titles("who?")
    #expect(found == ["Who?"])
  }

  @Test("A star is a star, and no title here begins with one")
  func star() throws {
    let found = try titles("*")
    #expect(found == [])
  }

  @Test("The books come by title")
  func order() throws {
    let found = try books(beginningWith: "who", in: context).compactMap(\.title)
    #expect(found == ["Who's Who", "Who?"])
  }

  @Test("The store does the looking: no other book becomes an object")
  func noOthers() throws {
    let made = try bench.objects(of: "Book") { _ = try books(beginningWith: "em", in: $0) }
    #expect(made == 2, "\(made) objects were made for 2 books")
  }
}
