import CoreData

/// Keeps, of two recipes with one slug, the one that was cooked last, and joins their ingredients.
final class LatestRecipePolicy: NSMergePolicy {
  private(set) var seen: [[String]] = []

  init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    for conflict in list {
      seen.append(conflict.constraint)
      let recipes = (conflict.conflictingObjects + [conflict.databaseObject].compactMap { $0 }).compactMap {
        $0 as? Recipe
      }
      guard let winner = recipes.max(by: { ($0.cookedAt ?? .distantPast) < ($1.cookedAt ?? .distantPast) }) else {
        continue
      }
      for recipe in recipes where recipe !== winner {
        for ingredient in recipe.ingredients { ingredient.recipe = winner }
      }
      if let kept = conflict.databaseObject as? Recipe, kept !== winner {
        for ingredient in winner.ingredients { ingredient.recipe = kept }
        kept.name = winner.name
        kept.cookedAt = winner.cookedAt
      }
    }
    try super.resolve(constraintConflicts: list)
  }
}

/// Makes one author for each name: looks first among what earlier mappings made.
final class RecipeToSourcePolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    guard
      let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first,
      let name = sInstance.value(forKey: "source") as? String
    else { return }
    let context = manager.destinationContext
    let found = context.registeredObjects.first {
      $0.entity.name == "Source" && $0.value(forKey: "name") as? String == name
    }
    let source =
      found ?? NSEntityDescription.insertNewObject(forEntityName: "Source", into: context)
    source.setValue(name, forKey: "name")
    made.setValue(source, forKey: "from")
  }
}
