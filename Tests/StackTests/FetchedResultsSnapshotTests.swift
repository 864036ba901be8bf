import CoreData
import Testing

/// A delegate as an application has it for its diffable data source.
private class SnapshotScreen: NSObject, NSFetchedResultsControllerDelegate {
  private(set) var snapshots: [NSDiffableDataSourceSnapshot<String, NSManagedObjectID>] = []
  private(set) var others = 0

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    let snapshot = snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
    snapshots.append(snapshot)
    let lists = controller.sections!.map { ($0.objects as! [NSManagedObject]).map(\.objectID) }
    #expect(snapshot.sectionIdentifiers == controller.sections!.map(\.name))
    #expect(snapshot.sectionIdentifiers.map { snapshot.itemIdentifiers(inSection: $0) } == lists)
    #expect(snapshot.itemIdentifiers == controller.fetchedObjects!.map { ($0 as! NSManagedObject).objectID })
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) { others += 1 }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { others += 1 }

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
    others += 1
  }
  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
    others += 1
  }
}

/// The snapshots that delegates get.
@Suite("Snapshots of fetched results")
struct FetchedResultsSnapshotTests {
  /// Books A, B, C of 1, 1, 2 pages, saved, and a controller of them.
  private func withBooks(
    _ kind: StoreKind, sections: String? = "pages",
    _ body: (NSFetchedResultsController<NSManagedObject>, NSManagedObjectContext, [NSManagedObject]) throws ->
      Void
  ) throws {
    try withStack(kind) { _, context in
      let books = [("A", 1), ("B", 1), ("C", 2)].map { context.new("Book", ["title": $0, "pages": $1]) }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = ["pages", "title"].map { NSSortDescriptor(key: $0, ascending: true) }
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
      try body(controller, context, books)
    }
  }

  @Test(
    "Each fetch and each event gives a snapshot of names and ids, and nothing else is told",
    arguments: StoreKind.allCases)
  func events(_ kind: StoreKind) throws {
    try withBooks(kind) { controller, context, books in
      let screen = SnapshotScreen()
      controller.delegate = screen
      try controller.performFetch()
      #expect(screen.snapshots.count == 1 && screen.snapshots[0].sectionIdentifiers == ["1", "2"])
      let ids = books.map(\.objectID)
      #expect(screen.snapshots[0].itemIdentifiers == ids && screen.snapshots[0].reloadedItemIdentifiers == [])

      let new = context.new("Book", ["title": "D", "pages": 3])
      try context.obtainPermanentIDs(for: [new])
      context.delete(books[0])
      context.processPendingChanges()
      #expect(screen.snapshots.count == 2 && screen.snapshots[1].sectionIdentifiers == ["1", "2", "3"])
      #expect(screen.snapshots[1].itemIdentifiers == [ids[1], ids[2], new.objectID])
      #expect(screen.snapshots[1].reloadedItemIdentifiers == [])

      books[1]["pages"] = 3
      books[2]["isbn"] = "1"
      context.processPendingChanges()
      #expect(screen.snapshots[2].itemIdentifiers == [ids[2], ids[1], new.objectID])
      #expect(Set(screen.snapshots[2].reloadedItemIdentifiers) == [ids[1], ids[2]])
      #expect(screen.snapshots[2].reconfiguredItemIdentifiers == [])

      context.new("Author")
      try context.save()
      #expect(screen.snapshots.count == 3 && screen.others == 0)
      try controller.performFetch()
      #expect(screen.snapshots.count == 4 && screen.others == 0)
      #expect(screen.snapshots[0].itemIdentifiers == ids, "A snapshot stays as it is.")
    }
  }

  @Test(
    "A save gives a snapshot with the permanent ids of objects that were listed with temporary ones",
    arguments: StoreKind.allCases)
  func permanentIDs(_ kind: StoreKind) throws {
    try withBooks(kind) { controller, context, books in
      let screen = SnapshotScreen()
      controller.delegate = screen
      let early = context.new("Book", ["title": "E", "pages": 1])
      try controller.performFetch()
      let late = context.new("Book", ["title": "L", "pages": 2])
      context.delete(context.new("Book", ["title": "N", "pages": 2]))
      context.processPendingChanges()
      let former = [early, late].map(\.objectID)
      #expect(screen.snapshots.count == 2)
      #expect(former.allSatisfy { $0.isTemporaryID && screen.snapshots[1].itemIdentifiers.contains($0) })

      try context.save()
      #expect(screen.snapshots.count == 3 && screen.others == 0)
      #expect(screen.snapshots[2].itemIdentifiers == [books[0], books[1], early, books[2], late].map(\.objectID))
      #expect(screen.snapshots[2].itemIdentifiers.allSatisfy { !$0.isTemporaryID })
      #expect(screen.snapshots[2].reloadedItemIdentifiers == [])

      late["isbn"] = "1"
      try context.save()
      #expect(screen.snapshots.count == 4, "The ids are told once.")
    }
  }

