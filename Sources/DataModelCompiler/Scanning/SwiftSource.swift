import DataModelFiles

/// The declarations of a Swift file that managed properties need.
struct SwiftSource {
  var fileName: String
  var path: String
  var imports: [Import] = []
  var types: [TypeDeclaration] = []
  var members: [ManagedMember] = []
  var ownMembers: [OwnMember] = []
  /// The types that are said to be `Identifiable`, as written.
  var identifiableTypes: Set<[String]> = []
  var problems: [SourceProblem] = []

  struct Import: Hashable {
    var module: String
    var isPublic: Bool
    var conditions: [String]
  }

  enum Access: Int, Comparable {
    case isPrivate, isFilePrivate, isInternal, isPackage, isPublic, isOpen
    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
  }

  struct TypeDeclaration {
    enum Kind {
      case classType, structType, enumType, protocolType
      case alias(TypeSyntax)
    }
    var kind: Kind
    /// The names of the types it is nested in, and its own.
    var path: [String]
    var access: Access
    var isGeneric: Bool
    /// For a class, the first type behind the colon: the superclass or a protocol.
    var inherited: [String] = []
    /// The attributes in front of it: `MainActor`, `objcMembers`.
    var attributes: Set<String> = []
    /// The conditions of the `#if`s around it.
    var conditions: [String] = []
    /// Where its name stands; 0 for an alias.
    var line = 0
    var column = 0
  }

  /// A member without `@NSManaged` that the stack asks for by its name.
  struct OwnMember {
    enum Kind {
      /// A property of an instance. One that is answered by code has a getter, or is lazy; a stored value is found
      /// without a name in code.
      case property(isAnsweredByCode: Bool)
      /// A method that key-value coding calls to check a value: `validateTitle(_:) throws` for the key `title`.
      case validator
      /// A method or property of a class that says what another property depends on:
      /// `keyPathsForValuesAffectingFullName()` for the key `fullName`.
      case dependency(isFunction: Bool)
    }
    var kind: Kind
    var name: String
    /// The type it belongs to, as written.
    var owner: [String]
    var access: Access
    /// The attributes in front of it: `MainActor`, `Published`.
    var attributes: Set<String>
    var conditions: [String]
    var line: Int
    var column: Int

    /// What stands in front of the key in the name.
    static let validatorPrefix = "validate"
    static let dependencyPrefix = "keyPathsForValuesAffecting"

    /// `title` and `Title`, for `validateTitle`.
    var keys: [String] {
      let prefix =
        switch kind {
        case .property: ""
        case .validator: OwnMember.validatorPrefix
        case .dependency: OwnMember.dependencyPrefix
        }
      return AccessorName.properties(name.dropFirst(prefix.count))
    }
  }

  /// A property or function with `@NSManaged`.
  struct ManagedMember {
    enum Kind {
      case property(TypeSyntax)
      /// Parameters as (label, type); a label of "_" means none.
      case function([(label: String, name: String, type: TypeSyntax)])
    }
    var kind: Kind
    var name: String
    /// The class it belongs to, as written: `Book`, `Outer.Book`.
    var owner: [String]
    var access: Access
    /// The conditions of the `#if`s around it.
    var conditions: [String]
    var line: Int
    var column: Int
  }
}

/// Something about the user's source, with its place, in the form of a compiler's diagnostic.
public struct SourceProblem: Hashable, Sendable, CustomStringConvertible {
  public var isError: Bool
  public var file: String
  public var line: Int
  public var column: Int
  public var message: String

  public var description: String {
    "\(file):\(line):\(column): \(isError ? "error" : "warning"): \(message)"
  }
}
