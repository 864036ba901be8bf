import CoreData
import Foundation

/// Carries the saves of one context into others, and writes down what changed: the code around notifications that
/// programs had before contexts merged by themselves.
final class ChangeRelay {
  private var tokens: [any NSObjectProtocol] = []
  private(set) var log: [String] = []

  init(from source: NSManagedObjectContext, to targets: [NSManagedObjectContext]) {
    tokens.append(
      NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: source, queue: nil
      ) { [weak self] note in
        let count = { (key: String) in (note.userInfo?[key] as? Set<NSManagedObject>)?.count ?? 0 }
        self?.log.append(
          "saved +\(count(NSInsertedObjectsKey)) ~\(count(NSUpdatedObjectsKey)) -\(count(NSDeletedObjectsKey))")
        for target in targets {
          target.performAndWait { target.mergeChanges(fromContextDidSave: note) }
        }
      })
    for target in targets {
      tokens.append(
        NotificationCenter.default.addObserver(
          forName: NSManagedObjectContext.didChangeObjectsNotification, object: target, queue: nil
        ) { [weak self] note in
          let kinds: [(NSManagedObjectContext.NotificationKey, String)] = [
            (.insertedObjects, "+"), (.updatedObjects, "~"), (.refreshedObjects, "="), (.deletedObjects, "-"),
          ]
          let parts = kinds.compactMap { key, sign -> String? in
            guard let objects = note.userInfo?[key.rawValue] as? Set<NSManagedObject>, !objects.isEmpty else {
              return nil
            }
            return "\(sign)\(objects.count)"
          }
          self?.log.append("changed " + parts.joined(separator: " "))
        })
    }
  }

  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }
}
