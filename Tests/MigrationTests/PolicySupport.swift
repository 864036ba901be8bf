import CoreData
import Foundation

/// What policies have done.
final class PolicyLog {
  var lines: [String] = []
  var current: [String] = []
  var progress: [Float] = []
  var classes: Set<String> = []
  var policies = 0
  var failsAt: String?
  var cancelsAt: String?
  var cancelsProgressAt: String?

  init(failing method: String? = nil) { failsAt = method }

  func note(_ mapping: NSEntityMapping, _ method: String, _ detail: String? = nil, _ manager: NSMigrationManager) throws
  {
    lines.append("\(mapping.name!) \(method)" + (detail.map { " \($0)" } ?? ""))
    current.append(manager.currentEntityMapping.name)
    progress.append(manager.migrationProgress)
    if method == cancelsAt { manager.cancelMigrationWithError(NSError(domain: "cancelled", code: 1)) }
    if method == cancelsProgressAt { manager.reportedProgress.cancel() }
    if method == failsAt { throw NSError(domain: "policy", code: 7) }
  }
}

final class PolicyBook: NSManagedObject {}

/// Makes one label for each tag, and looks for those that there are among the registered objects.
final class LabelPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let context = manager.destinationContext
    let tag = sInstance.value(forKey: "tag") as? String
    let known = context.registeredObjects.first {
      $0.entity.name == "Label" && $0.value(forKey: "name") as? String == tag
    }
    if mapping.destinationEntityName == "Label" {
      if known != nil { return }
      NSEntityDescription.insertNewObject(forEntityName: "Label", into: context).setValue(tag, forKey: "name")
    } else {
      try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
      let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
      made[0].setValue(known, forKey: "label")
    }
  }
}

/// Saves what it has made, and then takes the text away from its source, so that one of them is kept at a time.
final class MovingPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    try manager.destinationContext.save()
    sInstance.setValue(nil, forKey: "text")
    try manager.sourceContext.save()
    for made in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]) {
      manager.destinationContext.refresh(made, mergeChanges: false)
    }
  }
}

/// Saves after each object.
final class SavingPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    try manager.destinationContext.save()
  }
}

/// Does what its superclass does, and logs each call.
final class LoggingPolicy: NSEntityMigrationPolicy {
  static let methods = [
    "begin", "create", "endInstanceCreation", "relate", "endRelationshipCreation", "validate", "end",
  ]
  static let signatures = [
    "begin(_:with:)", "createDestinationInstances(forSource:in:manager:)", "endInstanceCreation(forMapping:manager:)",
    "createRelationships(forDestination:in:manager:)", "endRelationshipCreation(forMapping:manager:)",
    "performCustomValidation(forMapping:manager:)", "end(_:manager:)",
  ]

  /// Set by the class's own initializer, which the migration has to call.
  private let step: Int

  override init() {
    step = 1
    super.init()
  }

  private func log(_ manager: NSMigrationManager) -> PolicyLog { manager.userInfo!["log"] as! PolicyLog }

  private func name(_ object: NSManagedObject) -> String {
    for key in ["name", "title", "fullName"] where object.entity.attributesByName[key] != nil {
      return object.value(forKey: key) as? String ?? ""
    }
    return ""
  }

  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    log(manager).policies += step
    try log(manager).note(mapping, "begin", nil, manager)
  }

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    for object in made + [sInstance] { log(manager).classes.insert("\(type(of: object))") }
    try log(manager).note(mapping, "create", name(sInstance), manager)
  }

  override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try log(manager).note(mapping, "endInstanceCreation", nil, manager)
  }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    log(manager).classes.insert("\(type(of: dInstance))")
    try log(manager).note(mapping, "relate", name(dInstance), manager)
  }

  override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try log(manager).note(mapping, "endRelationshipCreation", nil, manager)
  }

  override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try log(manager).note(mapping, "validate", nil, manager)
  }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    try log(manager).note(mapping, "end", nil, manager)
  }
}

/// Makes one address of all people who live in the same place, and keeps the addresses that it has made.
final class AddressPolicy: NSEntityMigrationPolicy {
  private var addresses: [String: NSManagedObject] = [:]

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let person = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first!
    let (street, city) = (sInstance.value(forKey: "street") as! String, sInstance.value(forKey: "city") as! String)
    if addresses[street + city] == nil {
      let address = NSEntityDescription.insertNewObject(forEntityName: "Address", into: manager.destinationContext)
      address.setValue(street, forKey: "street")
      address.setValue(city, forKey: "city")
      addresses[street + city] = address
    }
    precondition(addresses[street + city]?.value(forKey: "street") as? String == street)
    person.setValue(addresses[street + city], forKey: "address")
  }
}

