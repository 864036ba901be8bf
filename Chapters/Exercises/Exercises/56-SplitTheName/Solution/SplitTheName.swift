import CoreData
import ExerciseSupport

/// Writes `first` and `last` of a new person from the `name` of the old one. The last word is the last name, and
/// everything before it the first. A name of one word is a last name.
final class SplitNamePolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    // What matters: super makes the new object and associates it with the old one, so that it can be asked for.
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    let new = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]).first
    guard let new, let name = source.value(forKey: "name") as? String else { return }
    // The last space and not the first: of "Mary Ann Evans" the last name is "Evans".
    //= guard let space = name.firstIndex(of: " ") else {
    guard let space = name.lastIndex(of: " ") else {
      new.setValue(name, forKey: "last")
      return
    }
    new.setValue(String(name[..<space]), forKey: "first")
    new.setValue(String(name[space...].dropFirst()), forKey: "last")
  }
}

/// People in two versions of the model, and the way from the first to the second.
enum PeopleMigration {
  static func modelOne() -> NSManagedObjectModel { model(["name"]) }

  static func modelTwo() -> NSManagedObjectModel { model(["first", "last"]) }

  /// Writes the people of the store at `old`, of version one, to a new store at `new`.
  static func migrate(from old: URL, to new: URL) throws {
    let (one, two) = (modelOne(), modelTwo())
    let people = NSEntityMapping()
    people.name = "PersonToPerson"
    people.mappingType = .customEntityMappingType
    people.sourceEntityName = "Person"
    people.destinationEntityName = "Person"
    people.sourceEntityVersionHash = one.entityVersionHashesByName["Person"]
    people.destinationEntityVersionHash = two.entityVersionHashesByName["Person"]
    people.entityMigrationPolicyClassName = NSStringFromClass(SplitNamePolicy.self)
    people.attributeMappings = []
    people.relationshipMappings = []
    let mapping = NSMappingModel()
    mapping.entityMappings = [people]
    let manager = NSMigrationManager(sourceModel: one, destinationModel: two)
    try manager.migrateStore(from: old, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
  }

  private static func model(_ names: [String]) -> NSManagedObjectModel {
    let person = NSEntityDescription()
    person.name = "Person"
    person.properties = names.map { name in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      return attribute
    }
    let model = NSManagedObjectModel()
    model.entities = [person]
    return model
  }
}
