/// What a class itself has that is called by its name: accessors of transient attributes, such as a full name made of
/// two names, or the section of a date; and methods that validate a value.
///
/// Swift can't find a property or a method by its name at run time, so this writes an enumeration of them for each
/// class that declares some.
extension AccessorWriter {
  private struct Own {
    var accessors: [SwiftSource.OwnProperty] = []
    var validators: [SwiftSource.Validator] = []
  }

  mutating func writeOwnAccessors(_ sources: [SwiftSource], _ transients: [String: Set<String>]) {
    var found: [String: Own] = [:]
    for source in sources {
      for property in source.properties {
        guard let name = ownerName(property.owner), transients[name]?.contains(property.name) == true else { continue }
        if property.access <= .isFilePrivate {
          warn(
            "\(name).\(property.name) is the accessor of a transient attribute, and private, so value(forKey:) and "
              + "section names don't find it. Make it internal",
            in: source, property.line, property.column)
        } else {
          found[name, default: Own()].accessors.append(property)
        }
      }
      for validator in source.validators {
        guard let name = ownerName(validator.owner) else { continue }
        if validator.access <= .isFilePrivate {
          warn(
            "\(name).\(validator.name) is private, so validation doesn't find it. Make it internal",
            in: source, validator.line, validator.column)
        } else {
          found[name, default: Own()].validators.append(validator)
        }
      }
    }
    for (name, own) in found.sorted(by: { $0.key < $1.key }) { writeEnumeration(name, own) }
  }

  /// The full name of a class that generated code can name; nil for other types.
  private func ownerName(_ path: [String]) -> String? {
    guard let owner = types.ownType(path)?.declaration, owner.access > .isFilePrivate, !owner.isGeneric,
      case .classType = owner.kind
    else { return nil }
    return owner.path.joined(separator: ".")
  }

  private mutating func warn(_ message: String, in source: SwiftSource, _ line: Int, _ column: Int) {
    problems.append(SourceProblem(isError: false, file: source.path, line: line, column: column, message: message))
  }

  private mutating func writeEnumeration(_ owner: String, _ own: Own) {
    hasOwnAccessors = true
    let values = own.accessors.map { property in
      Self.guarded(
        "    if key == \"\(property.name)\" { return object.\(quoteIfKeyword(property.name)) }\n",
        by: property.conditions)
    }
    let validations = own.validators.map { validator in
      Self.guarded(
        "    if key == \"\(validator.key)\" { return try object.\(validator.name)(value) }\n", by: validator.conditions)
    }
    let object = "    let object = unsafeDowncast(object, to: \(owner).self)\n"
    addToBody(
      """

      nonisolated enum ManagedAccessorsOf\(owner.split(separator: ".").joined(separator: "_")): _ManagedAccessors {
        static var keys: [String] { \(Self.list(own.accessors.map(\.name))) }
        static func value(of object: NSManagedObject, forKey key: String) -> Any? {
      \(values.isEmpty ? "" : object)\(values.joined())    return nil
        }
        static var validatedKeys: [String] { \(Self.list(own.validators.map(\.key))) }
        static func validate(
          _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, of object: NSManagedObject, forKey key: String
        ) throws {
      \(validations.isEmpty ? "" : object)\(validations.joined())  }
      }

      """)
  }

  /// The same name may be in several branches of an `#if`.
  private static func list(_ names: [String]) -> String {
    "[\(Set(names).sorted().map { "\"\($0)\"" }.joined(separator: ", "))]"
  }
}
