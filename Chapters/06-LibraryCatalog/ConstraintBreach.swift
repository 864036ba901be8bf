import CoreData

/// A uniqueness constraint that a save would have broken, in words.
public struct ConstraintBreach {
  /// `Author.name`
  public let constraint: String
  public let value: String
  /// Whether the other one with that value is a row of the file, and not another new object.
  public let isStored: Bool

  //> breach
  /// The breaches in a save's error, sorted; none if the save failed for another reason.
  public static func all(in error: any Error) -> [ConstraintBreach] {
    let error = error as NSError
    guard error.domain == NSCocoaErrorDomain,
      error.code == NSManagedObjectConstraintMergeError
    else { return [] }
    // No constant is defined for this key.
    let conflicts = error.userInfo["conflictList"] as? [NSConstraintConflict] ?? []
    return conflicts.map(ConstraintBreach.init).sorted { $0.sentence < $1.sentence }
  }
  //< breach

  private init(_ conflict: NSConstraintConflict) {
    let entity = conflict.conflictingObjects.first?.entity.name ?? "?"
    constraint = "\(entity).\(conflict.constraint.joined(separator: "+"))"
    value = conflict.constraint.map { String(describing: conflict.constraintValues[$0] ?? "none") }
      .joined(separator: "+")
    isStored = conflict.databaseObject != nil
  }

  public var sentence: String {
    "\(constraint) \"\(value)\" is \(isStored ? "in the file already" : "here twice")"
  }
}
