import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("31 A container in a folder", .serialized)
@MainActor struct ContainerInAFolderTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  @Test("The container has one store, Bookshop.sqlite in the folder")
  func place() throws {
    let container = try loadContainer(model: Bench.model, in: bench.folder)
    let urls = container.persistentStoreCoordinator.persistentStores.map(\.url)
    #expect(urls == [bench.storeURL])
  }

  @Test("What the view context saves is in that file")
  func saved() throws {
    let container = try loadContainer(model: Bench.model, in: bench.folder)
    try #require(container.persistentStoreCoordinator.persistentStores.count == 1)
    Book(context: container.viewContext).title = "Emma"
    try container.viewContext.save()
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 1)
  }

  @Test("A file that is not a store makes it throw")
  func failure() throws {
    try "This is no store.".write(to: bench.storeURL, atomically: true, encoding: .utf8)
    let error = #expect(throws: (any Error).self, "the container came back without its store") {
      try loadContainer(model: Bench.model, in: bench.folder)
    }
    if let unfinished = error as? Unfinished { throw unfinished }
    #expect((error as NSError?)?.domain == NSCocoaErrorDomain)
  }
}
