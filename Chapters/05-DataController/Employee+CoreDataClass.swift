import CoreData

/// The class is ours, to write methods in; its properties are generated from the model, which asks for a
/// "category", as Xcode calls an extension.
#if canImport(ObjectiveC)
@objc(Employee)
#endif
public class Employee: NSManagedObject {
  /// `7 Ada`: the badge, then the name.
  public var label: String { "\(badge) \(name ?? "no name")" }
}
