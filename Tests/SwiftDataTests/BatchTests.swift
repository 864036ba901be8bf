import Foundation
import SwiftData
import TestFiles
import Testing

@Suite("Fetches in batches")
struct BatchTests {
  private func filled(_ folder: TemporaryFolder, _ count: Int) throws -> ModelContainer {
    let context = try library(folder.file())
    for number in 0..<count { context.insert(Book(isbn: "\(number)", title: "T\(number)", pages: number)) }
    try context.save()
    return context.container
  }
  private let byPages = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])

  @Test("A collection has the models of a fetch, in its order, from both ends", arguments: [0, 1, 7, 100])
  func collection(batchSize: Int) throws {
    let folder = TemporaryFolder()
    let context = ModelContext(try filled(folder, 20))
    let books = try context.fetch(byPages, batchSize: batchSize)
    #expect(books.count == 20 && books.map(\.pages) == Array(0..<20))
    #expect(books.reversed().map(\.pages) == Array((0..<20).reversed()))
    #expect(books[13].title == "T13" && books[2].title == "T2" && books[2] === books[2])
    var some = byPages
    some.predicate = #Predicate { $0.pages >= 5 }
    some.fetchOffset = 1
    some.fetchLimit = 3
    #expect(try context.fetch(some, batchSize: batchSize).map(\.pages) == [6, 7, 8])
    #expect(try context.fetchIdentifiers(some, batchSize: batchSize).map { $0 } == context.fetchIdentifiers(some))
  }

  @Test("One batch is in memory at a time, beside the models that are kept")
  func memoryOfBatches() throws {
    let folder = TemporaryFolder()
    let context = ModelContext(try filled(folder, 100))
    let books = try context.fetch(byPages, batchSize: 10)
    weak var first: Book?
    first = books[0]
    let kept = books[1]
    #expect(first != nil)
    #expect(books[95].pages == 95)
    #expect(first == nil && kept.pages == 1 && books[1] === kept)
  }

  @Test("What is not saved counts, and keeps its values")
  func pending() throws {
    let folder = TemporaryFolder()
    let context = ModelContext(try filled(folder, 5))
    let new = Book(isbn: "x", title: "New", pages: 2)
    context.insert(new)
    let changed = try #require(try context.fetch(byPages).last)
    changed.pages = -1
    let books = try context.fetch(byPages, batchSize: 2)
    #expect(books.map(\.pages) == [-1, 0, 1, 2, 2, 3] && books[0] === changed && books.contains(new))
    #expect(try context.fetchIdentifiers(byPages, batchSize: 2).contains(new.persistentModelID))
    var saved = byPages
    saved.includePendingChanges = false
    #expect(try context.fetch(saved, batchSize: 2).count == 5)
  }

  @Test("An enumeration keeps no more than a batch, though its block changes and saves, and passes over what is gone")
  func enumeration() throws {
    let folder = TemporaryFolder()
    let container = try filled(folder, 50)
    let context = ModelContext(container)
    nonisolated(unsafe) weak var first: Book?
    var seen: [Int] = []
    try context.enumerate(byPages, batchSize: 10) { book in
      if seen.isEmpty { first = book }
      if book.pages == 20 { #expect(first == nil) }
      seen.append(book.pages)
      if book.pages == 3 {
        // Another context deletes what a later batch would read.
        let other = ModelContext(container)
        try other.delete(model: Book.self, where: #Predicate { $0.pages >= 40 })
        try other.save()
      }
      if book.pages == 5 {
        book.title = "five"
        try context.save()
      }
    }
    #expect(seen == Array(0..<40))
    let five = FetchDescriptor<Book>(predicate: #Predicate { $0.title == "five" })
    #expect(try library(folder.file()).fetchCount(five) == 1)
  }

  @Test("An enumeration with an unsaved change ends before it reads the next batch, and leaves the change unsaved")
  func changingBlock() throws {
    let folder = TemporaryFolder()
    let context = ModelContext(try filled(folder, 20))
    var seen: [Int] = []
    func enumerate(allowEscapingMutations: Bool = false) throws {
      seen = []
      try context.enumerate(byPages, batchSize: 5, allowEscapingMutations: allowEscapingMutations) { book in
        seen.append(book.pages)
        if book.pages == 7 { book.title = "seven" }
      }
    }
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try enumerate() }
    #expect(seen == Array(0..<10) && context.hasChanges)
    // Now there is a change before the first batch.
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try enumerate() }
    #expect(seen.isEmpty && context.hasChanges)
    try enumerate(allowEscapingMutations: true)
    #expect(seen == Array(0..<20) && context.changedModelsArray.count == 1)
    let seven = FetchDescriptor<Book>(predicate: #Predicate { $0.title == "seven" })
    #expect(try library(folder.file()).fetchCount(seven) == 0)
  }

  @Test("What an enumeration changes in its last batch, or in the only one, waits for a save", arguments: [5, 20])
  func lastBatch(batchSize: Int) throws {
    let folder = TemporaryFolder()
    let context = ModelContext(try filled(folder, 20))
    try context.enumerate(byPages, batchSize: batchSize) { book in
      if book.pages >= 15 { book.title = "late" }
    }
    let late = FetchDescriptor<Book>(predicate: #Predicate { $0.title == "late" })
    #expect(context.changedModelsArray.count == 5)
    #expect(try library(folder.file()).fetchCount(late) == 0)
    try context.save()
    #expect(try library(folder.file()).fetchCount(late) == 5)
  }

  @Test("An enumeration passes over what its own block deletes, and what goes with that", arguments: [true, false])
  func deletingBlock(allowEscapingMutations: Bool) throws {
    let folder = TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(for: Trip.self, FairTrip.self, configurations: ModelConfiguration(url: folder.file())))
    for name in ["a", "b"] {
      let trip = Trip(name: name)
      context.insert(trip)
      for number in 1...2 { context.insert(Stay(place: "\(name)\(number)", trip: trip)) }
    }
    try context.save()
    var seen: [String] = []
    let stays = FetchDescriptor<Stay>(sortBy: [SortDescriptor(\.place)])
    try context.enumerate(stays, allowEscapingMutations: allowEscapingMutations) { stay in
      seen.append(stay.place)
      if stay.place == "a1" { context.delete(try #require(stay.trip)) }
      context.processPendingChanges()
    }
    #expect(seen == ["a1", "b1", "b2"])
  }
}
