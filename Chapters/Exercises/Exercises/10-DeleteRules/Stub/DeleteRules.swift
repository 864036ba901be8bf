import CoreData
import ExerciseSupport

/// A model in which a Customer has purchases, and a Purchase has lines.
struct PurchaseModel {
  let model = NSManagedObjectModel()
  /// From a customer to its purchases, and back.
  let purchases: NSRelationshipDescription
  let customer: NSRelationshipDescription
  /// From a purchase to its lines, and back.
  let lines: NSRelationshipDescription
  let purchase: NSRelationshipDescription

  init() throws {
    let entities = ["Customer", "Purchase", "Line"].map { name in
      let entity = NSEntityDescription()
      entity.name = name
      entity.managedObjectClassName = "NSManagedObject"
      return entity
    }
    (purchases, customer) = Self.relate(entities[0], "purchases", entities[1], "customer")
    (lines, purchase) = Self.relate(entities[1], "lines", entities[2], "purchase")
    try setDeleteRules()
    model.entities = entities
  }

  /// - A customer who has purchases can't be deleted.
  /// - A purchase is deleted with all its lines; its customer stays.
  /// - A line that is deleted leaves its purchase, with one line less.
  private func setDeleteRules() throws {
    // TODO: Each of the four relationships has the delete rule that the list above asks for.
    throw Unfinished("each relationship has its delete rule")
  }

  /// One to many and back.
  private static func relate(
    _ one: NSEntityDescription, _ many: String, _ other: NSEntityDescription, _ back: String
  ) -> (NSRelationshipDescription, NSRelationshipDescription) {
    let (there, here) = (NSRelationshipDescription(), NSRelationshipDescription())
    (there.name, there.destinationEntity, there.inverseRelationship) = (many, other, here)
    (here.name, here.destinationEntity, here.inverseRelationship) = (back, one, there)
    here.maxCount = 1
    one.properties.append(there)
    other.properties.append(here)
    return (there, here)
  }
}
