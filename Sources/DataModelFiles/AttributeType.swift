import Foundation

extension DataModel {
  /// The type of an attribute, as model files know it. Raw values as in `NSAttributeType`, in compiled models and in
  /// version hashes.
  ///
  /// Two tables describe the types, with a row for each: `facts` here, for models and the code generated from them, and
  /// `SlotKind.facts` of the module `CoreData`, for rows and stores. All other code asks these tables, or switches over
  /// properties that many types share: the notation of constants, the form of values in a row. No switch over types has
  /// a `default`, so if you add a case, the compiler shows you every place to change.
  public enum AttributeType: UInt32, Sendable, CaseIterable {
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100

    private var facts: Facts {
      switch self {
      case .undefined: Facts("Undefined", .none)
      case .integer16:
        Facts(
          "Integer 16", .integer(bits: 16), class: "NSNumber", scalar: "Int16",
          widensTo: [.integer32, .integer64, .float, .double])
      case .integer32:
        Facts(
          "Integer 32", .integer(bits: 32), class: "NSNumber", scalar: "Int32", widensTo: [.integer64, .double])
      // It becomes the nearest Double, as applications have had it.
      case .integer64:
        Facts("Integer 64", .integer(bits: 64), class: "NSNumber", scalar: "Int64", widensTo: [.double])
      case .decimal: Facts("Decimal", .decimal, class: "NSDecimalNumber")
      case .double: Facts("Double", .real, class: "NSNumber", scalar: "Double")
      case .float: Facts("Float", .real, class: "NSNumber", scalar: "Float", widensTo: [.double])
      case .string: Facts("String", .text, class: "NSString", swift: "String")
      case .boolean:
        Facts(
          "Boolean", .boolean, class: "NSNumber", scalar: "Bool", widensTo: [.integer16, .integer32, .integer64])
      case .date: Facts("Date", .date, class: "NSDate", swift: "Date", scalar: "TimeInterval")
      case .binary: Facts("Binary", .none, class: "NSData", swift: "Data")
      case .uuid: Facts("UUID", .uuid, class: "NSUUID", swift: "UUID")
      case .uri: Facts("URI", .uri, class: "NSURL", swift: "URL")
      case .transformable: Facts("Transformable", .none)
      case .objectID: Facts("Object ID", .none, swift: "NSManagedObjectID")
      case .composite: Facts("Composite", .none, class: "NSDictionary", swift: "[String: Any]")
      }
    }

    /// How the constants of a model, defaults and limits, stand for values of a type.
    public enum Notation: Equatable, Sendable {
      case integer(bits: Int)
      case real, decimal, boolean, text, uuid, uri
      /// Seconds since 2001-01-01 00:00 UTC.
      case date
      /// A model has no constants of the type.
      case none
    }

    private struct Facts {
      let editorName: String
      let notation: Notation
      let valueClassName: String?
      let swiftName: String?
      let scalarName: String?
      let wider: [AttributeType]

      init(
        _ editorName: String, _ notation: Notation, class valueClassName: String? = nil, swift swiftName: String? = nil,
        scalar scalarName: String? = nil, widensTo wider: [AttributeType] = []
      ) {
        self.editorName = editorName
        self.notation = notation
        self.valueClassName = valueClassName
        self.swiftName = swiftName ?? valueClassName
        self.scalarName = scalarName
        self.wider = wider
      }
    }

    /// The name the editor writes, `Integer 16`.
    public var editorName: String { facts.editorName }

    public init?(editorName: String) {
      guard let type = Self.allCases.first(where: { $0.editorName == editorName }) else { return nil }
      self = type
    }

    public var notation: Notation { facts.notation }

    /// `NSAttributeDescription.attributeValueClassName`; nil where the model must say it.
    public var valueClassName: String? { facts.valueClassName }

    /// The type of a generated property, without the sign of an optional; nil where the model must say it.
    public var swiftName: String? { facts.swiftName }

    /// The type of a generated property that uses a scalar; nil where there is none.
    public var scalarName: String? { facts.scalarName }

    public var isInteger: Bool {
      if case .integer = notation { true } else { false }
    }

    /// Whether each value of this type is one of the other, larger numeric type. Decimal is no such type.
    public func widens(to other: AttributeType) -> Bool { facts.wider.contains(other) }
  }
}
