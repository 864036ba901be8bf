/// The reasons for a call of ``NSManagedObject/awake(fromSnapshotEvents:)``.
public struct NSSnapshotEventType: OptionSet, Sendable {
  /// The events as bits.
  public let rawValue: UInt
  /// Events from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// An insertion was undone, so the object is gone.
  public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
  /// A deletion was undone, so the object is back.
  public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
  /// A change was undone, so the object has its former values.
  public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
  /// A rollback has dropped the object's changes.
  public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
  /// A refresh or a merge has given the object the store's values.
  public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
  /// A merge policy has settled a conflict of the object.
  public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
