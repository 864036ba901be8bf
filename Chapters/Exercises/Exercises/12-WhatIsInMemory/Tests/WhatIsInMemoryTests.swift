import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("12 What is in memory", .serialized)
@MainActor struct WhatIsInMemoryTests {
  let bench: Bench
  let books: [Book]

  /// Four books of a program that has just opened the file: all are faults.
  init() throws {
    bench = try Bench()
    let filling = bench.makeContext(try bench.makeCoordinator())
    for title in ["Emma", "Dracula", "Villette", "Persuasion"] { Book(context: filling).title = title }
    try filling.save()
    let context = bench.makeContext(try bench.makeCoordinator())
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    books = try context.fetch(request)
  }

  @Test("At first nothing has been read, so there is no title")
  func none() throws {
    let titles = try titlesInMemory(books)
    #expect(titles == [], "all books are faults, and yet there are titles")
  }

  @Test("The titles of the books that have been read come sorted")
  func some() throws {
    _ = (books[3].title, books[0].stock)
    let titles = try titlesInMemory(books)
    #expect(titles == ["Dracula", "Villette"])
  }

  @Test("Afterwards a fault is still a fault")
  func noneFired() throws {
    _ = books[0].title
    _ = try titlesInMemory(books)
    let faults = books.count { $0.isFault }
    #expect(faults == 3, "faults that are left of three")
  }
}
