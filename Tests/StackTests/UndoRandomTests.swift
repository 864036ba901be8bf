import TestDice
import Testing

@testable import CoreData

/// Whatever was done: undoing all of it leads back over the same states, and redoing it forth.
@Suite("Undo of random work")
struct UndoRandomTests {
  private final class Worker {
    let context: NSManagedObjectContext
    var dice: Dice
    private var count = 0
    static let entities = ["Author", "Book", "Tag", "Chapter", "Passport"]

    init(_ context: NSManagedObjectContext, seed: UInt64) {
      self.context = context
      dice = Dice(state: seed)
    }

    static func model() -> NSManagedObjectModel {
      let model = library()
      for name in ["Book", "Chapter", "Passport"] {
        model.entitiesByName[name]!.properties.append(attribute("name"))
      }
      return model
    }

    private func any(_ entity: String) throws -> NSManagedObject? {
      try context.all(entity).sorted { $0.string("name")! < $1.string("name")! }.randomElement(using: &dice)
    }

    func change() throws {
      switch Int.random(in: 0..<16, using: &dice) {
      case 0..<5:
        count += 1
        let entity = (Worker.entities + ["Novel"]).randomElement(using: &dice)!
        context.new(entity, ["name": "\(1000 + count)"])
      case 5, 6: try any("Book")?.setValue(any("Author"), forKey: "author")
      case 7: try any("Author")?.setValue(any("Passport"), forKey: "passport")
      case 8: try any("Passport")?.setValue(any("Author"), forKey: "holder")
      case 9:
        guard let book = try any("Book"), let tag = try any("Tag") else { return }
        let set = tag.mutableSetValue(forKey: "books")
        if set.contains(book) { set.remove(book) } else { set.add(book) }
      case 10: try any("Chapter")?.setValue(any("Book"), forKey: "book")
      case 11:
        guard let book = try any("Book"), let chapter = try any("Chapter") else { return }
        let list = book.mutableOrderedSetValue(forKey: "chapters")
        list.insert(chapter, at: Int.random(in: 0...list.count, using: &dice))
        if list.count > 1 { list.exchangeObject(at: 0, withObjectAt: list.count - 1) }
      case 12:
        try any("Author")?.setValue(Set([any("Book"), any("Book")].compactMap { $0 }), forKey: "books")
      case 13: try any("Book")?.setValue(Int.random(in: 0..<100, using: &dice), forKey: "pages")
      default:
        if let object = try any(Worker.entities.randomElement(using: &dice)!) { context.delete(object) }
      }
    }

    /// What happens to a context besides: none of it is a change.
    func interlude(saving: Bool) throws {
      switch Int.random(in: 0..<6, using: &dice) {
      case 0: context.refreshAllObjects()
      case 1 where saving: try context.save()
      default: break
      }
    }

    func dump() throws -> [String] {
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
      return try Worker.entities.flatMap { entity in
        try context.all(entity).map { object in
          object.entity.name!
            + object.entity.propertiesByName.keys.sorted().map { " \($0)=\(names(object[$0]))" }.joined()
        }.sorted()
      }
    }
  }

  @Test(
    "Undoing all events restores the state before each of them, redoing them the state after",
    arguments: StoreKind.allCases, 1...24 as ClosedRange<UInt64>)
  func thereAndBack(_ kind: StoreKind, _ seed: UInt64) throws {
    try withUndo(kind, Worker.model()) { stack, context, manager throws in
      let worker = Worker(context, seed: seed)
      let isSaving = seed % 3 != 0
      try context.step {
        for _ in 0..<30 { try worker.change() }
        if isSaving { try context.save() }
      }
      manager.removeAllActions()
      var states = [try worker.dump()]
      for _ in 0..<12 {
        try context.step {
          for _ in 0..<Int.random(in: 1...6, using: &worker.dice) { try worker.change() }
        }
        // A group of changes that changed nothing is empty, and could not be redone.
        if manager.undoStack.last!.items.isEmpty { context.undo() } else { states.append(try worker.dump()) }
        try worker.interlude(saving: isSaving)
      }
      let all = states
      for round in 0..<2 {
        for (index, state) in all.enumerated().reversed() {
          let now = try worker.dump()
          try #require(now == state, "round \(round), back at \(index): \(now.difference(from: state))")
          try worker.interlude(saving: isSaving)
          context.undo()
        }
        #expect(!manager.canUndo)
        for (index, state) in all.enumerated() {
          let now = try worker.dump()
          try #require(now == state, "round \(round), forth at \(index): \(now.difference(from: state))")
          try worker.interlude(saving: isSaving)
          context.redo()
        }
        #expect(!manager.canRedo)
      }
      try context.save()
      let stored = try stack.elsewhere { try Worker($0, seed: 0).dump() }
      #expect(stored == all.last, "seed \(seed)")
    }
  }
}
