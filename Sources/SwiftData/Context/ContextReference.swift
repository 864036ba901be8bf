import CoreData

/// Leads to a context while it exists. All models of the context share it; a weak reference in each of them would cost
/// more.
final class ContextReference {
  // Unchecked for `modelread`; see CONTRIBUTING.md.
  /// Set to nil when the context ends.
  @exclusivity(unchecked) unowned(unsafe) var context: ModelContext?
  /// The Core Data context of a context that is gone, if models have outlived it: it has the values with which they may
  /// be inserted elsewhere.
  @exclusivity(unchecked) var remains: NSManagedObjectContext?
}
