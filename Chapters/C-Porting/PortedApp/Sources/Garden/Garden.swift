import CoreData
import Foundation
import GardenKit

//> main
/// An `async` main takes the main queue along: blocks for it run whenever `main` waits.
@main struct Garden {
  static func main() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("Garden.sqlite")
    let stack = try GardenStack(url: file)
    let writer = GardenJournal(context: stack.container.newBackgroundContext())
    let reader = GardenJournal(context: stack.container.viewContext)

    try await writer.sow(["Bean", "Marigold"], in: "South", at: Date(timeIntervalSince1970: 0))
    try await writer.measure("Bean", height: 120)
    print("taller than a metre: \(try await reader.names(atLeast: 100))")

    let coordinator = stack.container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    try coordinator.destroyPersistentStore(at: file, type: .sqlite)
  }
}
//< main
