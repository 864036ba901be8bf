import Comparison
import CoreData

/// A set-up without a writer: the view context does everything, on the main queue. If its program saves by another call
/// than `save()`, the set-up implements `saveView()` itself.
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
