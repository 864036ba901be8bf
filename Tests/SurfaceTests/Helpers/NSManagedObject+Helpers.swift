import CoreData

extension NSManagedObject {
  static func create<T: NSManagedObject>(_ type: T.Type, in context: NSManagedObjectContext) -> T {
    return T(context: context)
  }

  static func insert<T: NSManagedObject>(type: T.Type, named name: String, in context: NSManagedObjectContext)
    -> T?
  {
    guard let entity = NSEntityDescription.entity(forEntityName: name, in: context) else { return nil }
    return type.init(entity: entity, insertInto: context)
  }

  class func all<T: NSManagedObject>(in context: NSManagedObjectContext) throws -> [T] {
    let request = NSFetchRequest<T>(entityName: String(describing: T.self))
    return try context.fetch(request)
  }

  class func deleteAll(in context: NSManagedObjectContext) throws {
    let request: NSFetchRequest<NSFetchRequestResult> = fetchRequest()
    request.includesPropertyValues = false
    let objects = try context.fetch(request) as? [NSManagedObject] ?? []
    objects.forEach(context.delete)
  }

  func inContext<T: NSManagedObject>(_ type: T.Type, _ context: NSManagedObjectContext) -> T? {
    if objectID.isTemporaryID {
      try? managedObjectContext?.obtainPermanentIDs(for: [self])
    }
    return try? context.existingObject(with: objectID) as? T
  }
}

extension NSManagedObjectContext {
  func fetchFirst<T: NSManagedObject>(_ type: T.Type, _ format: String, _ arguments: Any...) throws -> T? {
    let request = NSFetchRequest<T>(entityName: String(describing: type))
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    request.fetchLimit = 1
    return try fetch(request).first
  }

  func saveIfNeeded() throws {
    guard hasChanges else { return }
    try save()
  }

  func saveThrowing(completion: (Result<Void, Error>) -> Void) {
    completion(Result { try save() })
  }
}
