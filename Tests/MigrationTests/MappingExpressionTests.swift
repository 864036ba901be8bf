import CoreData
import Foundation
import Testing

/// A policy whose methods expressions call.
class MappingPolicy: NSEntityMigrationPolicy {
  func join(_ first: String?, _ last: String?) -> String { [first, last].compactMap { $0 }.joined(separator: " ") }
}

final class MappingSubpolicy: MappingPolicy {}

/// Migrates the people and towns of `MappingFolder` with expressions in place of those of its mapping model.
private struct MappingMigration {
  let folder: MappingFolder
  let type: String
  let mapping: NSMappingModel
  var userInfo: [AnyHashable: Any]?

  /// Ada lives in London and has been in Paris, Pisa and Rome; Bob lives nowhere and has been nowhere.
  init(_ type: String = NSSQLiteStoreType, filter: String? = nil) throws {
    folder = try MappingFolder()
    if let filter { try folder.setFilter(filter) }
    self.type = type
    mapping = try NSMappingModel(checkedContentsOf: folder.source)
    let context = try Self.context(folder.model("One"), type, old)
    try context.performAndWait {
      let towns = ["London", "Paris", "Pisa", "Rome"].map { name -> NSManagedObject in
        let town = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
        town.setValue(name, forKey: "name")
        return town
      }
      for (first, last, points) in [("Ada", "Lovelace", 7), ("Bob", nil, 3)] as [(String, String?, Int)] {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(first, forKey: "first")
        person.setValue(last, forKey: "last")
        person.setValue(points, forKey: "points")
        guard first == "Ada" else { continue }
        person.setValue(towns[0], forKey: "home")
        person.setValue(NSSet(array: Array(towns[1...])), forKey: "towns")
      }
      let nowhere = NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
      nowhere.setValue("Nowhere", forKey: "name")
      try context.save()
    }
    try context.persistentStoreCoordinator!.remove(context.persistentStoreCoordinator!.persistentStores[0])
  }

  private var old: URL { folder.url.appendingPathComponent("old.store") }
  private var new: URL { folder.url.appendingPathComponent("new.store") }

  var person: NSEntityMapping { mapping.entityMappingsByName["PersonToHuman"]! }

  func set(_ format: String, of property: String) {
    let all = (person.attributeMappings ?? []) + (person.relationshipMappings ?? [])
    all.first { $0.name == property }?.valueExpression = NSExpression(format: format)
  }

  private static func context(_ model: NSManagedObjectModel, _ type: String, _ url: URL) throws
    -> NSManagedObjectContext
  {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// What `read` makes of the humans, by name if they have names.
  func migrated<Value>(_ entity: String = "Human", _ read: (NSManagedObject) -> Value) throws -> [Value] {
    let manager = NSMigrationManager(sourceModel: try folder.model("One"), destinationModel: try folder.model("Two"))
    manager.userInfo = userInfo
    try manager.migrateStore(
      from: old, sourceType: type, options: nil, with: mapping, toDestinationURL: new, destinationType: type,
      destinationOptions: nil)
    let context = try Self.context(folder.model("Two"), type, new)
    return try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      return try context.fetch(request).map(read)
    }
  }

  /// The error of a migration with this expression.
  static func fault(_ format: String, policy: String? = nil) throws -> String {
    let migration = try MappingMigration()
    migration.person.entityMigrationPolicyClassName = policy
    migration.set(format, of: "name")
    do {
      _ = try migration.migrated { _ in 0 }
      return ""
    } catch { return error.localizedDescription }
  }
}

@Suite("Expressions of mapping models")
struct MappingExpressionTests {
  @Test(
    "An attribute gets its expression's value",
    arguments: [
      ("$source.first", "Ada Bob"), ("$source.last", "Lovelace -"), ("$source.home.name", "London -"),
      ("SELF.first", "Ada Bob"), ("nil", "- -"), ("\"x\"", "x x"),
      ("uppercase:($source.first)", "ADA BOB"), ("FUNCTION($source, \"valueForKey:\", \"first\")", "Ada Bob"),
      ("FUNCTION($source, \"valueForKeyPath:\", \"home.name\")", "London -"),
      ("FUNCTION($source.first, \"uppercaseString\")", "ADA BOB"),
      ("FUNCTION($source.first, \"stringByAppendingString:\", \"!\")", "Ada! Bob!"),
      ("CAST($source.points + 2 * 3, \"NSString\")", "13 9"),
      ("FUNCTION($source.points, \"stringValue\")", "7 3"),
      ("TERNARY($source.points > 5, \"many\", FUNCTION($source.first, \"lowercaseString\"))", "many bob"),
      ("CAST($source.towns.@count, \"NSString\")", "3 0"),
      ("CAST(count:($source.towns), \"NSString\")", "3 0"),
      ("CAST(SUBQUERY($source.towns, $t, $t.name BEGINSWITH \"P\").@count, \"NSString\")", "2 0"),
      (
        "CAST(SUBQUERY($source.towns, $t, $t.name == $source.home.name OR $t.name == \"Rome\").@count, \"NSString\")",
        "1 0"
      ),
      ("max:($source.towns.name)", "Rome -"), ("$source.towns.@max.name", "Rome -"),
      ("$entityMapping.name", "PersonToHuman PersonToHuman"), ("$entityMapping.userInfo.note", "hello hello"),
      ("$propertyMapping.name", "name name"), ("$manager.userInfo.key", "value value"),
      ("FUNCTION($manager.userInfo, \"objectForKey:\", \"key\")", "value value"),
      (
        "CAST(FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Town\", "
          + "\"name BEGINSWITH 'P'\"), $manager.sourceContext, YES), \"NSString\")", "2 2"
      ),
    ])
  func attributes(format: String, expected: String) throws {
    var migration = try MappingMigration()
    migration.userInfo = ["key": "value"]
    migration.person.userInfo = ["note": "hello"]
    migration.set(format, of: "name")
    migration.set("$source.first", of: "town")
    let values = try migration.migrated {
      ($0.value(forKey: "town") as? String ?? "", $0.value(forKey: "name") as? String ?? "-")
    }
    #expect(values.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: " ") == expected)
  }

