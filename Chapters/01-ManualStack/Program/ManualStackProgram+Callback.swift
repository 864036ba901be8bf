import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter

/// `--callback`: the stack whose store is added in the background.
extension ManualStackProgram {
  @MainActor func showCallback(in folder: URL) async throws {
    Output.heading("The older form: the store comes in the background")
    let url = folder.appendingPathComponent(CoreDataStack.storeName)
    // Holds the background queue back until the main queue has tried to fetch, so that every run prints the same.
    let tried = DispatchSemaphore(value: 0)
    var stack: CallbackStack?
    let store = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<NSPersistentStore, any Error>) in
      do {
        //> use
        stack = try CallbackStack(
          storeURL: url,
          willAdd: {
            tried.wait()
            Output.line("the store is added on \(CurrentQueue.name)")
          },
          completion: { result in
            Output.line("the callback comes on \(CurrentQueue.name)")
            continuation.resume(with: result)
          })
        //< use
      } catch {
        continuation.resume(throwing: error)
      }
      if let stack { showEarlyFetch(stack.managedObjectContext) }
      tried.signal()
    }
    guard let stack else { return }
    let register = StudentRegister(context: stack.managedObjectContext)
    register.add(name: "Ada", age: 20, id: (try register.all().map(\.studentId).max() ?? 0) + 1)
    try stack.managedObjectContext.save()
    Output.line("after it, the context saves Ada and fetches \(Output.count(try register.all().count, "student"))")
    stack.managedObjectContext.reset()
    try stack.persistentStoreCoordinator.remove(store)
    let rows = try StudentFile(url: url).reader().rowCount(of: "ZSTUDENT")
    Output.line("the closed file holds \(Output.count(rows, "row")) in ZSTUDENT")
  }

  private func showEarlyFetch(_ context: NSManagedObjectContext) {
    do {
      let found = try StudentRegister(context: context).all()
      Output.line("a fetch before the callback finds \(Output.count(found.count, "student"))")
    } catch {
      let error = error as NSError
      Output.line("a fetch before the callback fails: \(error.domain) \(error.code)")
      Output.line("  \(error.localizedDescription)")
    }
  }
}
