import CoreData
import Testing

@Suite("Stacks in the Swift 6 language mode", .serialized)
struct Swift6SurfaceTests {
  @Test("Ids cross over from a background task to the main actor")
  @MainActor
  func backgroundTask() async throws {
    let shelf = Shelf()
    let ids = try await shelf.add(["One", "Two"])
    #expect(ids.count == 2)
    #expect(try shelf.title(of: ids[0]) == "One")
    #expect(try await shelf.countInBackground() == 2)
  }

  @Test("A list on the main actor shows objects of the view context, and hands ids to other queues")
  @MainActor
  func listOnMainActor() async throws {
    let shelf = Shelf()
    _ = try await shelf.add(["One", "Two"])
    let list = VolumeList(of: shelf.container)
    try list.read()
    try await list.rename(list.volumes[0], to: "Uno")
    #expect(list.volumes.map(\.title) == ["Two", "Uno"])
  }

  @Test("Blocks written on the main actor run on a context's own queue")
  @MainActor
  func mainActorBlocks() async throws {
    let shelf = Shelf()
    let ids = try await shelf.add(["One"])
    await withCheckedContinuation { continuation in
      shelf.rename(ids[0], to: "Uno") { continuation.resume() }
    }
    #expect(try shelf.countAndWait() == 1)
    #expect(try await Library(container: shelf.container).volumes().map(\.title) == ["Uno"])
  }

  @Test("An actor owns a context and hands out values")
  func actor() async throws {
    let shelf = await Shelf()
    let ids = try await shelf.add(["One", "Two"])
    let library = Library(container: shelf.container)
    try await library.rename(ids[1], to: "A")
    try await library.save()
    #expect(try await library.volumes().map(\.title) == ["A", "One"])
    #expect(try await library.volumes().map(\.id) == [ids[1], ids[0]])
  }

  @Test("Constants of policies and notifications may be named on any actor")
  func constants() {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
    #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .mergeByPropertyStoreTrumpMergePolicyType)
    #expect(NSManagedObjectContext.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
    #expect(NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue == NSUpdatedObjectIDsKey)
  }
}
