import CoreData
import Foundation
import Testing

@Suite("Stores that come and go")
struct StoreRemovalTests {
  @Test(
    "Objects of a removed store keep what they have read; nothing more can be read or saved",
    arguments: StoreKind.allCases)
  func removing(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = stack.context
    try context.performAndWait {
      let (read, fault) = (context.new("Tag", ["name": "read"]), context.new("Tag", ["name": "fault"]))
      try context.save()
      context.refresh(fault, mergeChanges: false)
      read.read()
      let new = context.new("Tag", ["name": "new"])
      context.assign(new, to: stack.store)
      try stack.coordinator.remove(stack.store)
      #expect(read.string("name") == "read")
      #expect(read.objectID.persistentStore == nil)
      #expect(
        failure { _ = try context.existingObject(with: fault.objectID) }?.code
          == NSManagedObjectReferentialIntegrityError)
      #expect(failure { try context.save() }?.code == NSPersistentStoreSaveError)
      context.delete(new)
      read["name"] = "changed"
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSPersistentStoreSaveError)
      #expect(error.localizedDescription.contains("Tag"))
      #expect(context.updatedObjects == [read])
      #expect(failure { _ = try context.all("Tag") } != nil)
      // A fault reads as empty, as one whose row is gone.
      #expect(fault.string("name") == nil)
      context.reset()
      #expect(failure { try stack.coordinator.remove(stack.store) }?.code == NSPersistentStoreOperationError)
    }
  }

  @Test("A save that was planned for a removed store fails", arguments: StoreKind.allCases)
  func planned(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    stack.context.performAndWait {
      let tag = stack.context.new("Tag")
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: stack.context, queue: nil
      ) { _ in try? stack.coordinator.remove(stack.store) }
      defer { NotificationCenter.default.removeObserver(token) }
      stack.context.assign(tag, to: stack.store)
      #expect(failure { try stack.context.save() } != nil)
      #expect(stack.context.insertedObjects == [tag])
    }
  }

  @Test(
    "Coming and going is told, with the stores; StoresWillChange is for others than these",
    arguments: StoreKind.allCases)
  func notifications(_ kind: StoreKind) throws {
    let folder = StoreFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let log = StoreLog(coordinator)
    let store = try coordinator.addPersistentStore(
      ofType: kind.type, configurationName: nil, at: folder.place(kind, "T"))
    #expect(log.names == ["StoresDidChange"])
    #expect(log.stores(NSAddedPersistentStoresKey, in: 0) == [store])
    let second = StoreLog(coordinator, store)
    try coordinator.remove(store)
    #expect(second.names == ["WillRemoveStore", "StoresDidChange"])
    #expect(second.stores(NSRemovedPersistentStoresKey, in: 1) == [store])
  }

  @Test("An observer of a removal may save, and wait for a context that fetches", arguments: StoreKind.allCases)
  func savingObserver(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let other = stack.newContext()
    nonisolated(unsafe) var saved: [String]?
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: stack.store, queue: nil
    ) { _ in
      let done = DispatchSemaphore(value: 0)
      other.perform {
        other.new("Tag", ["name": "late"])
        try? other.save()
        saved = try? other.strings("Tag", "name")
        done.signal()
      }
      #expect(done.wait(timeout: .now() + 60) == .success)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try stack.coordinator.remove(stack.store)
    #expect(saved == ["late"])
  }

  @Test("The coordinator's queue runs blocks in blocks, with contexts inside and outside")
  func queue() async throws {
    let stack = try Stack(.inMemory)
    let coordinator = stack.coordinator
    coordinator.name = "Library"
    let context = stack.context
    let count = try coordinator.performAndWait { () throws -> Int in
      try coordinator.performAndWait { () throws -> Int in
        try context.performAndWait {
          context.new("Tag")
          try context.save()
          return coordinator.performAndWait { coordinator.persistentStores.count }
        }
      }
    }
    #expect(count == 1)
    #expect(await coordinator.perform { coordinator.persistentStores.count } == 1)
    #expect(throws: CocoaError.self) {
      try coordinator.performAndWait { () throws -> Void in throw CocoaError(.coreData) }
    }
  }

  @Test("A store's URI leads to its id in text as well")
  func uri() throws {
    let stack = try Stack(.inMemory)
    try stack.context.performAndWait {
      let tag = stack.context.new("Tag")
      try stack.context.save()
      let text = tag.objectID.uriRepresentation().absoluteString
      #expect(stack.coordinator.managedObjectID(fromUTF8String: text, length: text.utf8.count) == tag.objectID)
      #expect(stack.coordinator.managedObjectID(fromUTF8String: "nonsense", length: 8) == nil)
    }
  }

  @Test("Another spelling of a path, or a link, leads to the same store")
  func paths() throws {
    let folder = StoreFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("T"))
    try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("T"))
    for url in [folder.file("T"), folder.url.appendingPathComponent("x/../T"), folder.file("link")] {
      #expect(failure { try coordinator.addPersistentStore(type: .sqlite, at: url) }?.code == 134081)
      #expect(coordinator.persistentStore(for: url) === store)
    }
  }
}
