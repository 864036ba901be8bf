import Foundation
import Testing

@testable import CoreData

/// Threads that have a parent's queue and wait for its child's, while the child asks the parent. Each test is a process
/// of its own, which ends with an error if it hangs.
@Suite("Waiting for children that ask their parents")
struct ParentQueueTests {
  @Test("The main thread saves a parent and waits for a private child that merges the save")
  func mainSaves() async {
    await #expect(processExitsWith: .success) {
      endLate()
      try await MainActor.run {
        let stack = try Stack(.inMemory)
        let (parent, child) = try family(stack, .mainQueueConcurrencyType)
        for round in 0..<50 {
          try parent.only("Book")["title"] = "T\(round)"
          parent.new("Book")
          try parent.save()
          for book in try parent.all("Book") where book.string("title") == "Untitled" { parent.delete(book) }
          try parent.save()
          child.performAndWait { #expect(child.registeredObjects.first?.string("title") != nil) }
        }
      }
    }
  }

  @Test("A private parent's block saves and waits for the child that merges the save")
  func privateSaves() async {
    await #expect(processExitsWith: .success) {
      endLate()
      let stack = try Stack(.sqlite)
      let (parent, child) = try family(stack, .privateQueueConcurrencyType)
      for round in 0..<50 {
        try parent.performAndWait {
          try parent.only("Book")["title"] = "T\(round)"
          try parent.save()
          child.performAndWait { #expect(child.registeredObjects.first?.string("title") != nil) }
        }
      }
    }
  }

  @Test("Grandchildren and siblings fetch, fault and save on their queues while the main thread waits for each of them")
  func families() async {
    await #expect(processExitsWith: .success) {
      endLate()
      try await MainActor.run {
        let stack = try Stack(.sqlite)
        let (parent, child) = try family(stack, .mainQueueConcurrencyType)
        let grandchild = NSManagedObjectContext.child(of: child)
        let sibling = NSManagedObjectContext.child(of: parent)
        for context in [grandchild, sibling] { context.automaticallyMergesChangesFromParent = true }
        let contexts = [child, grandchild, sibling]
        for round in 0..<30 {
          for context in contexts {
            context.perform {
              for book in (try? context.all("Book")) ?? [] { _ = book.string("title") }
              let book = context.new("Book", ["title": "\(round)"])
              #expect(failure { try context.save() } == nil)
              context.refresh(book, mergeChanges: false)
              _ = book.string("title")
            }
          }
          try parent.save()
          for context in contexts { context.performAndWait { _ = try? context.all("Book") } }
        }
        for context in contexts { context.performAndWait {} }
        try grandchild.performAndWait { try grandchild.save() }
        try child.performAndWait { try child.save() }
        try parent.save()
        #expect(try parent.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 91)
      }
    }
  }

  @Test("A private root's block waits for the main queue, whose context asks the root")
  func mainChild() async {
    await #expect(processExitsWith: .success) {
      endLate()
      let stack = try Stack(.sqlite)
      let root = stack.context
      let main = NSManagedObjectContext(.mainQueue)
      main.parent = root
      try root.performAndWait {
        for index in 0..<20 { root.new("Book", ["title": "\(index)"]) }
        try root.save()
      }
      for _ in 0..<30 {
        let wait: @Sendable () -> Void = {
          main.performAndWait { #expect(QueueOwnership.isMainQueue && main.registeredObjects.count <= 20) }
        }
        enqueue(wait, on: root)
        try await MainActor.run {
          for book in try main.all("Book") {
            main.refresh(book, mergeChanges: false)
            #expect(book.string("title") != nil)
          }
        }
      }
      await root.perform(schedule: .enqueued) {}
    }
  }

  @Test("A remote save is merged into a parent and its child by the main thread while the child works")
  func remote() async {
    await #expect(processExitsWith: .success) {
      endLate()
      try await MainActor.run {
        let stack = try Stack(.sqlite)
        let (parent, child) = try family(stack, .mainQueueConcurrencyType)
        let id = try parent.only("Book").objectID
        for _ in 0..<30 {
          child.perform { for _ in 0..<5 { _ = try? child.all("Book").map { $0.string("title") } } }
          NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSUpdatedObjectIDsKey: [id]], into: [child, parent])
        }
        child.performAndWait {}
      }
    }
  }

  @Test("Blocks of a parent run in their order, and before what a child asks after them")
  func order() throws {
    let stack = try Stack(.inMemory)
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    for _ in 0..<200 {
      var isDone = false
      try child.performAndWait {
        parent.perform { isDone = true }
        _ = try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
        #expect(isDone)
      }
    }
  }

  @Test("Many children ask one private parent at once, and each is answered while nobody else has its queue")
  func exclusion() throws {
    let stack = try Stack(.inMemory)
    let parent = stack.context
    let children = (0..<6).map { _ in NSManagedObjectContext.child(of: parent) }
    DispatchQueue.concurrentPerform(iterations: 6) { number in
      let child = children[number]
      for index in 0..<40 {
        child.performAndWait {
          child.new("Tag", ["name": "\(number) \(index)"])
          #expect(failure { try child.save() } == nil)
          if index % 8 == 0 { parent.performAndWait { #expect(failure { try parent.save() } == nil) } }
        }
      }
    }
    try parent.performAndWait {
      #expect(Set(try parent.strings("Tag", "name")).count == 240)
      try parent.save()
    }
  }
}

/// Ends a process that hangs.
private func endLate() {
  DispatchQueue.global().asyncAfter(deadline: .now() + 90) { exit(3) }
}

/// A parent with one book, and a child of it that has read the book and merges its parent's saves.
private func family(
  _ stack: Stack, _ type: NSManagedObjectContextConcurrencyType
) throws -> (parent: NSManagedObjectContext, child: NSManagedObjectContext) {
  let parent = NSManagedObjectContext(concurrencyType: type)
  parent.persistentStoreCoordinator = stack.coordinator
  let id = try parent.performAndWait {
    let book = parent.new("Book", ["title": "T"])
    try parent.save()
    return book.objectID
  }
  let child = NSManagedObjectContext.child(of: parent)
  child.automaticallyMergesChangesFromParent = true
  child.retainsRegisteredObjects = true
  child.performAndWait { _ = child.object(with: id).string("title") }
  return (parent, child)
}

/// Calls the `perform` that returns at once. In an asynchronous function the compiler chooses the asynchronous one.
private func enqueue(_ block: @escaping @Sendable () -> Void, on context: NSManagedObjectContext) {
  context.perform(block)
}
