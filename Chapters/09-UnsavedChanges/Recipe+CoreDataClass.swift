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

  //> own-rule
  public override func validateForInsert() throws {
    try super.validateForInsert()
    try checkNotesForMany()
  }

  public override func validateForUpdate() throws {
    try super.validateForUpdate()
    try checkNotesForMany()
  }

  /// A recipe for more than twelve needs notes: a rule about two values, which no limit in the
  /// model can be.
  private func checkNotesForMany() throws {
    guard servings > 12, notes == nil else { return }
    throw NSError(
      domain: NSCocoaErrorDomain, code: NSManagedObjectValidationError,
      userInfo: [
        NSLocalizedDescriptionKey: "A recipe for \(servings) needs notes.",
        NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: "notes",
      ])
  }
  //< own-rule

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
