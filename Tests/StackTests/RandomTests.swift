import CoreData
import TestDice
import Testing

/// The same random work on a stack of each kind of store must leave the same objects, in the working context, in
/// another one, and, with the invariants on, both ends of every relationship in agreement.
@Suite("Random work")
struct RandomTests {
  /// A library in which every object has a name, and the objects by name.
  private final class Worker {
    let stack: Stack
    var context: NSManagedObjectContext
    var dice: Dice
    private var count = 0

    init(_ kind: StoreKind, seed: UInt64) throws {
      let model = library()
      for name in ["Book", "Chapter", "Passport"] {
        model.entitiesByName[name]!.properties.append(attribute("name"))
      }
      stack = try Stack(kind, model)
      context = stack.context
      dice = Dice(state: seed)
    }

    private func any(_ entity: String) throws -> NSManagedObject? {
      let all = try context.all(entity).sorted { $0.string("name")! < $1.string("name")! }
      return all.randomElement(using: &dice)
    }

    func step() throws {
      switch Int.random(in: 0..<20, using: &dice) {
      case 0..<5:
        count += 1
        let entity = ["Author", "Book", "Novel", "Tag", "Chapter", "Passport"].randomElement(using: &dice)!
        context.new(entity, ["name": String(format: "%03d", count)])
      case 5, 6: try any("Book")?.setValue(any("Author"), forKey: "author")
      case 7: try any("Author")?.setValue(any("Passport"), forKey: "passport")
      case 8: try any("Passport")?.setValue(any("Author"), forKey: "holder")
      case 9, 10:
        guard let book = try any("Book"), let tag = try any("Tag") else { return }
        let set = tag.mutableSetValue(forKey: "books")
        if set.contains(book) { set.remove(book) } else { set.add(book) }
      case 11: try any("Chapter")?.setValue(any("Book"), forKey: "book")
      case 12:
        guard let book = try any("Book"), let chapter = try any("Chapter") else { return }
        let list = book.mutableOrderedSetValue(forKey: "chapters")
        list.insert(chapter, at: Int.random(in: 0...list.count, using: &dice))
        if list.count > 1 { list.exchangeObject(at: 0, withObjectAt: list.count - 1) }
      case 13:
        try any("Author")?.setValue(Set([any("Book"), any("Book")].compactMap { $0 }), forKey: "books")
      case 14:
        if let object = try any(
          ["Author", "Book", "Tag", "Chapter", "Passport"].randomElement(using: &dice)!)
        {
          context.delete(object)
        }
      case 15: context.processPendingChanges()
      case 16: if Int.random(in: 0..<4, using: &dice) == 0 { context.rollback() }
      case 17: context.refreshAllObjects()
      default: try context.save()
      }
    }

    static func dump(_ context: NSManagedObjectContext) throws -> [String] {
      func names(_ value: Any?) -> String {
        switch value {
        case let object as NSManagedObject: object.string("name")!
        case let list as NSOrderedSet:
          list.map { ($0 as! NSManagedObject).string("name")! }.joined(separator: ",")
        case let set as NSSet:
          set.map { ($0 as! NSManagedObject).string("name")! }.sorted().joined(separator: ",")
        default: value.map { "\($0)" } ?? "-"
        }
      }
      return try ["Author", "Book", "Tag", "Chapter", "Passport"].flatMap { entity in
        try context.all(entity).map { object in
          object.entity.name!
            + object.entity.propertiesByName.keys.sorted().map { " \($0)=\(names(object[$0]))" }.joined()
        }.sorted()
      }
    }
  }

  @Test("All kinds of stores end with the same objects", arguments: 1...12 as ClosedRange<UInt64>)
  func sameWork(_ seed: UInt64) throws {
    let workers = try StoreKind.allCases.map { try Worker($0, seed: seed) }
    for round in 0..<8 {
      var dumps: [[String]] = []
      for worker in workers {
        try worker.context.performAndWait {
          for _ in 0..<25 { try worker.step() }
          let unsaved = try Worker.dump(worker.context)
          try worker.context.save()
          let saved = try Worker.dump(worker.context)
          let stored = try worker.stack.elsewhere(Worker.dump)
          worker.context.reset()
          let read = try Worker.dump(worker.context)
          #expect(unsaved == saved, "seed \(seed), round \(round)")
          #expect(saved == stored, "seed \(seed), round \(round)")
          #expect(stored == read, "seed \(seed), round \(round)")
          dumps.append(stored)
        }
      }
      for (kind, dump) in zip(StoreKind.allCases, dumps) {
        #expect(dump == dumps[0], "\(kind), seed \(seed), round \(round)")
      }
    }
  }

  @Test(
    "Two contexts that merge each other's saves end with the same objects as the store",
    arguments: StoreKind.allCases, 1...6 as ClosedRange<UInt64>)
  func twoContexts(_ kind: StoreKind, _ seed: UInt64) throws {
    let worker = try Worker(kind, seed: seed)
    let contexts = [worker.context, worker.stack.newContext()]
    for context in contexts {
      context.automaticallyMergesChangesFromParent = true
      context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
      // Otherwise hardly an object would be there for a merge to find.
      context.retainsRegisteredObjects = true
    }
    for round in 0..<20 {
      for context in contexts {
        worker.context = context
        try context.performAndWait { () throws in
          for _ in 0..<10 { try worker.step() }
          try context.save()
        }
      }
      // What the saves asked the contexts' queues to merge has been merged when these blocks run.
      let stored = try worker.stack.elsewhere(Worker.dump)
      for context in contexts {
        let seen = try context.performAndWait { try Worker.dump(context) }
        #expect(seen == stored, "seed \(seed), round \(round)")
      }
    }
  }
}
