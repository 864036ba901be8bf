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

  //> callbacks
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    LifeLog.note(self, "awakeFromInsert: \(servings) servings, by default")
  }

  public override func awakeFromFetch() {
    super.awakeFromFetch()
    LifeLog.note(self, "awakeFromFetch: \(name ?? "no name")")
  }

  public override func willSave() {
    super.willSave()
    LifeLog.note(self, "willSave")
  }

  public override func didSave() {
    super.didSave()
    LifeLog.note(self, "didSave")
  }

  public override func willTurnIntoFault() {
    super.willTurnIntoFault()
    LifeLog.note(self, "willTurnIntoFault")
  }

  public override func didTurnIntoFault() {
    super.didTurnIntoFault()
    LifeLog.note(self, "didTurnIntoFault")
  }

  public override func prepareForDeletion() {
    super.prepareForDeletion()
    LifeLog.note(self, "prepareForDeletion: \(line)")
  }
  //< callbacks
}
