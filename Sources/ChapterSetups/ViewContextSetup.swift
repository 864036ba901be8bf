import Comparison
import CoreData

/// A set-up without a writer: the view context does it all, on the main queue. What its program calls to save may be
/// something else than `save()`; then it says so itself.
@preconcurrency @MainActor
public protocol ViewContextSetup: StackSetup {}

extension ViewContextSetup {
  public func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    try block(viewContext)
    try await saveView()
  }

  public func saveView() async throws {
    guard viewContext.hasChanges else { return }
    try calling("save()") { try viewContext.save() }
  }
}
