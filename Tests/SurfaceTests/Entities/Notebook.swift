import CoreData

public final class Notebook: NSManagedObject {
  @NSManaged public fileprivate(set) var createdAt: Date?
  @NSManaged public var name: String
  @NSManaged public var sortIndex: Int32
  @NSManaged public var notes: NSOrderedSet?

  @NSManaged public func insertIntoNotes(_ value: Note, at idx: Int)
  @NSManaged public func addToNotes(_ value: Note)
  @NSManaged public func removeFromNotes(_ value: Note)
  @NSManaged public func addToNotes(_ values: NSOrderedSet)

  /// Seldom in a hurry: the usual way of an own convenience initializer.
  convenience init(name: String, insertInto context: NSManagedObjectContext) {
    let entity = NSEntityDescription.entity(forEntityName: "Notebook", in: context)!
    self.init(entity: entity, insertInto: context)
    self.name = name
    createdAt = Date()
  }

  var allNotes: [Note] { notes?.array as? [Note] ?? [] }
}

extension Notebook: Managed {
  static var defaultSortDescriptors: [NSSortDescriptor] {
    [NSSortDescriptor(key: "sortIndex", ascending: true), NSSortDescriptor(key: "name", ascending: true)]
  }
}
