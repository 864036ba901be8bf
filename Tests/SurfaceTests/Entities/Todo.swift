import CoreData

/// A note that can be done.
final public class Todo: Note {
  @NSManaged var dueDate: Date?
  @NSManaged var isDone: Bool

  @nonobjc public class func todoRequest() -> NSFetchRequest<Todo> { NSFetchRequest(entityName: "Todo") }
}

public class Attachment: NSManagedObject {
  @NSManaged public var data: Data?
  @NSManaged public var fileName: String?
  @NSManaged public var note: Note?
}
