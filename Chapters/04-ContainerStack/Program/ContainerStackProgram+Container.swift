import ChapterSupport
import CoreData
import Foundation

/// What a container brings along, and when it says what became of its stores.
extension ContainerStackProgram {
  @MainActor func showDefaults() {
    Output.heading("A container that has only been given a name")
    //> defaults
    let container = NSPersistentContainer(name: "ContainerStack")
    let description = container.persistentStoreDescriptions[0]
    let view = container.viewContext
    //< defaults
    let entities = container.managedObjectModel.entities.compactMap(\.name).joined(separator: ", ")
    Output.line("the model has:     \(entities)")
    Output.line("stores:            \(container.persistentStoreCoordinator.persistentStores.count)")
    Output.line("descriptions:      \(container.persistentStoreDescriptions.count)")
    Output.line("  its type:        \(description.type)")
    Output.line("  its file:        \(place(of: description.url))")
    for (key, value) in description.options.sorted(by: { $0.key < $1.key }) {
      Output.line("  its options:     \(key) = \(value)")
    }
    Output.line("  asynchronous:    \(description.shouldAddStoreAsynchronously)")
    let isMain = view.concurrencyType == .mainQueueConcurrencyType
    Output.line("the view context:  \(isMain ? "on the main queue" : "on a queue of its own")")
    Output.line("  merges by itself: \(view.automaticallyMergesChangesFromParent)")
    Output.line("  undo manager:     \(view.undoManager == nil ? "none" : "one")")
  }

  /// A file's place as it is for every user.
  private func place(of url: URL?) -> String {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    guard let url, let first = support.first, url.path.hasPrefix(first.path + "/") else { return "elsewhere" }
    return "(application support)" + url.path.dropFirst(first.path.count)
  }

  @MainActor func showHandler() async {
    Output.heading("The handler is called once for each description")
    //> two-descriptions
    let container = NSPersistentContainer(name: "ContainerStack")
    let nowhere = URL(fileURLWithPath: "/dev/null/Notes.sqlite")
    let memory = NSPersistentStoreDescription()
    memory.type = NSInMemoryStoreType
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: nowhere), memory]
    container.loadPersistentStores { description, error in
      let outcome = error.map { "error \(($0 as NSError).code)" } ?? "loaded"
      Output.line("\(description.type): \(outcome), on \(CurrentQueue.name)")
    }
    Output.line("stores: \(container.persistentStoreCoordinator.persistentStores.count)")
    //< two-descriptions

    //> asynchronous
    let second = NSPersistentContainer(name: "ContainerStack")
    memory.shouldAddStoreAsynchronously = true
    second.persistentStoreDescriptions = [memory]
    let queue = await withCheckedContinuation { continuation in
      second.loadPersistentStores { _, _ in continuation.resume(returning: CurrentQueue.name) }
    }
    Output.line("asynchronous: the handler is called on \(queue)")
    //< asynchronous
  }
}