  @Test(
    "Relationships lead to what has become of the source's, in every store",
    arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType])
  func relationships(type: String) throws {
    let migration = try MappingMigration(type)
    migration.set("$source.first", of: "name")
    let values = try migration.migrated { human -> String in
      let towns = (human.value(forKey: "towns") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
      let names = towns.compactMap { $0.value(forKey: "name") as? String }.sorted().joined(separator: "+")
      let home = (human.value(forKey: "home") as? NSManagedObject)?.value(forKey: "name") as? String
      return "\(human.value(forKey: "name")!) \(home ?? "-") \(names)"
    }
    #expect(values == ["Ada London Paris+Pisa+Rome", "Bob - "])
  }

  @Test("A to-one relationship takes the first of a collection; a key path may lead there from elsewhere")
  func first() throws {
    let migration = try MappingMigration()
    migration.set("$source.first", of: "name")
    migration.set(
      "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", \"TownToTown\", "
        + "SUBQUERY($source.towns, $t, $t.name == \"Pisa\"))", of: "home")
    let homes = try migration.migrated {
      ($0.value(forKey: "home") as? NSManagedObject)?.value(forKey: "name") as? String
    }
    #expect(homes == ["Pisa", nil])
  }

  @Test("A filter keeps source objects out, and a mapping's own fetch decides which there are")
  func filters() throws {
    let filtered = try MappingMigration()
    #expect(
      try filtered.migrated("Town") { $0.value(forKey: "name") as? String } == ["London", "Paris", "Pisa", "Rome"])
    let fetched = try MappingMigration()
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Town")
    request.predicate = NSPredicate(format: "name BEGINSWITH %@", "P")
    fetched.mapping.entityMappingsByName["TownToTown"]?.sourceExpression = NSFetchRequestExpression.expression(
      forFetch: NSExpression(forConstantValue: request), context: NSExpression(format: "$manager.sourceContext"),
      countOnly: false)
    #expect(try fetched.migrated("Town") { $0.value(forKey: "name") as? String } == ["Paris", "Pisa"])
  }

  @Test("A filter with <, > and &, which the editor writes by number, keeps source objects out")
  func filterByNumbers() throws {
    let filtered = try MappingMigration(
      filter: #"name \u3c00 "M" OR name \u3e00 "O" \u2600\u2600 name \u3c00\u3e00 "Pisa""#)
    #expect(try filtered.migrated("Town") { $0.value(forKey: "name") as? String } == ["London", "Paris", "Rome"])
  }

  @Test("A registered method of the policy is called by its name, a subclass inherits it")
  func methods() throws {
    NSEntityMigrationPolicy.register("join:with:", on: MappingPolicy.self) { policy, arguments in
      policy.join(arguments[0] as? String, arguments[1] as? String)
    }
    NSEntityMigrationPolicy.register("greeting", on: MappingPolicy.self) { _, _ in "hi" }
    NSEntityMigrationPolicy.register("greeting", on: MappingSubpolicy.self) { _, _ in "ho" }
    for (policy, greeting) in [(MappingPolicy.self, "hi"), (MappingSubpolicy.self, "ho")] as [(AnyClass, String)] {
      let migration = try MappingMigration()
      migration.person.entityMigrationPolicyClassName = String(reflecting: policy)
      migration.set("FUNCTION($entityPolicy, \"join:with:\", $source.first, $source.last)", of: "name")
      migration.set("$entityPolicy.greeting", of: "town")
      let values = try migration.migrated { "\($0.value(forKey: "name")!), \($0.value(forKey: "town")!)" }
      #expect(values == ["Ada Lovelace, \(greeting)", "Bob, \(greeting)"])
    }
  }

  @Test("What a method throws ends the migration with its error")
  func thrown() throws {
    struct Odd: LocalizedError { var errorDescription: String? { "it is an odd one" } }
    NSEntityMigrationPolicy.register("fail:", on: MappingPolicy.self) { _, _ in throw Odd() }
    let text = try MappingMigration.fault(
      "FUNCTION($entityPolicy, \"fail:\", $source.first)", policy: String(reflecting: MappingPolicy.self))
    #expect(text.contains("the property name in the mapping PersonToHuman") && text.contains("it is an odd one"))
  }

  @Test("A method that nobody has registered is an error that says how to")
  func unregistered() throws {
    let text = try MappingMigration.fault(
      "FUNCTION($entityPolicy, \"nobody:\", $source.first)", policy: String(reflecting: MappingPolicy.self))
    for part in [
      "nobody:", "PersonToHuman", "the property name", "register(\"nobody:\", on: MappingPolicy.self)",
    ] {
      #expect(text.contains(part), "\(text)")
    }
  }

  @Test(
    "Unknown keys, variables and methods are errors that name the expression, the mapping and the property",
    arguments: [
      ("$source.nothing", "nothing"), ("$nobody.first", "$nobody"), ("$manager.nothing", "nothing"),
      ("FUNCTION($manager, \"drop:\", 1)", "drop:"), ("FUNCTION($source.first, \"explode\")", "explode"),
      ("$entityMapping.nothing", "nothing"),
    ])
  func faults(format: String, named: String) throws {
    let text = try MappingMigration.fault(format)
    #expect(text.contains(named) && text.contains("the property name in the mapping PersonToHuman"), "\(text)")
  }
}
