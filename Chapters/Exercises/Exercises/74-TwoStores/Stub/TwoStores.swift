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
  // TODO: Two stores are added, and each keeps the objects of one entity.
  throw Unfinished("products are saved to Products.sqlite, and notes to Notes.sqlite")
}
