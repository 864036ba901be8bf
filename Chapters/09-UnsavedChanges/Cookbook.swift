import CoreData

/// Recipes in a context. Nothing here saves.
public struct Cookbook {
  public let context: NSManagedObjectContext

  public init(context: NSManagedObjectContext) {
    self.context = context
  }

  @discardableResult
  public func add(_ name: String?, servings: Int16 = 4, tags: [String] = []) throws -> Recipe {
    let recipe = Recipe(context: context)
    recipe.name = name
    recipe.servings = servings
    for word in tags { recipe.addToTags(try tag(word)) }
    return recipe
  }

  /// Appends to the recipe's list.
  @discardableResult
  public func add(_ amount: Double, _ unit: String?, _ name: String?, to recipe: Recipe) -> Ingredient {
    let ingredient = Ingredient(context: context)
    ingredient.amount = amount
    ingredient.unit = unit
    ingredient.name = name
    recipe.addToIngredients(ingredient)
    return ingredient
  }

  /// The tag of that name, made if there is none.
  public func tag(_ name: String) throws -> Tag {
    let request: NSFetchRequest<Tag> = Tag.fetchRequest()
    request.predicate = NSPredicate(format: "name == %@", name)
    if let tag = try context.fetch(request).first { return tag }
    let tag = Tag(context: context)
    tag.name = name
    return tag
  }
}
