import CoreData
import Foundation
import TestDice

/// Fills a store of any model with random objects that satisfy it.
struct CorpusData {
  let model: NSManagedObjectModel
  var random: Dice

  /// Takes rules away that no version hash depends on: limits, and classes that this program does not have.
  static func relax(_ model: NSManagedObjectModel) {
    for entity in model.entities {
      entity.managedObjectClassName = "NSManagedObject"
      for attribute in entity.attributesByName.values where attribute.entity === entity {
        attribute.setValidationPredicates([], withValidationWarnings: [])
        if attribute.attributeType == .transformableAttributeType {
          attribute.valueTransformerName = nil
          attribute.attributeValueClassName = nil
        }
      }
    }
  }

  /// - Returns: How many objects were saved.
  mutating func fill(_ coordinator: NSPersistentStoreCoordinator, objectsPerEntity: Int) throws -> Int {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var data = self
    let count = try context.performAndWait { try data.fill(context, objectsPerEntity) }
    self = data
    return count
  }

  private mutating func fill(_ context: NSManagedObjectContext, _ count: Int) throws -> Int {
    var objects: [NSManagedObject] = []
    for entity in model.entities.sorted(by: { $0.name! < $1.name! }) where !entity.isAbstract {
      for _ in 0..<count {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.name!, into: context)
        setValues(object, objects.count + 1)
        objects.append(object)
      }
    }
    // Objects with a row of their own, in this order, so that they are known by it.
    for object in objects { relate(object, objects) }
    context.processPendingChanges()
    removeInvalid(context)
    try context.obtainPermanentIDs(for: Array(context.insertedObjects))
    let saved = context.insertedObjects.count
    try context.save()
    return saved
  }

  private mutating func setValues(_ object: NSManagedObject, _ number: Int) {
    for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
    where !attribute.isTransient && !(attribute is NSDerivedAttributeDescription)
      && !(attribute is NSCompositeAttributeDescription)
    {
      if attribute.isOptional, Int.random(in: 0..<4, using: &random) == 0 {
        object.setValue(nil, forKey: name)
      } else {
        object.setValue(value(of: attribute.attributeType, number), forKey: name)
      }
    }
  }

  /// Other for each number, as far as the type has room.
  private mutating func value(of type: NSAttributeType, _ number: Int) -> Any? {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: number
    case .doubleAttributeType, .floatAttributeType: Double(number) + 0.5
    case .decimalAttributeType: NSDecimalNumber(string: "\(number).25")
    case .booleanAttributeType: Bool.random(using: &random)
    case .stringAttributeType: "text \(number) é"
    case .dateAttributeType: Date(timeIntervalSinceReferenceDate: Double(number) * 1000 + 0.25)
    case .binaryDataAttributeType: Data((0..<(number % 40 + 1)).map { UInt8(truncatingIfNeeded: number &* $0) })
    case .UUIDAttributeType: UUID(uuidString: String(format: "00000000-0000-4000-8000-%012d", number))
    case .URIAttributeType: URL(string: "https://example.org/\(number)")
    case .transformableAttributeType: "archived \(number)" as NSString
    default: nil
    }
  }

  private mutating func relate(_ object: NSManagedObject, _ all: [NSManagedObject]) {
    for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key })
    where !relationship.isTransient {
      guard let destination = relationship.destinationEntity else { continue }
      let candidates = all.filter { $0.entity.isKindOf(entity: destination) && $0 !== object }
      guard !candidates.isEmpty else { continue }
      if relationship.isToMany {
        let most = relationship.maxCount > 0 ? relationship.maxCount : 3
        let least = min(max(relationship.minCount, relationship.isOptional ? 0 : 1), most)
        let members = candidates.shuffled(using: &random).prefix(
          Int.random(in: least...max(least, most), using: &random))
        object.setValue(
          relationship.isOrdered ? NSOrderedSet(array: Array(members)) : NSSet(array: Array(members)), forKey: name)
      } else if !relationship.isOptional || Int.random(in: 0..<3, using: &random) > 0 {
        if object.value(forKey: name) == nil { object.setValue(candidates.randomElement(using: &random), forKey: name) }
      }
    }
  }

  /// Chance gives some objects less than their entity asks for: these go, until all that are left are valid.
  private func removeInvalid(_ context: NSManagedObjectContext) {
    while true {
      let invalid = context.insertedObjects.filter { object in
        do {
          try object.validateForInsert()
          return false
        } catch { return true }
      }
      if invalid.isEmpty { return }
      for object in invalid { context.delete(object) }
      context.processPendingChanges()
    }
  }
}
