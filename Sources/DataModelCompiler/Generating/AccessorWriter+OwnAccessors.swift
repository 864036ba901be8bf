/// What a class itself has that is called by its name: properties with a getter, such as a full name made of two names,
/// or the section of a date, be they accessors of transient attributes or outside the model; methods that validate
/// a value; and what properties say they depend on.
///
/// Swift can't find a property or a method by its name at run time, so this writes an enumeration of them for each
/// class. A class that declares none has an empty one: the runtime takes long to find out that there is none.
extension AccessorWriter {
  private struct Own {
    var accessors: [SwiftSource.OwnProperty] = []
    var validators: [SwiftSource.Validator] = []
    var dependencies: [SwiftSource.Dependency] = []
  }

  mutating func writeOwnAccessors(_ sources: [SwiftSource], _ transients: [String: Set<String>]) {
    var found: [String: Own] = [:]
    for source in sources {
      for property in source.properties {
        guard let name = ownerName(property.owner) else { continue }
        let isTransient = transients[name]?.contains(property.name) == true
        let isAsked = property.isAnsweredByCode && isCallable(property.attributes, in: property.owner)
        guard isTransient || isAsked && types.isManaged(property.owner) else { continue }
        if property.access <= .isFilePrivate {
          if !isTransient { continue }
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
      for dependency in source.dependencies {
        guard let name = ownerName(dependency.owner), types.isManaged(dependency.owner) else { continue }
        if dependency.access <= .isFilePrivate {
          warn(
            "\(name).\(dependency.name) is private, so observers don't find it. Make it internal",
            in: source, dependency.line, dependency.column)
        } else if isCallable(dependency.attributes, in: dependency.owner) {
          found[name, default: Own()].dependencies.append(dependency)
        }
      }
    }
    if found.isEmpty { return }
    for path in types.ownClasses where types.isManaged(path) {
      if let name = ownerName(path), found[name] == nil { found[name] = Own() }
    }
    let declarations = Dictionary(grouping: sources.flatMap(\.types)) { $0.path.joined(separator: ".") }
    for (name, own) in found.sorted(by: { $0.key < $1.key }) {
      writeEnumeration(name, own, conditions: Self.conditions(ofAnyOf: declarations[name] ?? []))
    }
  }

  /// The conditions under which a class is there, which may be declared in several branches of an `#if`.
  private static func conditions(ofAnyOf declarations: [SwiftSource.TypeDeclaration]) -> [String] {
    guard declarations.count > 1 else { return declarations.first?.conditions ?? [] }
    if declarations.contains(where: \.conditions.isEmpty) { return [] }
    let branches = declarations.map { "(" + $0.conditions.map { "(\($0))" }.joined(separator: " && ") + ")" }
    return [branches.joined(separator: " || ")]
  }

  /// Whether generated code can ask for a member with the attributes `own`. Another one, of the member, its class, a
  /// superclass or a type around it, may be another actor's, or say that it is not available; `@nonobjc` takes a
  /// property out of key-value coding on Apple's systems.
  private func isCallable(_ own: Set<String>, in owner: [String]) -> Bool {
    let classes = types.ancestry(of: owner).map { $0.split(separator: ".").map(String.init) }
    let attributes = (classes + outerTypes(of: owner)).flatMap { types.ownType($0)?.declaration.attributes ?? [] }
    return own.isSubset(of: ["objc", "MainActor", "inlinable", "inline", "usableFromInline"])
      && Set(attributes).isSubset(of: ["objc", "objcMembers", "MainActor", "dynamicMemberLookup"])
  }

  private func outerTypes(of path: [String]) -> [[String]] { path.indices.dropFirst().map { Array(path.prefix($0)) } }

  /// The full name of a class that generated code can name; nil for other types.
  private func ownerName(_ path: [String]) -> String? {
    guard let owner = types.ownType(path)?.declaration, case .classType = owner.kind, !types.isHidden(path),
      !(outerTypes(of: path) + [path]).contains(where: { types.ownType($0)?.declaration.isGeneric == true })
    else { return nil }
    return owner.path.joined(separator: ".")
  }

  private mutating func warn(_ message: String, in source: SwiftSource, _ line: Int, _ column: Int) {
    problems.append(SourceProblem(isError: false, file: source.path, line: line, column: column, message: message))
  }

  private mutating func writeEnumeration(_ owner: String, _ own: Own, conditions: [String]) {
    hasOwnAccessors = true
    let type = owner.split(separator: ".").map { quoteIfKeyword(String($0)) }.joined(separator: ".")
    let values = own.accessors.map { property in
      Self.guarded(
        "    if key == \"\(property.name)\" { return object.\(quoteIfKeyword(property.name)) as Any? }\n",
        by: property.conditions)
    }
    let validations = own.validators.map { validator in
      Self.guarded(
        "    if key == \"\(validator.key)\" { return try object.\(validator.name)(value) }\n", by: validator.conditions)
    }
    let dependencies = own.dependencies.map { dependency in
      let keys = dependency.keys.map { "key == \"\($0)\"" }.joined(separator: " || ")
      let call = "\(type).\(dependency.name)\(dependency.isFunction ? "()" : "")"
      return Self.guarded("    if \(keys) { return \(call) }\n", by: dependency.conditions)
    }
    let name = "ManagedAccessorsOf\(owner.split(separator: ".").joined(separator: "_"))"
    let object = "    let object = unsafeDowncast(object, to: \(type).self)"
    var text = "nonisolated enum \(name): _ManagedAccessors {\n"
    if !values.isEmpty {
      text += """
          static var keys: [String] { \(Self.list(own.accessors.map(\.name))) }
          static func value(of object: NSManagedObject, forKey key: String) -> Any? {
            unsafeBitCast(answer, to: ((NSManagedObject, String) -> Any?).self)(object, key)
          }
          // What belongs to the main actor is asked for on any queue, as through Objective-C.
          @MainActor private static func answer(of object: NSManagedObject, forKey key: String) -> Any? {
        \(object)
        \(values.joined())    return nil
          }

        """
    }
    if !validations.isEmpty {
      text += """
          static var validatedKeys: [String] { \(Self.list(own.validators.map(\.key))) }
          static func validate(
            _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, of object: NSManagedObject, forKey key: String
          ) throws {
        \(object)
        \(validations.joined())  }

        """
    }
    if !dependencies.isEmpty {
      text += """
          static func keyPaths(affecting key: String) -> Set<String>? {
            unsafeBitCast(dependencies, to: ((String) -> Set<String>?).self)(key)
          }
          @MainActor private static func dependencies(of key: String) -> Set<String>? {
        \(dependencies.joined())    return nil
          }

        """
    }
    text += "}\n"
    addToBody("\n" + Self.guarded(text, by: conditions))
  }

  /// The same name may be in several branches of an `#if`.
  private static func list(_ names: [String]) -> String {
    "[\(Set(names).sorted().map { "\"\($0)\"" }.joined(separator: ", "))]"
  }
}
