import CoreData
import TestDice
import Testing

extension FetchedResultsChangeTests {
  @Test(
    "Random changes, replayed from what is told, give the list that a fetch gives",
    arguments: StoreKind.allCases, [3, 17, 4711] as [UInt64])
  func random(_ kind: StoreKind, _ seed: UInt64) throws {
    try withStack(kind) { stack, context in
      context.undoManager = UndoManager()
      var dice = Dice(state: seed)
      // Unique, so that the order of a fetch is known.
      var serial = 0
      func unique() -> String {
        serial += 1
        return "\(Int.random(in: 0..<50, using: &dice))-\(serial)"
      }
      func someBook(_ context: NSManagedObjectContext) throws -> NSManagedObject? {
        try context.all("Book").sorted { $0.string("isbn")! < $1.string("isbn")! }.randomElement(using: &dice)
      }
      func change(_ context: NSManagedObjectContext) throws {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0...3:
          let values: [String: Any] = ["isbn": unique(), "pages": Int.random(in: 0..<6, using: &dice)]
          context.new(Bool.random(using: &dice) ? "Book" : "Novel", values)
        case 4, 5: try someBook(context).map { context.delete($0) }
        case 6: try someBook(context)?["title"] = unique()
        case 7: try someBook(context)?["isbn"] = unique()
        default: try someBook(context)?["pages"] = Int.random(in: 0..<6, using: &dice)
        }
      }
      let screens = [
        try ListScreen(context, by: ["isbn"], predicate: NSPredicate(format: "pages > 1")),
        try ListScreen(context, by: ["pages", "-isbn"], sections: "pages"),
        try ListScreen(
          context, by: ["-pages", "isbn"], sections: "pages", predicate: NSPredicate(format: "pages != 3")),
      ]
      for _ in 0..<60 {
        switch Int.random(in: 0..<12, using: &dice) {
        case 0: context.rollback()
        case 1: try context.save()
        case 2:
          try context.save()
          let other = stack.newContext()
          let log = NotificationLog(other)
          try other.performAndWait {
            for _ in 0..<Int.random(in: 1..<20, using: &dice) { try change(other) }
            try other.save()
          }
          if let saved = log["didSave"] { context.mergeChanges(fromContextDidSave: saved) }
        case 3: context.refreshAllObjects()
        case 4: context.undoManager?.canUndo == true ? context.undo() : ()
        default: for _ in 0..<Int.random(in: 1..<16, using: &dice) { try change(context) }
        }
        context.processPendingChanges()
        for screen in screens {
          let fresh = NSFetchedResultsController(
            fetchRequest: screen.controller.fetchRequest, managedObjectContext: context,
            sectionNameKeyPath: screen.controller.sectionNameKeyPath, cacheName: nil)
          try fresh.performFetch()
          let isShown = screen.shown == screen.listed
          #expect(isShown)
          #expect(screen.listed.map(\.name) == fresh.sections!.map(\.name))
          // As one truth: what a failed comparison of objects prints takes minutes.
          let isSame = screen.controller.fetchedObjects! == fresh.fetchedObjects!
          #expect(isSame)
        }
      }
      #expect(screens.allSatisfy { $0.told.count > 50 })
    }
  }
}
