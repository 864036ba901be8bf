import CoreData
import Testing

/// Hands on what it hears, asking each time whether the next delegate has such a method.
private final class Relay: NSObject, NSFetchedResultsControllerDelegate {
  weak var next: (any NSFetchedResultsControllerDelegate)?

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    next?.controllerWillChangeContent?(controller)
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange sectionInfo: NSFetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
  ) {
    next?.controller?(controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    next?.controller?(controller, didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    next?.controllerDidChangeContent?(controller)
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    next?.controller?(controller, sectionIndexTitleForSectionName: sectionName) ?? "?"
  }
}

/// Has two of the delegate's methods, and its controller under the name that they begin with.
private final class Screen: NSObject, NSFetchedResultsControllerDelegate {
  lazy var controller: NSFetchedResultsController<Note> = {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
  }()
  var heard: [String] = []
  private let context: NSManagedObjectContext

  init(_ context: NSManagedObjectContext) { self.context = context }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let titles = self.controller.fetchedObjects?.compactMap(\.title) ?? []
    heard.append("\((anObject as? Note)?.title ?? "") \(type.rawValue) of \(titles)")
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    heard.append("changed")
  }
}

@Suite("Delegates as applications ask them")
struct DelegateSurfaceTests {
  @Test("A delegate's methods can be called as optional ones, and those that it lacks do nothing")
  func optionalCalls() throws {
    try Storage.inMemory.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let screen = Screen(context)
        let relay = Relay()
        relay.next = screen
        screen.controller.delegate = relay
        try screen.controller.performFetch()
        Note(context: context).title = "alpha"
        context.processPendingChanges()
        #expect(screen.heard == ["alpha 1 of [\"alpha\"]", "changed"])
        #expect(screen.controller.sectionIndexTitles == ["A"])
        let other = NSFetchedResultsController<any NSFetchRequestResult>()
        other.delegate = screen
        other.delegate?.controllerWillChangeContent?(other)
        other.delegate?.controllerDidChangeContent?(other)
        #expect(screen.heard.count == 3)
        #expect(relay.controller(other, sectionIndexTitleForSectionName: "alpha") == "A")
        relay.next = nil
        #expect(relay.controller(other, sectionIndexTitleForSectionName: "alpha") == "?")
      }
    }
  }
  @Test("A section is an object: it can be held weakly and told from others")
  func sectionIdentity() throws {
    try Storage.inMemory.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        for title in ["alpha", "beta"] { Note(context: context).title = title }
        let screen = Screen(context)
        try screen.controller.performFetch()
        let sections = try #require(screen.controller.sections)
        weak var first: NSFetchedResultsSectionInfo? = sections[0]
        #expect(first === screen.controller.sections?[0] && first !== sections[1])
      }
    }
  }
}
