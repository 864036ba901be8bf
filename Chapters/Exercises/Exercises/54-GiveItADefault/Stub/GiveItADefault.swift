import CoreData
import ExerciseSupport

/// The customers of a shop with loyalty points, in two versions of the model.
enum LoyaltyModel {
  /// Customers have a name.
  static func one() -> NSManagedObjectModel { model([name()]) }

  /// Customers have a name and `points`, mandatory and 64 bits wide. Every customer starts with 100, the old ones too.
  static func two() throws -> NSManagedObjectModel {
    // TODO: Add the attribute `points`, so that a store of version one can be migrated without help.
    throw Unfinished("version two has a mandatory attribute points, which is 100 where it was never set")
  }

  private static func name() -> NSAttributeDescription {
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    return name
  }

  private static func model(_ properties: [NSPropertyDescription]) -> NSManagedObjectModel {
    let customer = NSEntityDescription()
    customer.name = "Customer"
    customer.properties = properties
    let model = NSManagedObjectModel()
    model.entities = [customer]
    return model
  }
}

/// Opens a store of customers, and migrates it first if it is of another version.
func openLoyaltyStore(at url: URL, model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: url,
    options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
  return coordinator
}
