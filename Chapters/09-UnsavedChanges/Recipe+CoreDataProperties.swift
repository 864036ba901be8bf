import CoreData

//> recipe-properties
extension Recipe {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Recipe> {
    NSFetchRequest<Recipe>(entityName: "Recipe")
  }

  @NSManaged public var name: String?
  @NSManaged public var notes: String?
  @NSManaged public var servings: Int16
  @NSManaged public var ingredients: NSOrderedSet?
  @NSManaged public var tags: NSSet?

  @NSManaged public func addToIngredients(_ value: Ingredient)
  @NSManaged public func removeFromIngredients(_ value: Ingredient)
  @NSManaged public func addToTags(_ value: Tag)
  @NSManaged public func removeFromTags(_ value: Tag)
}
//< recipe-properties
