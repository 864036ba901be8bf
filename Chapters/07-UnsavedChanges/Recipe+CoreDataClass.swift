import CoreData

/// Something to cook. Between two saves it may be anything; to be saved it needs a name, and 1 to 24 servings.
#if canImport(ObjectiveC)
@objc(Recipe)
#endif
public class Recipe: NSManagedObject {
  /// `4 servings: 200 g flour, 3 eggs`: one line, the ingredients in their order.
  public var line: String {
    let list = ingredientList.map(\.line).joined(separator: ", ")
    return "\(servings) servings: \(list)"
  }

  public var ingredientList: [Ingredient] {
    ingredients?.array as? [Ingredient] ?? []
  }
}
