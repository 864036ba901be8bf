import CoreData

extension Ingredient {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Ingredient> {
    NSFetchRequest<Ingredient>(entityName: "Ingredient")
  }

  @NSManaged public var amount: Double
  @NSManaged public var name: String?
  @NSManaged public var unit: String?
  @NSManaged public var recipe: Recipe?
}
