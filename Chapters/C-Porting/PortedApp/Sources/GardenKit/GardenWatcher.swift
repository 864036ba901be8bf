import CoreData
import Foundation

//> watcher
/// Calls you when plants change in a context. It replaces observers of each plant, and works
/// on both systems.
public final class GardenWatcher {
  private let context: NSManagedObjectContext
  private var observer: (any NSObjectProtocol)?

  /// - Parameter heard: Called on the context's queue, with the names of the updated plants.
  public init(context: NSManagedObjectContext, heard: @escaping ([String]) -> Void) {
    self.context = context
    observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { note in
      let updated = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
      let plants = updated.compactMap { $0 as? Plant }
      if !plants.isEmpty { heard(plants.compactMap(\.name).sorted()) }
    }
  }

  deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }
}
//< watcher
