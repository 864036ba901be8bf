internal import DataModelFiles
import Foundation

/// Reads objects from keyed archives in files.
///
/// Foundation's unarchiver ends the program if objects contain each other in a circle or nest too deep, and, whatever
/// its failure policy, if a class is not allowed. So the archive is measured first, and its classes are looked up here.
enum UnarchivedObject {
  /// Why an archive is not read: a sentence without a full stop.
  struct Refusal: Error { let what: String }

  /// The archive's root object; nil for an archived nil.
  ///
  /// - Parameter allowed: the classes that its objects may have or inherit from; nil for any that can be archived.
  static func read(_ data: Data, of allowed: [AnyClass]?) throws -> Any? {
    let measure: ArchiveMeasure
    do {
      measure = try ArchiveMeasure(Array(data))
    } catch {
      throw Refusal(what: "\(error)")
    }
    for name in measure.classNames.sorted() { try check(name, allowed) }
    if let trial = measure.trial {
      let elements = try objects(trial.roots, of: trial.bytes, allowed)
      if elements.contains(where: { $0 == nil }) { throw Refusal(what: "an object in one of its dictionaries is nil") }
    }
    return try objects([NSKeyedArchiveRootObjectKey], of: measure.bytes, allowed)[0]
  }

  private static func objects(_ roots: [String], of bytes: [UInt8], _ allowed: [AnyClass]?) throws -> [Any?] {
    let unarchiver: NSKeyedUnarchiver
    do {
      unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(bytes))
    } catch {
      throw Refusal(what: "the data is not a keyed archive")
    }
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = allowed != nil
    defer { unarchiver.finishDecoding() }
    return try roots.map { root in
      let object =
        if let allowed {
          unarchiver.decodeObject(of: allowed, forKey: root)
        } else {
          unarchiver.decodeObject(forKey: root)
        }
      if let error = unarchiver.error { throw Refusal(what: "Foundation can't read it: \(error.localizedDescription)") }
      return object
    }
  }

  private static func check(_ name: String, _ allowed: [AnyClass]?) throws {
    guard let type = NSKeyedUnarchiver.class(forClassName: name) ?? plainClass(name), type is any NSCoding.Type else {
      throw Refusal(what: "it holds an object of \(name), which is not an archivable class of this program")
    }
    guard let allowed else { return }
    guard let secure = type as? any NSSecureCoding.Type, secure.supportsSecureCoding,
      allowed.contains(where: { isClass(type, of: $0) })
    else { throw Refusal(what: "it holds an object of the class \(name), which is not allowed") }
  }

  /// For names with more parts Foundation prints a warning and finds nothing.
  private static func plainClass(_ name: String) -> AnyClass? {
    name.split(separator: ".", omittingEmptySubsequences: false).count > 2 ? nil : NSClassFromString(name)
  }

  private static func isClass(_ type: AnyClass, of ancestor: AnyClass) -> Bool {
    var type: AnyClass? = type
    while let current = type {
      if current == ancestor { return true }
      type = _getSuperclass(current)
    }
    return false
  }
}
