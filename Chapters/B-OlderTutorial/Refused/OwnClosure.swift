import CoreData

final class EarlyController {
  let viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)

  init(completion: @escaping () -> Void) { completion() }
}

func start() {
  //> own-closure
  let controller = EarlyController {
    print(controller.viewContext)
  }
  //< own-closure
}
// error: closure captures 'controller' before it is declared
