/// The types that entity classes use without declaring them: types of the standard library and of Foundation, with
/// their modules on Linux.
enum KnownTypes {
  /// Types of the standard library that have short forms in mangled names.
  static let standard: [String: String] = [
    "Int": "Si", "UInt": "Su", "Bool": "Sb", "Double": "Sd", "Float": "Sf", "String": "SS",
    "Character": "SJ", "Substring": "Ss",
  ]

  /// Generic types of the standard library with their short forms; their arguments stand in angle brackets.
  static let generic: [String: String] = ["Array": "Sa", "Dictionary": "SD", "Set": "Sh", "Optional": "Sq"]

  static let aliases: [String: TypeSyntax] = [
    "TimeInterval": .name(["Double"], arguments: []), "Float64": .name(["Double"], arguments: []),
    "Float32": .name(["Float"], arguments: []), "Void": .tuple([]),
  ]

  static func nominal(_ name: String) -> (module: String, kind: Character)? {
    if swiftStructs.contains(name) { return ("s", "V") }
    if essentialsStructs.contains(name) { return ("FoundationEssentials", "V") }
    if foundationStructs.contains(name) { return ("Foundation", "V") }
    if foundationClasses.contains(name) { return ("Foundation", "C") }
    if coreDataClasses.contains(name) { return ("CoreData", "C") }
    return nil
  }

  private static let swiftStructs: Set<String> = [
    "Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    "ObjectIdentifier",
  ]

  private static let essentialsStructs: Set<String> = [
    "Date", "UUID", "URL", "Data", "Decimal", "Locale", "TimeZone", "Calendar", "DateComponents",
    "DateInterval", "IndexPath",
  ]

  private static let foundationStructs: Set<String> = [
    "CGFloat", "CGPoint", "CGSize", "CGRect", "IndexSet", "CharacterSet", "URLRequest", "Notification",
    "Measurement", "PersonNameComponents",
  ]

  private static let foundationClasses: Set<String> = [
    "NSObject", "NSString", "NSMutableString", "NSNumber", "NSDecimalNumber", "NSValue", "NSDate", "NSData",
    "NSMutableData", "NSUUID", "NSURL", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet",
    "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSAttributedString",
    "NSMutableAttributedString", "NSIndexSet", "NSMutableIndexSet", "NSError", "NSLocale", "NSTimeZone",
    "NSNull", "NSCountedSet",
  ]

  private static let coreDataClasses: Set<String> = ["NSManagedObject", "NSManagedObjectID"]
}
