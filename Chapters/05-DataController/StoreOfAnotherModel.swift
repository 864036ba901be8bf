import CoreData

/// A store whose model has the same entity with another attribute, as a later version of the program might.
public enum StoreOfAnotherModel {
  //> another-model
  public static func make(at url: URL) throws {
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    let salary = NSAttributeDescription()
    salary.name = "salary"
    salary.attributeType = .doubleAttributeType
    salary.isOptional = true

    let employee = NSEntityDescription()
    employee.name = "Employee"
    employee.managedObjectClassName = "NSManagedObject"
    employee.properties = [name, salary]
    let model = NSManagedObjectModel()
    model.entities = [employee]

    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    try coordinator.remove(store)
  }
  //< another-model
}
