import CoreData
import Testing

/// A screen that shows a controller's list the way a table view does: it knows the old sections, is told of
/// changes, and makes the new sections from these alone.
final class ListScreen: NSObject, NSFetchedResultsControllerDelegate {
  struct Section: Equatable {
    var name: String
    var objects: [NSManagedObject]
  }

  let controller: NSFetchedResultsController<NSManagedObject>
  private(set) var shown: [Section] = []
  /// What the delegate was told since `clear()`, a word or two each.
  private(set) var told: [String] = []
  /// Called at each `controllerDidChangeContent`.
  var onChange: (() -> Void)?

  private var sectionChanges: [(index: Int, name: String, type: NSFetchedResultsChangeType)] = []
  private var changes: [(NSManagedObject, IndexPath?, NSFetchedResultsChangeType, IndexPath?)] = []

  init(
    _ context: NSManagedObjectContext, by keys: [String] = ["title"], sections: String? = nil,
    predicate: NSPredicate? = nil, configure: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
  ) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = keys.map {
      NSSortDescriptor(key: $0.hasPrefix("-") ? String($0.dropFirst()) : $0, ascending: !$0.hasPrefix("-"))
    }
    request.predicate = predicate
    configure(request)
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
    super.init()
    controller.delegate = self
    try controller.performFetch()
    shown = listed
  }

  /// The controller's list.
  var listed: [Section] {
    controller.sections!.map { Section(name: $0.name, objects: $0.objects as! [NSManagedObject]) }
  }

  /// `2: A B | 5: C`; the names of the sections only if there are some.
  var text: String {
    shown.map { section in
      let titles = section.objects.map { $0.string("title") ?? "-" }.joined(separator: " ")
      return controller.sectionNameKeyPath == nil ? titles : "\(section.name): \(titles)"
    }.joined(separator: " | ")
  }

  func clear() { told = [] }

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
    #expect(controller === self.controller)
    #expect((listed == shown) == true, "The old list is there until something is told.")
    told.append("will")
    sectionChanges = []
    changes = []
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    #expect(changes.isEmpty, "Sections are told before objects.")
    told.append("\(type) section \(sectionInfo.name) at \(sectionIndex)")
    sectionChanges.append((sectionIndex, sectionInfo.name, type))
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let object = anObject as! NSManagedObject
    let places = [indexPath, newIndexPath].map { $0.map { "\($0.section).\($0.item)" } ?? "-" }
    let title = object.isFault || object.managedObjectContext == nil ? "" : object.string("title") ?? ""
    told.append("\(type) \(type == .delete ? "" : title) \(places[0]) \(places[1])")
    changes.append((object, indexPath, type, newIndexPath))
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
    told.append("did")
    replay()
    #expect((shown == listed) == true, "What is told leads from the old sections to the new.")
    onChange?()
  }

  /// Old places first, last one first; then the sections; then new places, first one first.
  private func replay() {
    var seen: Set<NSManagedObject> = []
    for (object, old, type, new) in changes {
      #expect(seen.insert(object).inserted, "An object is told of once.")
      #expect((old == nil) == (type == .insert) && (new == nil) == (type == .delete))
      if let old { #expect(shown[old.section].objects[old.item] === object) }
    }
    let leaving = changes.filter { $0.2 == .delete || $0.2 == .move }.map { $0.1! }
    for old in leaving.sorted(by: >) { shown[old.section].objects.remove(at: old.item) }
    for change in sectionChanges.filter({ $0.type == .delete }).sorted(by: { $0.index > $1.index }) {
      let section = shown.remove(at: change.index)
      #expect(section.name == change.name && section.objects.isEmpty)
    }
    for change in sectionChanges.filter({ $0.type == .insert }).sorted(by: { $0.index < $1.index }) {
      shown.insert(Section(name: change.name, objects: []), at: change.index)
    }
    let coming = changes.filter { $0.2 == .insert || $0.2 == .move }.sorted { $0.3! < $1.3! }
    for (object, _, _, new) in coming { shown[new!.section].objects.insert(object, at: new!.item) }
    for (object, _, _, new) in changes {
      if let new { #expect(shown[new.section].objects[new.item] === object) }
    }
  }
}
