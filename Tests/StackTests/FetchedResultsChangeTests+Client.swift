import CoreData
import Testing

/// In the style of an application: a generic data source over a generic controller.
private final class BookList<Item: NSManagedObject>: NSObject, NSFetchedResultsControllerDelegate {
  let fetchedResultsController: NSFetchedResultsController<Item>
  private(set) var log: [String] = []

  init(context: NSManagedObjectContext, request: NSFetchRequest<Item>, sectionNameKeyPath: String? = nil) {
    fetchedResultsController = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sectionNameKeyPath,
      cacheName: nil)
    super.init()
    fetchedResultsController.delegate = self
  }

  var numberOfSections: Int { fetchedResultsController.sections?.count ?? 0 }
  func numberOfItems(in section: Int) -> Int {
    fetchedResultsController.sections?[section].numberOfObjects ?? 0
  }
  subscript(indexPath: IndexPath) -> Item { fetchedResultsController.object(at: indexPath) }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let count = controller.fetchedObjects?.count ?? 0
    switch type {
    case .insert: log.append("insert at \(newIndexPath!.row) of \(count)")
    case .delete: log.append("delete at \(indexPath!.row) of \(count)")
    case .move, .update: log.append("change")
    @unknown default: break
    }
    if let newIndexPath { #expect(controller.object(at: newIndexPath) === anObject as AnyObject) }
  }
}

extension FetchedResultsChangeTests {
  @Test("A data source of an application compiles and works, with the protocol as the type of results too")
  func client() throws {
    try withBooks(.sqlite) { _, context, books in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      let list = BookList(context: context, request: request)
      try list.fetchedResultsController.performFetch()
      context.new("Book", ["title": "B"])
      context.delete(books["E"]!)
      context.processPendingChanges()
      #expect(list.log == ["delete at 2 of 3", "insert at 1 of 3"])
      #expect(list.numberOfSections == 1 && list.numberOfItems(in: 0) == 3)
      #expect(list[IndexPath(row: 1, section: 0)].string("title") == "B")

      let untyped = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      untyped.sortDescriptors = request.sortDescriptors
      let controller: NSFetchedResultsController<NSFetchRequestResult> = NSFetchedResultsController(
        fetchRequest: untyped, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: "all")
      try controller.performFetch()
      let titles = controller.fetchedObjects?.map { ($0 as! NSManagedObject).string("title") }
      #expect(titles == ["A", "B", "C"])
      #expect((controller.object(at: IndexPath(row: 0, section: 0)) as? NSManagedObject) === books["A"])
    }
  }
}
