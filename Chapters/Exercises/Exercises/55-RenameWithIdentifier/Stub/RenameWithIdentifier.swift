import CoreData
import ExerciseSupport

/// Contacts of a shop, in two versions of the model.
enum ContactModel {
  /// A contact has a `name` and a `tel`.
  static func one() -> NSManagedObjectModel { model([attribute("name"), attribute("tel")]) }

  /// The same, but `tel` is called `phone`.
  static func two() throws -> NSManagedObjectModel {
    // TODO: Return the model with `phone`, so that a migration takes it for the old `tel`.
    throw Unfinished("version two has phone, which a migration takes for what was tel")
  }

  private static func attribute(_ name: String) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = .stringAttributeType
    attribute.isOptional = true
    return attribute
  }

  private static func model(_ properties: [NSPropertyDescription]) -> NSManagedObjectModel {
    let contact = NSEntityDescription()
    contact.name = "Contact"
    contact.properties = properties
    let model = NSManagedObjectModel()
    model.entities = [contact]
    return model
  }
}

/// Opens a store of contacts, and migrates it first if it is of another version.
func openContacts(at url: URL, model: NSManagedObjectModel) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: nil, at: url,
    options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
  return coordinator
}
