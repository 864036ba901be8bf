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
}