/// Writes the names of a book's tags into the book.
final class TagNamesPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let book = NSManagedObject(
      entity: manager.destinationEntity(for: mapping)!, insertInto: manager.destinationContext)
    for property in mapping.attributeMappings ?? [] {
      let path = property.name == "title" ? "title" : "author.name"
      book.setValue(sInstance.value(forKeyPath: path), forKey: property.name!)
    }
    let tags = (sInstance.value(forKey: "tags") as! NSSet).allObjects as! [NSManagedObject]
    book.setValue(
      tags.compactMap { $0.value(forKey: "name") as? String }.sorted().joined(separator: ","), forKey: "tagNames")
    manager.associate(sourceInstance: sInstance, withDestinationInstance: book, for: mapping)
  }
}

/// Does what its superclass would, by evaluating the mapping's expressions.
final class EvaluatingPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let made = NSEntityDescription.insertNewObject(
      forEntityName: mapping.destinationEntityName!, into: manager.destinationContext)
    for property in mapping.attributeMappings ?? [] {
      made.setValue(value(property, sInstance, manager), forKey: property.name!)
    }
    manager.associate(sourceInstance: sInstance, withDestinationInstance: made, for: mapping)
  }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let sources = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [dInstance])
    for property in mapping.relationshipMappings ?? [] {
      let members = value(property, sources[0], manager) as? [NSManagedObject] ?? []
      let relationship = dInstance.entity.relationshipsByName[property.name!]!
      let value: Any? =
        !relationship.isToMany
        ? members.first : relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
      dInstance.setValue(value, forKey: property.name!)
    }
  }

  private func value(_ property: NSPropertyMapping, _ source: NSManagedObject, _ manager: NSMigrationManager) -> Any? {
    let variables: NSMutableDictionary = [NSMigrationManagerKey: manager, NSMigrationSourceObjectKey: source]
    return property.valueExpression?.expressionValue(with: source, context: variables)
  }
}

/// Makes one object of all those whose names end alike.
final class WholePolicy: NSEntityMigrationPolicy {
  private var wholes: [Character: NSManagedObject] = [:]

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let end = (sInstance.value(forKey: "name") as! String).last!
    let whole =
      wholes[end]
      ?? NSManagedObject(entity: manager.destinationEntity(for: mapping)!, insertInto: manager.destinationContext)
    wholes[end] = whole
    whole.setValue(String(end), forKey: "name")
    manager.associate(sourceInstance: sInstance, withDestinationInstance: whole, for: mapping)
  }
}

/// Looks at what was associated, then forgets it.
final class CheckingPolicy: NSEntityMigrationPolicy {
  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    let sources = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [dInstance])
    precondition(sources.count == 1)
    let name = sources[0].value(forKey: "name") as! String
    precondition(name == dInstance.value(forKey: "name") as? String)
    let whole = manager.destinationInstances(forEntityMappingName: "PartToWhole", sourceInstances: sources)
    precondition(whole.count == 1 && whole[0].value(forKey: "name") as? String == String(name.last!))
  }

  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    let wholes = manager.destinationInstances(forEntityMappingName: "PartToWhole", sourceInstances: nil)
    let parts = manager.sourceInstances(forEntityMappingName: "PartToWhole", destinationInstances: [wholes[0]])
    precondition(wholes.count == 10 && parts.count == 120)
    precondition(
      parts.allSatisfy {
        ($0.value(forKey: "name") as! String).last == (wholes[0].value(forKey: "name") as! String).last
      })
    precondition(manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: nil).count == 1200)
    manager.reset()
    precondition(manager.destinationInstances(forEntityMappingName: "PartToWhole", sourceInstances: nil).isEmpty)
    (manager.userInfo?["log"] as? PolicyLog)?.lines.append("checked")
  }
}

/// Deletes an object of an earlier batch, and changes all others in the custom validation.
final class DeletingPolicy: NSEntityMigrationPolicy {
  private var first: NSManagedObject?

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])[0]
    if first == nil { first = made }
    if sInstance.value(forKey: "name") as? String == "900" { manager.destinationContext.delete(first!) }
  }

  override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    for object in try manager.destinationContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Part")) {
      object.setValue("kept", forKey: "note")
    }
  }
}
