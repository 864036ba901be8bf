import CoreData
import Foundation
import Testing

@testable import GardenKit

@Suite struct GardenTests {
  let stack: GardenStack
  let journal: GardenJournal

  //> fresh-stack
  /// A store of its own for each test: SQLite, in memory.
  init() throws {
    stack = try GardenStack(url: URL(fileURLWithPath: "/dev/null"))
    journal = GardenJournal(context: stack.container.newBackgroundContext())
  }
  //< fresh-stack

  @Test func `Plants are listed by height`() async throws {
    try await journal.sow(["Bean", "Sunflower", "Marigold"], in: "South", at: .distantPast)
    try await journal.measure("Bean", height: 120)
    try await journal.measure("Sunflower", height: 210)
    #expect(try await journal.names(atLeast: 100) == ["Sunflower", "Bean"])
  }

  @Test func `A second sowing uses the bed that is there`() async throws {
    try await journal.sow(["Bean"], in: "South", at: .distantPast)
    try await journal.sow(["Pea"], in: "South", at: .distantPast)
    let context = journal.context
    let beds = try await context.perform {
      try context.fetch(Bed.fetchRequest() as NSFetchRequest<Bed>).map(\.plantSet.count)
    }
    #expect(beds == [2])
  }

  //> validation
  @Test func `A height below zero is refused by its code`() async throws {
    try await journal.sow(["Bean"], in: "South", at: .distantPast)
    let error = await #expect(throws: CocoaError.self) {
      try await journal.measure("Bean", height: -1)
    }
    #expect(error?.code == .validationNumberTooSmall)
  }
  //< validation

  //> keys-test
  @Test func `Every key is a property of its entity`() {
    func properties(_ entity: String) -> Set<String> {
      Set(GardenStack.model.entitiesByName[entity]?.propertiesByName.keys ?? [:].keys)
    }
    #expect(Set(Plant.Key.allCases.map(\.rawValue)) == properties("Plant"))
    #expect(Set(Bed.Key.allCases.map(\.rawValue)) == properties("Bed"))
  }
  //< keys-test

  @Test func `The watcher hears which plants were updated`() async throws {
    try await journal.sow(["Bean", "Pea"], in: "South", at: .distantPast)
    let context = journal.context
    let heard = await context.perform { () -> [[String]] in
      var heard: [[String]] = []
      let watcher = GardenWatcher(context: context) { heard.append($0) }
      let request: NSFetchRequest<Plant> = Plant.fetchRequest()
      request.predicate = NSPredicate(format: "name == %@", "Pea")
      (try? context.fetch(request))?.first?.height = 40
      context.processPendingChanges()
      withExtendedLifetime(watcher) {}
      return heard
    }
    #expect(heard == [["Pea"]])
  }
}
