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
    type = quoteKeywords(inPath: owner)
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
    return Self.list("keys", values.map { ($0.name, conditions: $0.conditions) }) + """
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
    return Self.list("validatedKeys", validations.map { ($0.keys[0], conditions: $0.conditions) }) + """
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

  /// A property that lists names. A name that is only in branches of an `#if` that are not compiled must not be there:
  /// nothing would answer for it, not even what the entity or a superclass has.
  private static func list(_ property: String, _ names: [(String, conditions: [String])]) -> String {
    let always = Set(names.lazy.filter { $0.conditions.isEmpty }.map { "\"\($0.0)\"" }).sorted().joined(separator: ", ")
    let others = names.filter { !$0.conditions.isEmpty }
    if others.isEmpty { return "  static var \(property): [String] { [\(always)] }\n" }
    let additions = others.map { AccessorWriter.guarded("    names.append(\"\($0.0)\")\n", by: $0.conditions) }
    return """
        static var \(property): [String] {
          var names: [String] = []
          names.append(contentsOf: [\(always)] as [String])
      \(additions.joined())    return names
        }

      """
  }
}
