import CoreData

/// What two people did to one object, read off the merge conflict between them.
public struct EditConflict {
  /// A property that is not the same everywhere.
  public struct Difference {
    public let property: String
    /// As it was when this context read it.
    public let read: String
    /// As it is in this context.
    public let here: String
    /// As it is in the store now.
    public let stored: String

    /// Whether both sides changed it, and not to the same.
    public var isContested: Bool { here != read && stored != read && here != stored }
  }

  public let object: NSManagedObject
  public let readVersion: Int
  /// 0 if the row is gone.
  public let storedVersion: Int
  public let differences: [Difference]

  //> read-conflict
  /// The conflicts in the error of a save; none if it failed for another reason.
  public static func all(in error: any Error) -> [EditConflict] {
    let error = error as NSError
    guard error.domain == NSCocoaErrorDomain, error.code == NSManagedObjectMergeError else {
      return []
    }
    // The key has no constant of its own.
    let conflicts = error.userInfo["conflictList"] as? [NSMergeConflict] ?? []
    return conflicts.map(EditConflict.init)
  }

  private init(_ conflict: NSMergeConflict) {
    object = conflict.sourceObject
    readVersion = conflict.oldVersionNumber
    storedVersion = conflict.newVersionNumber
    let edited = conflict.sourceObject
    let read = conflict.objectSnapshot ?? conflict.cachedSnapshot ?? [:]
    let inStore = conflict.persistedSnapshot ?? conflict.cachedSnapshot ?? [:]
    let stored = storedVersion == 0 ? [:] : inStore
    differences = edited.entity.attributesByName.keys.sorted()
      .map {
        Difference(
          property: $0, read: Self.words(read[$0]), here: Self.words(edited.value(forKey: $0)),
          stored: Self.words(stored[$0]))
      }
      .filter { $0.here != $0.read || $0.stored != $0.read }
  }
  //< read-conflict

  private static func words(_ value: Any?) -> String {
    guard let value, !(value is NSNull) else { return "none" }
    return "\(value)"
  }

  /// One sentence for the person whose changes are not saved.
  public var message: String {
    let name = object.entity.name ?? "object"
    if storedVersion == 0 { return "This \(name) was deleted elsewhere after it was read here." }
    let contested = differences.filter(\.isContested)
      .map { "; \($0.property) is \($0.here) here and \($0.stored) in the file" }
    return "This \(name) was saved elsewhere after it was read here\(contested.joined())."
  }
}
