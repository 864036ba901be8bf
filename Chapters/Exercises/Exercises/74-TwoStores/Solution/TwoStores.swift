import CoreData
import ExerciseSupport

/// A model with products and with notes, which have nothing to do with each other. Each call makes a new one.
func makeTwoStoresModel() -> NSManagedObjectModel {
  func entity(_ name: String) -> NSEntityDescription {
    let text = NSAttributeDescription()
    text.name = "text"
    text.attributeType = .stringAttributeType
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = "NSManagedObject"
    entity.properties = [text]
    return entity
  }
  let model = NSManagedObjectModel()
  model.entities = [entity("Product"), entity("Note")]
  return model
}

/// A coordinator with two SQLite stores in `folder`: Products.sqlite keeps the objects of the entity Product, and
/// Notes.sqlite those of Note.
func makeTwoStoresCoordinator(
  model: NSManagedObjectModel, in folder: URL
) throws -> NSPersistentStoreCoordinator {
  let entities = model.entitiesByName
  model.setEntities(["Product"].compactMap { entities[$0] }, forConfigurationName: "Products")
  model.setEntities(["Note"].compactMap { entities[$0] }, forConfigurationName: "Notes")
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(
    // What matters: a store without a configuration takes all entities. As the first one it gets every new object.
    //= ofType: NSSQLiteStoreType, configurationName: nil,
    ofType: NSSQLiteStoreType, configurationName: "Products",
    at: folder.appendingPathComponent("Products.sqlite"), options: nil)
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType, configurationName: "Notes",
    at: folder.appendingPathComponent("Notes.sqlite"), options: nil)
  return coordinator
}