  private final class Latest: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var snapshot: NSDiffableDataSourceSnapshot<String, NSManagedObjectID>?
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { self.snapshot = snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID> }
  }

  @Test("Of names that differ in their scalars only the first is found in a snapshot", arguments: StoreKind.allCases)
  func scalars(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let books = ["e\u{301}", "f", "\u{E9}"].map { context.new("Book", ["title": $0]) }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
      let latest = Latest()
      controller.delegate = latest
      try controller.performFetch()
      let snapshot = try #require(latest.snapshot)
      #expect(snapshot.numberOfSections == 3 && snapshot.itemIdentifiers == books.map(\.objectID))
      #expect(snapshot.indexOfSection("\u{E9}") == 0 && snapshot.indexOfSection("f") == 1)
    }
  }

  @Test("A list without sections is one section with an empty name", arguments: StoreKind.allCases)
  func oneSection(_ kind: StoreKind) throws {
    try withBooks(kind, sections: nil) { controller, context, books in
      let screen = SnapshotScreen()
      controller.delegate = screen
      try controller.performFetch()
      for book in books { context.delete(book) }
      context.processPendingChanges()
      #expect(screen.snapshots.map(\.numberOfItems) == [3, 0] && screen.others == 0)
      #expect(screen.snapshots.map(\.sectionIdentifiers) == [[""], [""]])
    }
  }

  @Test(
    "A delegate that is set after the fetch gets snapshots from the next event on",
    arguments: StoreKind.allCases)
  func late(_ kind: StoreKind) throws {
    try withBooks(kind) { controller, context, books in
      try controller.performFetch()
      let screen = SnapshotScreen()
      controller.delegate = screen
      #expect(screen.snapshots.isEmpty)
      books[2]["pages"] = 1
      context.processPendingChanges()
      #expect(screen.snapshots.map(\.sectionIdentifiers) == [["1"]])
      controller.delegate = nil
      context.delete(books[0])
      context.processPendingChanges()
      #expect(screen.snapshots.count == 1 && screen.others == 0)
    }
  }

  /// Keeps the objects that it is handed.
  private final class Keeper: NSObject, NSFetchedResultsControllerDelegate {
    var kept: [NSDiffableDataSourceSnapshotReference] = []
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { kept.append(snapshot) }
  }

  @Test(
    "A snapshot that is looked at later has what the list had when it was told", arguments: StoreKind.allCases
  )
  func kept(_ kind: StoreKind) throws {
    try withBooks(kind) { controller, context, books in
      let keeper = Keeper()
      controller.delegate = keeper
      try controller.performFetch()
      let ids = books.map(\.objectID)
      context.delete(books[1])
      context.processPendingChanges()
      context.delete(books[0])
      try context.save()
      #expect(
        keeper.kept.map { $0.itemIdentifiers as? [NSManagedObjectID] } == [ids, [ids[0], ids[2]], [ids[2]]])
      #expect(keeper.kept.map { $0.sectionIdentifiers as? [String] } == [["1", "2"], ["1", "2"], ["2"]])
    }
  }

  /// Says in its subclass what is done with snapshots.
  private class Base: NSObject, NSFetchedResultsControllerDelegate {
    var told = ""
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
      told += "base "
    }
  }
  private final class Derived: Base {
    override func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      super.controllerDidChangeContent(controller)
      told += "derived "
    }
  }

  @Test(
    "A delegate's class may inherit from the one that conforms; what it overrides is called",
    arguments: StoreKind.allCases)
  func subclass(_ kind: StoreKind) throws {
    try withBooks(kind) { controller, context, books in
      let delegate = Derived()
      controller.delegate = delegate
      try controller.performFetch()
      context.delete(books[0])
      context.processPendingChanges()
      #expect(delegate.told == "base derived ")
    }
  }

  /// Takes itself off at the first snapshot.
  private final class Leaving: NSObject, NSFetchedResultsControllerDelegate {
    var told = 0
    var next: ListScreen?
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
      didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
      told += 1
      controller.delegate = nil
    }
  }

  @Test("A delegate may take itself off while it is told", arguments: StoreKind.allCases)
  func leaving(_ kind: StoreKind) throws {
    try withBooks(kind) { controller, context, books in
      try controller.performFetch()
      let leaving = Leaving()
      controller.delegate = leaving
      context.delete(books[0])
      context.processPendingChanges()
      context.delete(books[1])
      context.processPendingChanges()
      #expect(leaving.told == 1 && controller.fetchedObjects?.count == 2)
      let screen = SnapshotScreen()
      controller.delegate = screen
      context.delete(books[2])
      context.processPendingChanges()
      #expect(screen.snapshots.count == 1)
    }
  }
}
