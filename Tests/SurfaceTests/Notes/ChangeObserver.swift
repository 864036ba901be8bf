import CoreData

/// Keeps two contexts in step, and counts what it hears.
final class ChangeObserver {
  private var tokens: [NSObjectProtocol] = []
  private(set) var inserted: [NSManagedObject] = []
  private(set) var updated = Set<NSManagedObject>()
  private(set) var deletedIDs: [NSManagedObjectID] = []
  private(set) var willSaves = 0

  init(observing context: NSManagedObjectContext, mergingInto other: NSManagedObjectContext?) {
    let center = NotificationCenter.default
    tokens.append(
      center.addObserver(forName: .NSManagedObjectContextWillSave, object: context, queue: nil) {
        [weak self] _ in
        self?.willSaves += 1
      })
    tokens.append(
      center.addObserver(
        forName: NSNotification.Name.NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { [weak self] notification in
        guard let self = self, let userInfo = notification.userInfo else { return }
        if let inserts = userInfo[NSInsertedObjectsKey] as? Set<NSManagedObject>, inserts.count > 0 {
          self.inserted += Array(inserts)
        }
        if let updates = userInfo[NSUpdatedObjectsKey] as? Set<NSManagedObject>, !updates.isEmpty {
          self.updated.formUnion(updates)
        }
        for key in [NSDeletedObjectsKey, NSInvalidatedObjectsKey, NSRefreshedObjectsKey] {
          let objects = userInfo[key] as? Set<NSManagedObject> ?? Set()
          if key == NSDeletedObjectsKey { self.deletedIDs += objects.map { $0.objectID } }
        }
      })
    guard let other else { return }
    tokens.append(
      center.addObserver(
        forName: NSManagedObjectContext.didSaveObjectsNotification, object: context, queue: nil
      ) {
        (note: Notification) in
        other.perform { other.mergeChanges(fromContextDidSave: note) }
      })
  }

  deinit {
    tokens.forEach { NotificationCenter.default.removeObserver($0) }
  }
}

/// The typed face of a notification.
struct ContextDidSaveNotification {
  init(note: Notification) {
    guard note.name == .NSManagedObjectContextDidSave else { fatalError() }
    notification = note
  }

  private let notification: Notification

  var managedObjectContext: NSManagedObjectContext {
    guard let context = notification.object as? NSManagedObjectContext else {
      fatalError("Invalid notification object")
    }
    return context
  }

  var insertedObjects: AnyIterator<NSManagedObject> { iterator(forKey: NSInsertedObjectsKey) }
  var updatedObjects: AnyIterator<NSManagedObject> { iterator(forKey: NSUpdatedObjectsKey) }

  var insertedIDs: [NSManagedObjectID] {
    let key = NSManagedObjectContext.NotificationKey.insertedObjects.rawValue
    return (notification.userInfo?[key] as? Set<NSManagedObject>)?.map(\.objectID) ?? []
  }

  private func iterator(forKey key: String) -> AnyIterator<NSManagedObject> {
    guard let set = notification.userInfo?[key] as? NSSet else { return AnyIterator { nil } }
    let enumerator = set.makeIterator()
    return AnyIterator { enumerator.next() as? NSManagedObject }
  }
}
