import CoreData
import Testing

@Suite("Merging downwards, from parents to children")
struct ParentMergingTests {
  /// Waits until the blocks that are waiting on a context's queue have run.
  private func drain(_ context: NSManagedObjectContext) async { await context.perform(schedule: .enqueued) {} }

  @Test(
    "automaticallyMergesChangesFromParent: a child takes over its parent's save, and a sibling's that went through it",
    arguments: StoreKind.allCases)
  func saves(_ kind: StoreKind) async throws {
    let stack = try Stack(kind)
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    let sibling = NSManagedObjectContext.child(of: parent)
    child.automaticallyMergesChangesFromParent = true
    let id = try parent.performAndWait {
      let book = parent.new("Book", ["title": "T"])
      try parent.save()
      return book.objectID
    }
    let mine = child.performAndWait { child.object(with: id) }
    child.performAndWait { #expect(mine.string("title") == "T") }
    try sibling.performAndWait {
      sibling.object(with: id)["title"] = "sibling"
      try sibling.save()
    }
    await drain(child)
    child.performAndWait { #expect(mine.string("title") == "T", "The parent has not saved yet.") }
    try parent.performAndWait { try parent.save() }
    await drain(child)
    child.performAndWait {
      #expect(mine.string("title") == "sibling" && !child.hasChanges)
    }
    _ = stack
  }

  @Test("A save elsewhere goes through the parent's merge to the children", arguments: StoreKind.allCases)
  func passedOn(_ kind: StoreKind) async throws {
    let stack = try Stack(kind)
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    parent.automaticallyMergesChangesFromParent = true
    child.automaticallyMergesChangesFromParent = true
    let id = try parent.performAndWait {
      let book = parent.new("Book", ["title": "T"])
      try parent.save()
      return book.objectID
    }
    let mine = child.performAndWait { child.object(with: id) }
    let theirs = parent.performAndWait { parent.object(with: id) }
    child.performAndWait { #expect(mine.string("title") == "T") }
    try stack.elsewhere { other in
      other.object(with: id)["title"] = "other"
      try other.save()
    }
    await drain(parent)
    parent.performAndWait { #expect(theirs.string("title") == "other") }
    await drain(child)
    child.performAndWait { #expect(mine.string("title") == "other") }
    _ = stack
  }

  @Test("A merge keeps the child's own changes, and takes deleted objects out", arguments: StoreKind.allCases)
  func merge(_ kind: StoreKind) throws {
    try withStack(kind) { _, parent in
      let child = NSManagedObjectContext.child(of: parent)
      let kept = parent.new("Book", ["title": "K", "pages": 1])
      let gone = parent.new("Book", ["title": "G"])
      try parent.save()
      try child.performAndWait {
        let (mine, going) = (child.same(kept), child.same(gone))
        mine["title"] = "mine"
        #expect(going.string("title") == "G")
        let log = NotificationLog(parent)
        kept["pages"] = 2
        parent.delete(gone)
        let new = parent.new("Book", ["title": "N"])
        try parent.save()
        child.mergeChanges(fromContextDidSave: try #require(log["didSave"]))
        #expect(mine.string("title") == "mine" && mine.int("pages") == 2 && mine.isUpdated)
        #expect(going.managedObjectContext == nil)
        #expect(child.registeredObject(for: new.objectID) == nil, "Nobody holds it here.")
        #expect(child.deletedObjects.isEmpty && child.insertedObjects.isEmpty)
      }
    }
  }

  @Test(
    "A conflict about an object that the child itself has inserted is settled", keepsRows, arguments: StoreKind.allCases
  )
  func ownObject(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    for policy in [NSMergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump] {
      let book = try child.performAndWait {
        let book = child.new("Book", ["title": "B"])
        try child.save()
        return book
      }
      try parent.performAndWait {
        try parent.save()
        try parent.all("Book").forEach(parent.delete)
        try parent.save()
      }
      try child.performAndWait {
        child.mergePolicy = policy
        book["title"] = "mine"
        if policy === NSMergePolicy.error {
          #expect(failure { try child.save() }?.code == NSManagedObjectMergeError)
          child.rollback()
        } else {
          try child.save()
          #expect(!child.hasChanges)
        }
      }
      let left = try parent.performAndWait {
        let left = try parent.strings("Book", "title")
        parent.rollback()
        return left
      }
      #expect(left == (policy === NSMergePolicy.mergeByPropertyObjectTrump ? ["mine"] : []))
    }
  }

  @Test(
    "After a reset a child still knows the ids that its parent's objects had before their save",
    arguments: StoreKind.allCases)
  func resetChild(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    let (former, id) = try parent.performAndWait {
      let book = parent.new("Book", ["title": "B"])
      let former = book.objectID
      child.performAndWait { _ = child.object(with: former).string("title") }
      try parent.save()
      return (former, book.objectID)
    }
    child.performAndWait {
      #expect(child.object(with: former) === child.object(with: id))
      child.reset()
      #expect(child.object(with: former) === child.object(with: id))
      #expect(child.object(with: former).string("title") == "B")
    }
  }

  @Test("A parent must have its coordinator, and a context has one parent for good")
  func misuse() async throws {
    let late = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      NSManagedObjectContext(.privateQueue).parent = NSManagedObjectContext(.privateQueue)
    }
    let words = String(decoding: try #require(late).standardErrorContent, as: UTF8.self)
    #expect(
      words.contains(
        "The context without a name cannot be a parent: it has no coordinator. Set its persistentStoreCoordinator first."
      ))
    let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.newContext().parent = stack.context
    }
    let others = String(decoding: try #require(second).standardErrorContent, as: UTF8.self)
    #expect(
      others.contains(
        "The context without a name cannot get a parent: it already has a coordinator or a parent, and its objects "
          + "cannot move."))
  }

  @Test(
    "A child goes on with an object that it made, though the parent saved it and let go of everything",
    arguments: StoreKind.allCases, [NSMergePolicy.error, .mergeByPropertyObjectTrump])
  func parentReset(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    let stack = try Stack(kind)
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    child.performAndWait { child.mergePolicy = policy }
    let book = try child.performAndWait {
      let book = child.new("Book", ["title": "1"])
      try child.save()
      return book
    }
    try parent.performAndWait {
      try parent.save()
      parent.reset()
    }
    try child.performAndWait {
      book["title"] = "2"
      try child.save()
    }
    try parent.performAndWait {
      try parent.save()
      #expect(try parent.all("Book").map { $0.string("title") } == ["2"])
    }
  }
}

extension NSManagedObjectContext {
  static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    return child
  }
}

func request(_ entity: String, _ format: String, _ arguments: Any?...) -> NSFetchRequest<NSManagedObject> {
  let request = NSFetchRequest<NSManagedObject>(entityName: entity)
  request.predicate = NSPredicate(format: format, argumentArray: arguments.compactMap { $0 })
  return request
}

/// An entity whose class counts how often it is woken.
final class Waking: NSManagedObject {
  /// Adds a word each time, so that the object itself says how often it was woken.
  override func awakeFromInsert() {
    super.awakeFromInsert()
    setValue((value(forKey: "woken") as? String ?? "") + "yes", forKey: "woken")
  }

  static func model() -> NSManagedObjectModel {
    StackTests.model([StackTests.entity("Waking", [attribute("title"), attribute("woken")], class: Waking.self)])
  }
}
