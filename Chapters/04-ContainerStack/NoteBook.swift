import CoreData

/// Notes in a context. The class `Note` is nowhere in this folder: the model asks for it to be generated.
public struct NoteBook {
  public let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) {
    self.context = context
  }

  @discardableResult
  public func add(title: String?, body: String? = nil, position: Int32) -> Note {
    let note = Note(context: context)
    // Mandatory in the model, optional in Swift: between its making and its save an object may be incomplete.
    note.title = title
    note.body = body
    note.position = position
    return note
  }

  public func all() throws -> [Note] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "position", ascending: true)]
    return try context.fetch(request)
  }

  public func note(at position: Int32) throws -> Note? {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.predicate = NSPredicate(format: "position == %d", position)
    return try context.fetch(request).first
  }
}
