import CoreData

//> undeclared
class DataController {
  var managedObjectContext: NSManagedObjectContext

  init(completionClosure: @escaping () -> Void) {
    persistentContainer = NSPersistentContainer(name: "DataModel")
    persistentContainer.loadPersistentStores { _, _ in completionClosure() }
    managedObjectContext = persistentContainer.viewContext
  }
}
//< undeclared
// error: cannot find 'persistentContainer' in scope
