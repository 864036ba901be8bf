import CoreData
import ExerciseSupport

/// Something that the shop has bought at a cost and sells at a price.
final class SaleItem: NSManagedObject {
  var cost: Int64 {
    get { value(forKey: "cost") as? Int64 ?? 0 }
    set { setValue(newValue, forKey: "cost") }
  }

  var price: Int64 {
    get { value(forKey: "price") as? Int64 ?? 0 }
    set { setValue(newValue, forKey: "price") }
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    try refuseLoss()
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    try refuseLoss()
  }

  /// Throws if the price is lower than the cost: an `NSManagedObjectValidationError` of Cocoa's domain that has the
  /// object, the key "price", and the price that is wrong.
  private func refuseLoss() throws {
    // What matters: the rule is about two values at once, which no limit in the model can be.
    //= if price >= 0 { return }
    if price >= cost { return }
    throw NSError(
      domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
      userInfo: [
        NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: "price", NSValidationValueErrorKey: price,
      ])
  }

  /// A model of this entity alone. Made once: two models of one class would each claim it.
  static let model: NSManagedObjectModel = {
    let entity = NSEntityDescription()
    entity.name = "SaleItem"
    entity.managedObjectClassName = NSStringFromClass(SaleItem.self)
    entity.properties = ["cost", "price"].map {
      let amount = NSAttributeDescription()
      amount.name = $0
      amount.attributeType = .integer64AttributeType
      amount.defaultValue = 0
      return amount
    }
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }()
}
