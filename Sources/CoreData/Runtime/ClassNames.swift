import Foundation

/// The name of a class, as a model states it in `managedObjectClassName`. It leads back to the class in this process.
///
/// Foundation's function takes classes at the top level of a module only, and ends the program for others. This one
/// is called for all classes of objects, also nested and private ones.
public func NSStringFromClass(_ aClass: NSObject.Type) -> String { ClassNames.name(of: aClass) }

/// Names of nested and private classes, which the runtime can't find by them.
enum ClassNames {
  private static let lock = NSLock()
  // Under `lock`.
  nonisolated(unsafe) private static var classes: [String: AnyClass] = [:]

  static func name(of aClass: NSObject.Type) -> String {
    let full = _typeName(aClass)
    // A private class has two parts more, which distinguish those of one name in two files.
    if full.split(separator: ".").count == 2 { return Foundation.NSStringFromClass(aClass as AnyClass) }
    lock.withLock { classes[full] = aClass }
    return full
  }

  /// The class whose name was asked for before.
  static func namedClass(_ name: String) -> AnyClass? { lock.withLock { classes[name] } }
}
