import Foundation

/// Makes objects from data by secure keyed archiving. Only objects of the allowed classes are made.
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

  /// The object in the data. nil if the data is nil or not an archive, if it has an object of a class that is not
  /// allowed, or if objects contain each other in a circle or nest more than 1000 deep.
  open override func transformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    return try? UnarchivedObject.read(data, of: type(of: self).allowedTopLevelClasses)
  }

  /// The archive of an object; nil if it can't be archived securely.
  open override func reverseTransformedValue(_ value: Any?) -> Any? {
    // The archiver ends the program on an object that can't be archived, so ask first.
    guard let value, let object = (value as AnyObject) as? NSSecureCoding else { return nil }
    return ArchivedObject.data(object, isSecure: true)
  }
}
