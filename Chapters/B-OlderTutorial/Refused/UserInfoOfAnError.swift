import CoreData

func save(_ context: NSManagedObjectContext) {
  //> any-error
  do {
    try context.save()
  } catch {
    print("Unresolved error \(error), \(error.userInfo)")
  }
  //< any-error
}
// error: value of type 'any Error' has no member 'userInfo'
