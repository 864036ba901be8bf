import CoreData

// What mirrors show. Programs look for the parts of Core Data behind a model in this way, under the names that the
// parts have in Apple's framework.

extension ModelContext: CustomReflectable {
  /// Shows the Core Data context that does the work, as `_nsContext`, and the context's settings.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "container": container, "_nsContext": managedContext, "autosaveEnabled": autosaveEnabled,
        "author": author as Any,
      ], displayStyle: .class)
  }
}

extension PersistentIdentifier: CustomReflectable {
  /// The parts of an identity, for mirrors.
  private final class Shown {
    let primaryKey: String
    let storeIdentifier: String?
    let entityName: String
    let isTemporary: Bool
    let managedObjectID: NSManagedObjectID?

    init(_ identifier: PersistentIdentifier) {
      primaryKey = identifier.primaryKey
      storeIdentifier = identifier.storeIdentifier
      entityName = identifier.entityName
      isTemporary = identifier.isTemporary
      managedObjectID = identifier.objectID
    }
  }

  /// Shows the parts of the identity under `implementation`: `isTemporary`, `entityName`, `storeIdentifier`,
  /// `primaryKey`, and `managedObjectID` if it was made from one in this process.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "implementation": Shown(self)], displayStyle: .struct)
  }
}

extension ModelStorage: CustomReflectable {
  /// Shows the model's managed object as `_managedObject`, and its context as `_nsContext`, once the model is inserted.
  @usableFromInline var customMirror: Mirror {
    let object = (joinedStorage ?? self).object
    return Mirror(
      self, children: ["_managedObject": object as Any, "_nsContext": object?.managedObjectContext as Any],
      displayStyle: .class)
  }
}
