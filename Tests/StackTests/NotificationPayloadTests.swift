import CoreData
import Testing

@Suite("What notifications carry")
struct NotificationPayloadTests {
  @Test("Sets of objects and of ids can be cast as clients cast them", arguments: StoreKind.allCases)
  func casts(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let log = NotificationLog(context)
      let author = context.new("Author", ["name": "Kafka"])
      try context.save()
      for name in ["didChange", "didSave"] {
        let inserted = log[name]?.userInfo?[NSInsertedObjectsKey]
        #expect(inserted as? Set<NSManagedObject> == [author])
        #expect((inserted as? NSSet)?.count == 1)
      }
      let ids = log["didSaveIDs"]?.userInfo?[NSInsertedObjectIDsKey]
      #expect(ids as? Set<NSManagedObjectID> == [author.objectID])
    }
  }

  @Test("What another context inserted is named after a merge", arguments: StoreKind.allCases)
  func merge(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let log = NotificationLog(context)
      let other = stack.newContext()
      let saved = NotificationLog(other)
      try other.performAndWait {
        other.new("Author", ["name": "Kafka"])
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(saved["didSave"]))
      let author = try context.only("Author")
      #expect(log["didChange"]?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [author])
      let ids = log["didMergeIDs"]?.userInfo?[NSInsertedObjectIDsKey]
      #expect(ids as? Set<NSManagedObjectID> == [author.objectID])
    }
  }
}
