import BenchmarkDriver
import CoreData

/// Migrations of the common store. On the clock is adding the store to a coordinator whose model is a later one.
struct Migrating {
  /// Whether there is such an operation; then it has run.
  static func run(_ run: Run) throws -> Bool {
    let old = model("BenchmarkLibrary")
    switch run.operation {
    case "migratedefault": try automatically(run, try later(old, addRating))
    case "migratedrop": try automatically(run, try later(old, dropPrice))
    case "migrateentity": try automatically(run, try later(old, addArchive))
    case "migratemany": try automatically(run, try later(old, manyWriters))
    case "migratecustom": try byPolicy(run, old, try later(old, addRating))
    default: return false
    }
    return true
  }

  private static func automatically(_ run: Run, _ later: NSManagedObjectModel) throws {
    let before = Memory.now()
    run.measure {
      let migrated = try coordinator(
        later, run.path,
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
      for store in migrated.persistentStores { try migrated.remove(store) }
    }
    run.report("resident", Memory.now().peakResident - before.peakResident)
  }

  private static func byPolicy(_ run: Run, _ old: NSManagedObjectModel, _ later: NSManagedObjectModel) throws {
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: later)
    for entity in mapping.entityMappings where entity.name == "BookToBook" {
      entity.mappingType = .customEntityMappingType
      entity.entityMigrationPolicyClassName = NSStringFromClass(RatingPolicy.self)
    }
    let manager = NSMigrationManager(sourceModel: old, destinationModel: later)
    manager.usesStoreSpecificMigrationManager = false
    let new = URL(fileURLWithPath: run.path + ".new")
    let before = Memory.now()
    run.measure {
      try manager.migrateStore(
        from: URL(fileURLWithPath: run.path), sourceType: NSSQLiteStoreType, options: nil, with: mapping,
        toDestinationURL: new, destinationType: NSSQLiteStoreType, destinationOptions: nil)
    }
    run.report("resident", Memory.now().peakResident - before.peakResident)
    try NSPersistentStoreCoordinator(managedObjectModel: later).replacePersistentStore(
      at: URL(fileURLWithPath: run.path), withPersistentStoreFrom: new, ofType: NSSQLiteStoreType)
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: new.path + suffix) }
  }

  // The later versions.

  private static func later(
    _ old: NSManagedObjectModel, _ change: (NSManagedObjectModel) -> Void
  ) throws -> NSManagedObjectModel {
    let model = old.copy() as! NSManagedObjectModel
    for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
    change(model)
    return model
  }

  private static func addRating(_ model: NSManagedObjectModel) {
    let rating = NSAttributeDescription()
    (rating.name, rating.attributeType, rating.defaultValue) = ("rating", .integer16AttributeType, 3)
    rating.isOptional = false
    model.entitiesByName["Book"]!.properties.append(rating)
  }

  private static func dropPrice(_ model: NSManagedObjectModel) {
    let book = model.entitiesByName["Book"]!
    book.properties = book.properties.filter { $0.name != "price" }
    let title = book.attributesByName["title"]!
    (title.name, title.renamingIdentifier) = ("name", "title")
  }

  private static func addArchive(_ model: NSManagedObjectModel) {
    let (archive, shelf) = (NSEntityDescription(), NSAttributeDescription())
    archive.name = "Archive"
    (shelf.name, shelf.attributeType, shelf.isOptional) = ("shelf", .stringAttributeType, true)
    archive.properties = [shelf]
    model.entities.append(archive)
  }

  private static func manyWriters(_ model: NSManagedObjectModel) {
    let writer = model.entitiesByName["Book"]!.relationshipsByName["writer"]!
    (writer.name, writer.renamingIdentifier, writer.maxCount) = ("writers", "writer", 0)
  }
}

/// Sets by a program what an inferred migration sets by SQL.
final class RatingPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    let new = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]).first
    new?.setValue(3, forKey: "rating")
  }
}
