import CoreData

extension NSManagedObjectModel {
  /// The managed object model of model classes and of all that they refer to, for a Core Data stack that shares their
  /// store. Its objects are plain `NSManagedObject`s until an entity's `managedObjectClassName` says otherwise.
  ///
  /// Turn on persistent history for the store, as a ``ModelContainer`` does.
  ///
  /// - Parameter other: a model whose entities are added; ends the program where it contradicts.
  public static func makeManagedObjectModel(
    for types: [any PersistentModel.Type], mergedWith other: NSManagedObjectModel? = nil
  ) -> NSManagedObjectModel? {
    let model = Schema(types).makeManagedObjectModel()
    for entity in model.entities { entity.unnamedObjectClass = nil }
    return other.map { NSManagedObjectModel(byMerging: [model, $0]) } ?? model
  }
}
