/// The types that entity classes use without declaring them: types of the standard library and of Foundation, with
/// their modules on Linux.
enum KnownTypes {
  /// Types of the standard library that have short forms in mangled names.
  static let standard: [String: String] = [
    "Int": "Si", "UInt": "Su", "Bool": "Sb", "Double": "Sd", "Float": "Sf", "String": "SS",
    "Character": "SJ", "Substring": "Ss",
  ]

  /// Generic types of the standard library with their short forms; their arguments stand in angle brackets.
  static let generic: [String: String] = [
    "Array": "Sa", "Dictionary": "SD", "Set": "Sh", "Optional": "Sq", "Range": "Sn", "ClosedRange": "SN",
  ]

  /// Foundation's generic types.
  static let foundationGeneric: [String: (module: String, kind: Character)] = ["Measurement": ("Foundation", "V")]

  static let aliases: [String: TypeSyntax] = [
    "TimeInterval": plain("Double"), "Float64": plain("Double"), "Float32": plain("Float"), "Void": .tuple([]),
    "NSRange": plain("_NSRange"), "NSPoint": plain("CGPoint"), "NSSize": plain("CGSize"), "NSRect": plain("CGRect"),
    "Notification.Name": .name(["NSNotification", "Name"], arguments: []),
  ]

  private static func plain(_ name: String) -> TypeSyntax { .name([name], arguments: []) }

  /// A name without the module in front of it: `Foundation.Date` is `Date`.
  static func withoutModule(_ path: [String]) -> [String] {
    path.count > 1 && systemModules.contains(path[0]) ? Array(path.dropFirst()) : path
  }

  private static let systemModules: Set<String> = ["Swift", "Foundation", "FoundationEssentials", "CoreData"]

  /// The module of a type, and the kinds of the types that it is nested in and its own; `P` is a protocol.
  static func nominal(_ path: [String]) -> (module: String, kinds: [Character])? {
    if path == ["NSNotification", "Name"] { return ("Foundation", ["C", "V"]) }
    guard path.count == 1 else { return nil }
    let name = path[0]
    if swiftStructs.contains(name) { return ("s", ["V"]) }
    if name == "Error" { return ("s", ["P"]) }
    if essentialsStructs.contains(name) { return ("FoundationEssentials", ["V"]) }
    if foundationStructs.contains(name) { return ("Foundation", ["V"]) }
    if foundationClasses.contains(name) { return ("Foundation", ["C"]) }
    if foundationProtocols.contains(name) { return ("Foundation", ["P"]) }
    if coreDataClasses.contains(name) { return ("CoreData", ["C"]) }
    return nil
  }

  private static let swiftStructs: Set<String> = [
    "Int8", "Int16", "Int32", "Int64", "Int128", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    "ObjectIdentifier", "AnyHashable", "Duration",
  ]

  private static let essentialsStructs: Set<String> = [
    "Date", "UUID", "URL", "Data", "Decimal", "Locale", "TimeZone", "Calendar", "DateComponents",
    "DateInterval", "IndexPath", "AttributedString", "URLComponents",
  ]

  private static let foundationStructs: Set<String> = [
    "CGFloat", "CGPoint", "CGSize", "CGRect", "IndexSet", "CharacterSet", "URLRequest", "Notification",
    "PersonNameComponents", "_NSRange", "AffineTransform",
  ]

  private static let foundationClasses: Set<String> = [
    "NSObject", "NSString", "NSMutableString", "NSNumber", "NSDecimalNumber", "NSValue", "NSDate", "NSData",
    "NSMutableData", "NSUUID", "NSURL", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet",
    "NSArray", "NSMutableArray", "NSDictionary", "NSMutableDictionary", "NSAttributedString",
    "NSMutableAttributedString", "NSIndexSet", "NSMutableIndexSet", "NSError", "NSLocale", "NSTimeZone",
    "NSNull", "NSCountedSet", "NSNotification", "NSPredicate", "NSCompoundPredicate", "NSComparisonPredicate",
    "NSExpression", "NSSortDescriptor", "NSMeasurement", "Unit", "Dimension", "UnitLength", "UnitMass",
    "UnitDuration", "UnitTemperature", "UnitSpeed", "UnitVolume", "UnitArea", "UnitEnergy", "UnitPower",
    "UnitPressure", "UnitAngle", "UnitAcceleration", "UnitConcentrationMass", "UnitDispersion",
    "UnitElectricCharge", "UnitElectricCurrent", "UnitElectricPotentialDifference", "UnitElectricResistance",
    "UnitFrequency", "UnitFuelEfficiency", "UnitIlluminance", "UnitInformationStorage", "NSDateComponents",
    "NSCalendar", "NSDateInterval", "NSPersonNameComponents", "NSURLComponents", "NSCharacterSet",
    "NSRegularExpression", "NSIndexPath", "NSAffineTransform",
  ]

  private static let foundationProtocols: Set<String> = ["NSCoding", "NSSecureCoding", "NSCopying", "NSObjectProtocol"]

  private static let coreDataClasses: Set<String> = ["NSManagedObject", "NSManagedObjectID"]
}
