import CoreData

/// A part of one recipe, deleted with it.
#if canImport(ObjectiveC)
@objc(Ingredient)
#endif
public class Ingredient: NSManagedObject {
  /// `200 g flour`.
  public var line: String {
    // Whole amounts without a fraction: 3 eggs, and not 3.0.
    let number = amount.rounded() == amount ? "\(Int(amount))" : "\(amount)"
    return [number, unit, name ?? "(no name)"].compactMap { $0 }.joined(separator: " ")
  }

  //> will-save
  /// No one means the blanks before or after a name.
  public override func willSave() {
    super.willSave()
    LifeLog.note(self, "willSave: \"\(name ?? "none")\"")
    guard !isDeleted, let name else { return }
    let trimmed = name.trimmingCharacters(in: .whitespaces)
    if trimmed != name { self.name = trimmed }
  }
  //< will-save

  public override func prepareForDeletion() {
    super.prepareForDeletion()
    LifeLog.note(self, "prepareForDeletion")
  }
}
