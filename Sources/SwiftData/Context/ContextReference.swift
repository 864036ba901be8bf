import CoreData

/// Leads to a context while it exists. All models of the context share it; a weak reference in each of them would cost
/// more.
final class ContextReference {
  // Unchecked for `modelread`; see CONTRIBUTING.md.
  /// Once the context has ended, what it has left; nil if no models have outlived it.
  @exclusivity(unchecked) unowned(unsafe) var context: ModelContext?
  /// What a context has left for models that outlive it: their values can be read, and taken into another context.
  @exclusivity(unchecked) var remains: ModelContext?
}

extension NSManagedObjectContext {
  private static let modelContextKey = "SwiftDataModelContext"

  private final class Link {
    unowned(unsafe) var context: ModelContext?
    init(_ context: ModelContext) { self.context = context }
  }

  /// The context that works with this one. It takes itself out when it ends.
  var modelContext: ModelContext? {
    get { (userInfo[NSManagedObjectContext.modelContextKey] as? Link)?.context }
    set {
      if let link = userInfo[NSManagedObjectContext.modelContextKey] as? Link {
        link.context = newValue
      } else if let newValue {
        userInfo[NSManagedObjectContext.modelContextKey] = Link(newValue)
      }
    }
  }
}
