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

  @Test("A block that the main queue's thread runs in another context's performAndWait may use a main queue's context")
  @MainActor func mainQueueInside() throws { try useMainQueueInside() }

  // Not the main actor's: its blocks would be too, and end the program on the private queues.
  private func useMainQueueInside() throws {
    let stack = try Stack(.inMemory)
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.persistentStoreCoordinator = stack.coordinator
    let other = stack.newContext()
    let count = stack.context.performAndWait {
      other.performAndWait {
        main.performAndWait {
          #expect(main.owner.isOnQueue && other.owner.isOnQueue && stack.context.owner.isOnQueue)
          main.new("Tag")
          return main.insertedObjects.count
        }
      }
    }
    #expect(count == 1)
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

  @Test("performAndWait ends no event: what it changed is told by the next perform, fetch or save")
  func noEvent() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    let log = NotificationLog(context)
    context.performAndWait { context.new("Tag") }
    context.performAndWait { #expect(log.names == []) }
    await context.perform {}
    context.performAndWait { #expect(log.names == ["didChange"]) }
    // Inside a block the event is that of the block around it.
    await context.perform {
      context.performAndWait { context.new("Tag") }
      #expect(log.names == ["didChange"])
    }
    context.performAndWait { #expect(log.names == ["didChange", "didChange"]) }
  }

  @Test("Blocks that many threads enqueue run one at a time, those of each thread in its order")
  func serial() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    var running = 0
    var order: [Int: [Int]] = [:]
    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      for index in 0..<50 {
        let block = {
          running += 1
          #expect(running == 1)
          order[thread, default: []].append(index)
          running -= 1
        }
        if index % 5 == 0 { context.performAndWait(block) } else { context.perform(block) }
      }
    }
    await context.perform(schedule: .enqueued) {}
    context.performAndWait {
      for thread in 0..<6 { #expect(order[thread] == Array(0..<50)) }
    }
  }

  @Test("Threads that wait for each other's contexts in the same order don't block one another")
  func noDeadlock() async throws {
    let stack = try Stack(.inMemory)
    let (a, b) = (stack.context, stack.newContext())
    var sum = 0
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<50 { a.performAndWait { b.performAndWait { a.performAndWait { sum += 1 } } } }
    }
    a.performAndWait { #expect(sum == 400) }
    // From a block that runs later, as from one that is waited for.
    let found = await a.perform { b.performAndWait { a.performAndWait { a.owner.isOnQueue && b.owner.isOnQueue } } }
    #expect(found)
  }

  @Test("A context takes blocks, nested ones too, before it has a coordinator, and gets it in one")
  func withoutCoordinator() async throws {
    let stack = try Stack(.inMemory)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    #expect(await context.perform { 1 } == 1)
    let count = try context.performAndWait {
      try context.performAndWait {
        context.persistentStoreCoordinator = stack.coordinator
        context.new("Tag")
        try context.save()
        return try context.performAndWait { try context.all("Tag").count }
      }
    }
    #expect(count == 1)
    #expect(!context.owner.isOnQueue)
  }

  @Test("A main-queue context's blocks run on the main queue, whoever asks")
  func mainQueueFromElsewhere() async throws {
    let stack = try Stack(.inMemory)
    let context = NSManagedObjectContext(.mainQueue)
    context.persistentStoreCoordinator = stack.coordinator
    let log = NotificationLog(context)
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        #expect(!context.owner.isOnQueue)
        context.performAndWait { #expect(QueueOwnership.isMainQueue) }
        context.perform {
          #expect(QueueOwnership.isMainQueue)
          context.new("Tag")
        }
        context.perform {
          #expect(log.names == ["didChange"])
          DispatchQueue.global().async { continuation.resume() }
        }
      }
    }
    #expect(await context.perform { QueueOwnership.isMainQueue })
  }

  @Test("On the context's queue an immediate block runs at once, an enqueued one after those that wait")
  @MainActor func schedules() async throws {
    let stack = try Stack(.inMemory)
    let context = NSManagedObjectContext(.mainQueue)
    context.persistentStoreCoordinator = stack.coordinator
    var order: [String] = []
    // A function that is not async calls the perform that returns at once.
    func enqueue() { context.perform { order.append("waiting") } }
    enqueue()
    await context.perform(schedule: .immediate) { order.append("immediate") }
    await context.perform { order.append("by default") }
    await context.perform(schedule: .enqueued) { order.append("enqueued") }
    #expect(order == ["immediate", "by default", "waiting", "enqueued"])
  }

  @Test("The name is the label of the private queue, if it is set before the first block")
  func label() throws {
    let context = NSManagedObjectContext(.privateQueue)
    context.name = "importer"
    context.performAndWait {}
    #expect(context.queue.label == "importer")
    context.name = "other"
    #expect(context.queue.label == "importer" && context.label == "\"other\"")
    let unnamed = NSManagedObjectContext(.privateQueue)
    #expect(unnamed.queue.label == "NSManagedObjectContext")
    let main = NSManagedObjectContext(.mainQueue)
    main.name = "view"
    #expect(main.queue.label == DispatchQueue.main.label)
  }

  @Test("There are private and main queues; a context without a queue is used where it was made, and has no perform")
  func types() async throws {
    let confined = try #require(NSManagedObjectContextConcurrencyType(rawValue: 0))
    let stack = try Stack(.inMemory)
    let context = NSManagedObjectContext(concurrencyType: confined)
    context.persistentStoreCoordinator = stack.coordinator
    context.new("Tag", ["name": "a"])
    try context.save()
    #expect(try context.strings("Tag", "name") == ["a"])
    await #expect(processExitsWith: .failure) {
      NSManagedObjectContext(concurrencyType: .init(rawValue: 0)!).perform {}
    }
    #expect(NSManagedObjectContextConcurrencyType(rawValue: 1) == .privateQueueConcurrencyType)
    #expect(NSManagedObjectContextConcurrencyType(rawValue: 2) == .mainQueueConcurrencyType)
  }

  @Test("A context made without a type has no queue, and is used without perform, also as a child")
  @available(*, deprecated, message: "It uses what is deprecated.")
  func plainContext() throws {
    let stack = try Stack(.inMemory)
    let context = NSManagedObjectContext()
    #expect(context.concurrencyType.rawValue == 0)
    context.persistentStoreCoordinator = stack.coordinator
    context.new("Tag", ["name": "a"])
    #expect(context.hasChanges && context.owner.isOnQueue)
    try context.save()
    let child = NSManagedObjectContext()
    child.parent = stack.context
    let names = try child.strings("Tag", "name")
    #expect(names == ["a"] && child.owner.isOnQueue)
    child.new("Tag", ["name": "b"])
    try child.save()
    #expect(stack.context.performAndWait { stack.context.insertedObjects.count } == 1)
  }

  @Test("The locks from before contexts had queues do nothing")
  func locks() throws {
    let stack = try Stack(.inMemory)
    let old: any Lockable = stack.context
    old.lock()
    #expect(old.tryLock())
    old.unlock()
    #expect(stack.context.performAndWait { old.tryLock() })
  }

  @Test("Ids may be used on any thread, and lead to the object of each context")
  func ids() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    let id = try context.performAndWait {
      let tag = context.new("Tag", ["name": "a"])
      try context.save()
      return tag.objectID
    }
    await withTaskGroup(of: String?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let own = stack.newContext()
          #expect(!id.isTemporaryID && id.entity.name == "Tag" && id.uriRepresentation().scheme == "x-coredata")
          return await own.perform { own.object(with: id).string("name") }
        }
      }
      for await name in group { #expect(name == "a") }
    }
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
}

/// Calls deprecated methods without the warnings.
private protocol Lockable {
  func lock()
  func unlock()
  func tryLock() -> Bool
}

extension NSManagedObjectContext: Lockable {}
