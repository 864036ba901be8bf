import CoreData
import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

@Suite("Derived attributes in a PostgreSQL store", hasServer)
struct DerivedTests {
  private func model() -> NSManagedObjectModel {
    let model = libraryModel()
    func derive(_ entity: String, _ name: String, _ type: NSAttributeType, _ format: String) {
      let attribute = NSDerivedAttributeDescription()
      (attribute.name, attribute.attributeType, attribute.isOptional) = (name, type, true)
      attribute.derivationExpression = NSExpression(format: format)
      model.entitiesByName[entity]?.properties.append(attribute)
    }
    derive("Author", "bookCount", .integer64AttributeType, "books.@count")
    derive("Author", "pageSum", .integer64AttributeType, "books.pages.@sum")
    derive("Author", "plainName", .stringAttributeType, "canonical:(name)")
    derive("Author", "changed", .dateAttributeType, "now()")
    derive("Tag", "bookCount", .integer64AttributeType, "books.@count")
    return model
  }

  @Test("Counts, sums, folded texts and times are derived with each save, and the object has them after it")
  func values() throws {
    let shelf = try Shelf(model(), options: tracked)
    try shelf.context.performAndWait {
      let ann = shelf.context.new("Author", ["name": "Änn"])
      let tag = shelf.context.new("Tag", ["name": "red"])
      try shelf.context.save()
      #expect(ann.value(forKey: "plainName") as? String == "ann")
      #expect(ann.value(forKey: "bookCount") as? Int == 0)
      let age = (ann.value(forKey: "changed") as? Date)?.timeIntervalSinceNow ?? .infinity
      #expect(abs(age) < 300)
      for pages in [10, 20] {
        let book = shelf.context.new("Book", ["pages": pages])
        book.setValue(ann, forKey: "author")
        book.setValue(Set([tag]), forKey: "tags")
      }
      try shelf.context.save()
      shelf.context.refreshAllObjects()
      #expect(ann.value(forKey: "bookCount") as? Int == 2)
      #expect(ann.value(forKey: "pageSum") as? Int == 30)
      #expect(tag.value(forKey: "bookCount") as? Int == 2)
      let book = try shelf.context.all("Book", "pages == 10")[0]
      shelf.context.delete(book)
      try shelf.context.save()
      shelf.context.refreshAllObjects()
      #expect(ann.value(forKey: "bookCount") as? Int == 1)
      #expect(ann.value(forKey: "pageSum") as? Int == 20)
      #expect(tag.value(forKey: "bookCount") as? Int == 1)
    }
  }

  @Test("In the history a new object has no update by a trigger, be it saved or in a batch, and others have one")
  func history() throws {
    let shelf = try Shelf(model(), options: tracked)
    try shelf.context.performAndWait {
      let ann = shelf.context.new("Author", ["name": "Ann"])
      try shelf.context.save()
      shelf.context.new("Book").setValue(ann, forKey: "author")
      try shelf.context.save()
      let rows = (0..<1500).map { ["name": "author \($0)"] as [String: Any] }
      _ = try shelf.context.execute(NSBatchInsertRequest(entityName: "Author", objects: rows))
      let request = NSBatchDeleteRequest(objectIDs: try shelf.context.all("Book").map(\.objectID))
      _ = try shelf.context.execute(request)
      let changes = try shelf.context.history(after: nil).map { $0.changes ?? [] }
      func ids(_ type: NSPersistentHistoryChangeType) -> [[NSManagedObjectID]] {
        changes.map { changes in changes.filter { $0.changeType == type }.map(\.changedObjectID) }
      }
      #expect(ids(.insert).map(\.count) == [1, 1, 1500, 0])
      #expect(ids(.delete).map(\.count) == [0, 0, 0, 1])
      #expect(ids(.update) == [[], [ann.objectID], [], [ann.objectID]])
    }
  }

  @Test("A count of what several writers add at a time is right in the end")
  func racing() async throws {
    let first = try Shelf(model())
    try first.context.performAndWait {
      first.context.new("Tag", ["name": "red"])
      try first.context.save()
    }
    let (url, model) = (first.url, model())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        nonisolated(unsafe) let model = model
        group.addTask {
          let shelf = try Shelf(model, at: url)
          try shelf.context.performAndWait {
            shelf.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            for _ in 0..<20 {
              let tag = try shelf.context.all("Tag")[0]
              shelf.context.new("Book").setValue(Set([tag]), forKey: "tags")
              try shelf.context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let fresh = try Shelf(model, at: url)
    try fresh.context.performAndWait {
      let tag = try fresh.context.all("Tag")[0]
      #expect(tag.value(forKey: "bookCount") as? Int == 80)
      #expect((tag.value(forKey: "books") as? Set<NSManagedObject>)?.count == 80)
    }
  }
}
