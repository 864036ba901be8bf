import CoreData
import Foundation

/// An entity's class as books teach it: a transient value that is worked out once, primitive accessors, a stamp at
/// insertion, a rule of its own.
public final class Recipe: NSManagedObject {
  @NSManaged var name: String
  @NSManaged var slug: String
  @NSManaged var rating: Int16
  @NSManaged var servings: NSNumber?
  @NSManaged var cookedAt: Date?
  @NSManaged var ingredients: Set<Ingredient>

  @NSManaged private var primitiveSectionTitle: String?
  @NSManaged private var primitiveName: String?
  @NSManaged fileprivate var primitiveCookedAt: Date?

  @NSManaged func addIngredientsObject(_ value: Ingredient)
  @NSManaged func removeIngredientsObject(_ value: Ingredient)

  /// The first letter of the name, kept until the name changes.
  var sectionTitle: String {
    willAccessValue(forKey: "sectionTitle")
    defer { didAccessValue(forKey: "sectionTitle") }
    if let kept = primitiveSectionTitle { return kept }
    let title = name.prefix(1).uppercased()
    primitiveSectionTitle = title
    return title
  }

  /// Sets the name past the accessor, with the notifications that belong to it.
  func rename(to newName: String) {
    willChangeValue(forKey: "name")
    primitiveName = newName
    primitiveSectionTitle = nil
    didChangeValue(forKey: "name")
  }

  public override func awakeFromInsert() {
    super.awakeFromInsert()
    primitiveCookedAt = Date(timeIntervalSinceReferenceDate: 0)
    setPrimitiveValue("untitled", forKey: "slug")
  }

  public override func validateForInsert() throws {
    try super.validateForInsert()
    if name.isEmpty { throw RecipeError.nameless }
  }
}

enum RecipeError: Error { case nameless }
