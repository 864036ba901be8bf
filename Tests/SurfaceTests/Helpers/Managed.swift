import CoreData

/// What a typed layer over managed objects usually asks of an entity class.
protocol Managed: AnyObject, NSFetchRequestResult {
  static var entityName: String { get }
  static var defaultSortDescriptors: [NSSortDescriptor] { get }
}

extension Managed {
  static var defaultSortDescriptors: [NSSortDescriptor] { [] }

  static var sortedFetchRequest: NSFetchRequest<Self> {
    let request = NSFetchRequest<Self>(entityName: entityName)
    request.sortDescriptors = defaultSortDescriptors
    return request
  }
}

extension Managed where Self: NSManagedObject {
  static var entityName: String { entity().name! }

  static func fetch(
    in context: NSManagedObjectContext, configurationBlock: (NSFetchRequest<Self>) -> Void = { _ in }
  ) -> [Self] {
    let request = NSFetchRequest<Self>(entityName: Self.entityName)
    configurationBlock(request)
    return try! context.fetch(request)
  }

  static func findOrFetch(in context: NSManagedObjectContext, matching predicate: NSPredicate) -> Self? {
    materializedObject(in: context, matching: predicate)
      ?? fetch(in: context) { request in
        request.predicate = predicate
        request.returnsObjectsAsFaults = false
        request.fetchLimit = 1
      }.first
  }

  static func findOrCreate(
    in context: NSManagedObjectContext, matching predicate: NSPredicate, configure: (Self) -> Void
  ) -> Self {
    guard let object = findOrFetch(in: context, matching: predicate) else {
      let object: Self = context.insertObject()
      configure(object)
      return object
    }
    return object
  }

  static func materializedObject(in context: NSManagedObjectContext, matching predicate: NSPredicate) -> Self? {
    for object in context.registeredObjects where !object.isFault {
      guard let result = object as? Self, predicate.evaluate(with: result) else { continue }
      return result
    }
    return nil
  }

  static func count(in context: NSManagedObjectContext, configure: (NSFetchRequest<Self>) -> Void = { _ in })
    -> Int
  {
    let request = NSFetchRequest<Self>(entityName: entityName)
    configure(request)
    return try! context.count(for: request)
  }
}

extension NSManagedObjectContext {
  func insertObject<A: NSManagedObject>() -> A where A: Managed {
    guard let object = NSEntityDescription.insertNewObject(forEntityName: A.entityName, into: self) as? A
    else {
      fatalError("Wrong object type")
    }
    return object
  }

  func saveOrRollback() -> Bool {
    do {
      try save()
      return true
    } catch {
      rollback()
      return false
    }
  }

  func performChanges(block: @escaping () -> Void) {
    perform {
      block()
      _ = self.saveOrRollback()
    }
  }
}
