import Foundation

/// Data to object by secure keyed archiving: only objects of the allowed classes come out.
///
/// The standard transformer of transformable attributes, used in reverse. For classes of your own, override
/// `allowedTopLevelClasses` and register an instance under a name.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
  /// The classes that an archive may hold. Default: the property list classes and a few more.
  open class var allowedTopLevelClasses: [AnyClass] {
    [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
      NSURL.self, NSUUID.self, NSNull.self,
    ]
  }

  /// `NSObject`: the result may be of any allowed class.
  open override class func transformedValueClass() -> AnyClass { NSObject.self }

  /// The object in the data, nil when it is nil, no archive, or of a class that is not allowed.
  open override func transformedValue(_ value: Any?) -> Any? {
    let allowed = type(of: self).allowedTopLevelClasses
    // Foundation's unarchiver ends the program, whatever its failure policy, on a class that is not
    // allowed. So look at the classes of the archive first.
    guard let data = value as? Data,
      archivedClasses(in: data).allSatisfy({ $0.isAllowed(among: allowed) }),
      let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data)
    else { return nil }
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = true
    defer { unarchiver.finishDecoding() }
    let object = unarchiver.decodeObject(of: allowed, forKey: NSKeyedArchiveRootObjectKey)
    return unarchiver.error == nil ? object : nil
  }

  /// The archive of an object, nil when it can't be archived securely.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    // The archiver ends the program on an object that can't be archived, so ask first.
    guard let value, let object = (value as AnyObject) as? NSSecureCoding else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }
}

/// A class as a keyed archive names it: its own name first, then those it descends from.
private struct ArchivedClass {
  var lineage: [String]

  func isAllowed(among allowed: [AnyClass]) -> Bool {
    allowed.contains { lineage.contains(NSStringFromClass($0)) }
  }
}

/// The classes of the objects in a keyed archive: the `$objects` that have a `$classname`. None when the
/// data is no archive, which the unarchiver then reports.
private func archivedClasses(in data: Data) -> [ArchivedClass] {
  guard
    let archive = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
    let objects = archive["$objects"] as? [Any]
  else { return [] }
  return objects.compactMap { object in
    guard let description = object as? [String: Any], let name = description["$classname"] as? String else {
      return nil
    }
    return ArchivedClass(lineage: [name] + (description["$classes"] as? [String] ?? []))
  }
}
