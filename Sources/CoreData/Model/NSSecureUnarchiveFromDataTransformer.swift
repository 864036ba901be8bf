import Foundation

/// Data to object by secure keyed archiving: only objects of the allowed classes come out.
///
/// The standard transformer of transformable attributes, used in reverse. For classes of your own, override
/// `allowedTopLevelClasses` and register an instance under a name.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
  // @unchecked Sendable: as ValueTransformer.

  /// The classes that an archive may hold. Default: the property list classes and a few more.
  open class var allowedTopLevelClasses: [AnyClass] {
    [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
      NSURL.self, NSUUID.self, NSNull.self,
    ]
  }

  open override class func transformedValueClass() -> AnyClass { NSObject.self }

  /// The object in the data, nil when it is nil, no archive, or of a class that is not allowed.
  open override func transformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    return try? NSKeyedUnarchiver.unarchivedObject(
      ofClasses: type(of: self).allowedTopLevelClasses, from: data)
  }

  /// The archive of an object, nil when it can't be archived securely.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    value.flatMap { try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) }
  }
}
