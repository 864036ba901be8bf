import Foundation
import Testing

@testable import CoreData

@Suite("Saving metadata")
struct StoreMetadataSavingTests {
  private static let kinds: [StoreKind] = [.sqlite, .xml, .binary, .csv]

  private func written(_ stack: Stack) throws -> String? {
    try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: stack.store.type, at: stack.url, options: nil)["mine"] as? String
  }

  @Test("A save without changes of objects writes metadata that was set, and is told as a save", arguments: kinds)
  func alone(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let log = NotificationLog(context)
      var metadata = stack.coordinator.metadata(for: stack.store)
      metadata["mine"] = "here"
      stack.coordinator.setMetadata(metadata, for: stack.store)
      #expect(try written(stack) == nil)
      try context.save()
      #expect(try written(stack) == "here")
      #expect(log.names == ["willSave", "didSave", "didSaveIDs"])
      #expect(log["didSave"]?.userInfo?[NSInsertedObjectsKey] == nil)
    }
  }

  @Test("An identifier that was set is the UUID at once, and is written by the next save", arguments: kinds)
  func identifier(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      func written() throws -> String? {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: stack.store.type, at: stack.url, options: nil)[NSStoreUUIDKey] as? String
      }
      let tag = context.new("Tag")
      try context.save()
      let (former, new) = (stack.store.identifier, UUID().uuidString)
      stack.store.identifier = new
      #expect(stack.coordinator.metadata(for: stack.store)[NSStoreUUIDKey] as? String == new)
      #expect(tag.objectID.uriRepresentation().absoluteString.contains(new))
      #expect(try written() == former)
      try context.save()
      #expect(try written() == new)
      #expect(try context.only("Tag") === tag)
    }
  }

  @Test("A save of objects of one store writes the metadata of another, too")
  func another() throws {
    let stack = try Stack(.sqlite)
    let url = StoreKind.xml.newURL()
    defer { try? FileManager.default.removeItem(at: url) }
    let second = try stack.coordinator.addPersistentStore(ofType: NSXMLStoreType, configurationName: nil, at: url)
    stack.coordinator.setMetadata(["mine": "second"], for: second)
    try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save()
    }
    let found = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSXMLStoreType, at: url, options: nil)
    #expect(found["mine"] as? String == "second")
  }

  @Test("Metadata is no transaction of the history; a save's token is in its notification")
  func history() throws {
    let stack = try tracked()
    let context = stack.context
    try context.performAndWait {
      let log = NotificationLog(context)
      context.new("Tag")
      try context.save()
      let token = log["didSave"]?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken
      #expect(token == stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
      stack.coordinator.setMetadata(["mine": "here"], for: stack.store)
      try context.save()
      #expect(try context.transactions(after: token).isEmpty)
      #expect(try written(stack) == "here")
    }
  }

  @Test("Without a history there is no token")
  func noHistory() throws {
    try withStack(.sqlite) { _, context in
      let log = NotificationLog(context)
      context.new("Tag")
      try context.save()
      #expect(log["didSave"]?.userInfo?["newChangeToken"] == nil)
    }
  }

  @Test("Metadata that is set while a save waits for the file is written by the next save")
  func duringASave() throws {
    let stack = try Stack(.sqlite)
    stack.coordinator.setMetadata(["mine": "before"], for: stack.store)
    let lock = try Connection(path: stack.url.path, options: Connection.Options())
    try lock.execute("BEGIN IMMEDIATE")
    stack.context.perform {
      stack.context.new("Tag")
      do { try stack.context.save() } catch { Issue.record(error) }
    }
    // By then the save has taken the metadata, and waits for the lock.
    Thread.sleep(forTimeInterval: 0.3)
    stack.coordinator.setMetadata(["mine": "during"], for: stack.store)
    try lock.execute("COMMIT")
    // The queue of the context is serial: the first save has ended when this one begins.
    try stack.context.performAndWait { try stack.context.save() }
    #expect(try written(stack) == "during")
  }
}
