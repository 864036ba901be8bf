import Testing

@testable import CoreData

@Suite("Queues")
struct QueueTests {
  @Test("perform runs later, in order, on the context's queue, and ends an event")
  func perform() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    let log = NotificationLog(context)
    var order: [Int] = []
    await withCheckedContinuation { continuation in
      for index in 0..<5 {
        context.perform {
          order.append(index)
          #expect(context.owner.isOnQueue)
          context.new("Tag")
          if index == 4 { DispatchQueue.global().async { continuation.resume() } }
        }
      }
    }
    context.performAndWait {
      #expect(order == [0, 1, 2, 3, 4])
      #expect(log.names == Array(repeating: "didChange", count: 5))
    }
  }

  @Test("performAndWait may be nested, in the same context and in others, and hands back values and errors")
  func performAndWait() throws {
    let stack = try Stack(.inMemory)
    let (a, b) = (stack.context, stack.newContext())
    let sum = a.performAndWait {
      b.performAndWait {
        a.performAndWait {
          #expect(a.owner.isOnQueue && b.owner.isOnQueue)
          a.new("Tag")
          b.new("Tag")
          return 20
        } + 20
      } + 2
    }
    #expect(sum == 42)
    #expect(!a.owner.isOnQueue && !b.owner.isOnQueue)
    struct Mine: Error {}
    #expect(throws: Mine.self) { try a.performAndWait { throw Mine() } }
    #expect(!a.owner.isOnQueue)
  }

  @Test("perform in a performAndWait of the same context waits until that is over")
  func performInside() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    var order: [String] = []
    context.performAndWait {
      context.perform { order.append("later") }
      order.append("now")
    }
    await context.perform {}
    context.performAndWait { #expect(order == ["now", "later"]) }
  }

  @Test("The async perform hands back values and typed errors, and sees changes in order")
  func asyncPerform() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    let id = try await context.perform {
      let tag = context.new("Tag", ["name": "a"])
      try context.save()
      return tag.objectID
    }
    #expect(await context.perform { context.object(with: id).string("name") } == "a")
    struct Mine: Error {}
    await #expect(throws: Mine.self) { try await context.perform { throw Mine() } }
    #expect(await context.perform(schedule: .enqueued) { 7 } == 7)
  }

  @Test("Contexts work side by side on the same rows")
  func parallel() async throws {
    let stack = try Stack(.inMemory)
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          let context = stack.newContext()
          for index in 0..<20 {
            await context.perform {
              context.new("Tag", ["name": "\(worker) \(index)"])
              #expect(failure { try context.save() } == nil)
            }
          }
        }
      }
    }
    try stack.elsewhere { other throws in
      #expect(try other.all("Tag").count == 160)
      #expect(Set(try other.strings("Tag", "name")).count == 160)
    }
  }

  @Test("A main-queue context may be used directly on the main queue")
  @MainActor func mainQueue() throws {
    let stack = try Stack(.inMemory)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    context.new("Tag", ["name": "a"])
    try context.save()
    #expect(context.performAndWait { 5 } == 5)
    #expect(context.owner.isOnQueue)
  }

  @Test("Objects die on other threads than their context's without harm")
  func dyingElsewhere() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    try await context.perform {
      for index in 0..<200 { context.new("Tag", ["name": "\(index)"]) }
      try context.save()
    }
    for _ in 0..<20 {
      var tags = try await context.perform { try context.all("Tag") }
      async let again = context.perform { try context.strings("Tag", "name").count }
      tags = []
      #expect(try await again == 200)
    }
  }

  @Test("A use off the queue is reported word for word, and traps when that is asked for")
  func wrongQueue() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ConcurrencyGuard.isOn = true
      ConcurrencyGuard.reaction = .trap
      let stack = try Stack(.inMemory)
      stack.context.name = "library"
      let tag = stack.context.performAndWait { stack.context.new("Tag") }
      tag.setValue("x", forKey: "name")
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let parts = words.components(separatedBy: "Context \"library\"")
    try #require(parts.count == 2)
    let pattern =
      #"^ was used off its queue\.\n  Call:  NSManagedObject\.setValue\(_:forKey: "name"\) on Tag <x-coredata:///Tag/t[0-9A-F-]+>\n"#
      + #"  Queue: private queue of "library"; called on (a background|the main) thread\n"#
      + #"Objects belong to the queue of the context that made them\. Wrap the call in\n"#
      + #"`context\.perform \{ \.\.\. \}`, or pass `objectID` and fetch the object in your own context\.\n"#
    #expect(parts[1].range(of: pattern, options: .regularExpression) != nil, "\(parts[1])")
  }

  @Test("Without the trap a use off the queue is reported once for each kind of call, and goes on")
  func reported() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      ConcurrencyGuard.isOn = true
      ConcurrencyGuard.reaction = .report
      let stack = try Stack(.inMemory)
      for _ in 0..<3 { _ = try stack.context.all("Tag") }
      _ = stack.context.hasChanges
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.components(separatedBy: "Call:  NSManagedObjectContext.fetch(_:)").count == 2)
    #expect(words.components(separatedBy: "Call:  NSManagedObjectContext.hasChanges").count == 2)
  }
}
