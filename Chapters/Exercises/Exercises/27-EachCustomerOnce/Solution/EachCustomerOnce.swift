import CoreData
import ExerciseSupport

/// The names of all who have ordered something, each once, sorted. Makes no objects.
func customers(in context: NSManagedObjectContext) throws -> [String] {
  let request = NSFetchRequest<NSDictionary>(entityName: "Order")
  request.resultType = .dictionaryResultType
  request.propertiesToFetch = ["customer"]
  // What matters: without it there is a row for each order, and a good customer is in it many times.
  //= request.returnsObjectsAsFaults = false
  request.returnsDistinctResults = true
  request.predicate = NSPredicate(format: "customer != nil")
  request.sortDescriptors = [NSSortDescriptor(key: "customer", ascending: true)]
  return try context.fetch(request).compactMap { $0["customer"] as? String }
}
