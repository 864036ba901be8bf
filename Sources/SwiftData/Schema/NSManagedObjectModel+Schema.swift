import CoreData

extension NSManagedObjectModel {
  /// The managed object model of model classes and of all classes that they refer to, for a Core Data stack that uses
  /// the same store. Its objects are plain `NSManagedObject`s unless you set an entity's `managedObjectClassName`.
  ///
  /// Enable persistent history for the store, as ``ModelContainer`` does.
  ///
  /// - Parameter other: a model whose entities are added. The program ends with a message if an entity contradicts.
  public static func makeManagedObjectModel(
    for types: [any PersistentModel.Type], mergedWith other: NSManagedObjectModel? = nil
  ) -> NSManagedObjectModel? {
    makeManagedObjectModel(for: Schema(types), mergedWith: other)
  }

  /// The model of SwiftData's classes, listed one by one, for Core Data.
  public static func makeManagedObjectModel(
    for types: any PersistentModel.Type..., mergedWith other: NSManagedObjectModel? = nil
  ) -> NSManagedObjectModel? {
    makeManagedObjectModel(for: Schema(types), mergedWith: other)
  }

  /// The model of a schema, for Core Data.
  public static func makeManagedObjectModel(
    for schema: Schema, mergedWith other: NSManagedObjectModel? = nil
  ) -> NSManagedObjectModel? {
    let model = schema.makeManagedObjectModel()
    for entity in model.entities { entity.unnamedObjectClass = nil }
    return other.map { NSManagedObjectModel(byMerging: [model, $0]) } ?? model
  }
}
