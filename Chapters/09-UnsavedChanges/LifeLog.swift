import CoreData

/// What the stack tells objects about their lives, for those who want to watch.
public enum LifeLog {
  /// Called on the queue of the object's context. While it is nil, nothing is noted.
  nonisolated(unsafe) public static var listener: ((String) -> Void)?

  static func note(_ object: NSManagedObject, _ callback: String) {
    listener?("\(object.entity.name ?? "object").\(callback)")
  }
}
