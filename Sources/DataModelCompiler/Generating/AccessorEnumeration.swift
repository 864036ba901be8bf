/// The enumeration that is written for a class: what of it can be called by its name at run time.
struct AccessorEnumeration {
  /// The full name of the class.
  private let owner: String
  /// The class as it is written in code.
  private let type: String
  var values: [SwiftSource.OwnMember] = []
  var validations: [SwiftSource.OwnMember] = []
  var dependencies: [SwiftSource.OwnMember] = []

  init(of owner: String) {
    self.owner = owner
    type = owner.split(separator: ".").map { quoteIfKeyword(String($0)) }.joined(separator: ".")
  }

  var text: String {
    let name = "ManagedAccessorsOf\(owner.split(separator: ".").joined(separator: "_"))"
    return "nonisolated enum \(name): _ManagedAccessors {\n\(textOfValues)\(textOfValidations)\(textOfDependencies)}\n"
  }

  private var textOfValues: String {
    if values.isEmpty { return "" }
    let branches = values.map { property in
      branch(for: property, [property.name], "object.\(quoteIfKeyword(property.name)) as Any?")
    }
    return """
        static var keys: [String] { \(Self.list(values.map(\.name))) }
        static func value(of object: NSManagedObject, forKey key: String) -> Any? {
          unsafeBitCast(answer, to: ((NSManagedObject, String) -> Any?).self)(object, key)
        }
        // What belongs to the main actor is asked for on any queue, as through Objective-C.
        @MainActor private static func answer(of object: NSManagedObject, forKey key: String) -> Any? {
      \(object)
      \(branches.joined())    return nil
        }

      """
  }

  private var textOfValidations: String {
    if validations.isEmpty { return "" }
    let branches = validations.map { validator in
      branch(for: validator, [validator.keys[0]], "try object.\(validator.name)(value)")
    }
    return """
        static var validatedKeys: [String] { \(Self.list(validations.map { $0.keys[0] })) }
        static func validate(
          _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, of object: NSManagedObject, forKey key: String
        ) throws {
      \(object)
      \(branches.joined())  }

      """
  }

  private var textOfDependencies: String {
    if dependencies.isEmpty { return "" }
    let branches = dependencies.map { dependency in
      let isFunction = if case .dependency(isFunction: true) = dependency.kind { true } else { false }
      return branch(for: dependency, dependency.keys, "\(type).\(dependency.name)\(isFunction ? "()" : "")")
    }
    return """
        static func keyPaths(affecting key: String) -> Set<String>? {
          unsafeBitCast(dependencies, to: ((String) -> Set<String>?).self)(key)
        }
        @MainActor private static func dependencies(of key: String) -> Set<String>? {
      \(branches.joined())    return nil
        }

      """
  }

  /// The line that answers for a member, where the key is one of these.
  private func branch(for member: SwiftSource.OwnMember, _ keys: [String], _ answer: String) -> String {
    let condition = keys.map { "key == \"\($0)\"" }.joined(separator: " || ")
    return AccessorWriter.guarded("    if \(condition) { return \(answer) }\n", by: member.conditions)
  }

  private var object: String { "    let object = unsafeDowncast(object, to: \(type).self)" }

  /// The same name may be in several branches of an `#if`.
  private static func list(_ names: [String]) -> String {
    "[\(Set(names).sorted().map { "\"\($0)\"" }.joined(separator: ", "))]"
  }
}
