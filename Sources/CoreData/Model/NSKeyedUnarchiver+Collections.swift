import Foundation

// Transformers of lists read them by these methods, which Foundation on Linux lacks; should it get them, its own are
// used. Unlike its methods for single objects, these throw if an archive has another class.

extension NSKeyedUnarchiver {
  /// The array in an archive, whose elements are of a class; nil for an archived nil.
  ///
  /// Anything else throws `CocoaError.coderReadCorrupt`.
  @_disfavoredOverload
  public static func unarchivedArrayOfObjects<Object: NSObject & NSSecureCoding>(
    ofClass cls: Object.Type, from data: Data
  ) throws -> [Object]? {
    try unarchivedArrayOfObjects(ofClasses: [cls], from: data)?.map { try element($0, as: Object.self) }
  }

  /// The array in an archive, whose elements are of some classes; nil for an archived nil.
  ///
  /// Anything else throws `CocoaError.coderReadCorrupt`.
  @_disfavoredOverload
  public static func unarchivedArrayOfObjects(ofClasses classes: [AnyClass], from data: Data) throws -> [Any]? {
    guard let root = try root(of: data, [NSArray.self] + classes) else { return nil }
    guard let array = root as? NSArray else { throw refusal("it holds no array") }
    return try array.map { try element($0, of: classes) }
  }

  /// The dictionary in an archive, whose keys are of one class and whose values of another; nil for an archived nil.
  ///
  /// Anything else throws `CocoaError.coderReadCorrupt`.
  @_disfavoredOverload
  public static func unarchivedDictionary<
    Key: NSObject & NSCopying & NSSecureCoding, Object: NSObject & NSSecureCoding
  >(
    ofKeyClass keyClass: Key.Type, objectClass: Object.Type, from data: Data
  ) throws -> [Key: Object]? {
    guard let root = try root(of: data, [NSDictionary.self, keyClass, objectClass]) else { return nil }
    guard let dictionary = root as? NSDictionary else { throw refusal("it holds no dictionary") }
    var result: [Key: Object] = [:]
    for (key, value) in dictionary {
      result[try element(key, as: Key.self)] = try element(value, as: Object.self)
    }
    return result
  }

  /// The dictionary in an archive, whose keys and values are of some classes; nil for an archived nil.
  ///
  /// Anything else throws `CocoaError.coderReadCorrupt`.
  @_disfavoredOverload
  public static func unarchivedDictionary(
    keysOfClasses keyClasses: [AnyClass], objectsOfClasses objectClasses: [AnyClass], from data: Data
  ) throws -> [AnyHashable: Any]? {
    guard let root = try root(of: data, [NSDictionary.self] + keyClasses + objectClasses) else { return nil }
    guard let dictionary = root as? [AnyHashable: Any] else { throw refusal("it holds no dictionary") }
    for (key, value) in dictionary {
      _ = try element(key.base, of: keyClasses)
      _ = try element(value, of: objectClasses)
    }
    return dictionary
  }

  private static func root(of data: Data, _ allowed: [AnyClass]) throws -> Any? {
    do {
      return try UnarchivedObject.read(data, of: allowed)
    } catch let problem as UnarchivedObject.Refusal {
      throw refusal(problem.what)
    }
  }

  /// Foundation hands out texts, URLs and the like as Swift's values.
  private static func element<Object: NSObject>(_ element: Any, as type: Object.Type) throws -> Object {
    guard let object = element as? Object else { throw refusal("it holds an element that is no \(type)") }
    return object
  }

  private static func element(_ element: Any, of classes: [AnyClass]) throws -> Any {
    guard let object = element as? NSObject, classes.contains(where: { object.isKind(of: $0) }) else {
      throw refusal("it holds an element of another class")
    }
    return element
  }

  private static func refusal(_ what: String) -> CocoaError {
    CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: "The archive was not read: \(what)."])
  }
}
