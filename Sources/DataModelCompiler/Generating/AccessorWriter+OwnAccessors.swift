/// What a class itself has that is called by its name: properties with a getter, such as a full name made of two names,
/// or the section of a date, be they accessors of transient attributes or outside the model; methods that validate
/// a value; and what properties say they depend on.
///
/// Swift can't find a property or a method by its name at run time, so this writes an enumeration of them for each
/// class. A class that declares none has an empty one: the runtime takes long to find out that there is none.
extension AccessorWriter {
  private struct Own {
    var accessors: [SwiftSource.OwnMember] = []
    var validators: [SwiftSource.OwnMember] = []
    var dependencies: [SwiftSource.OwnMember] = []
  }

  mutating func writeOwnAccessors(_ sources: [SwiftSource], _ transients: [String: Set<String>]) {
    var found: [String: Own] = [:]
    for source in sources {
      for member in source.ownMembers {
        guard let name = ownerName(member.owner) else { continue }
        let isCallable = isCallable(member.attributes, in: member.owner)
        switch member.kind {
        case .property(let isAnsweredByCode):
          let isTransient = transients[name]?.contains(member.name) == true
          guard isTransient || isAnsweredByCode && isCallable && types.isManaged(member.owner) else { continue }
          if member.access > .isFilePrivate {
            found[name, default: Own()].accessors.append(member)
          } else if isTransient {
            let use = "is the accessor of a transient attribute, and private, so value(forKey:) and section names don't"
            warnOfPrivate(member, of: name, use, in: source)
          }
        case .validator:
          if member.access > .isFilePrivate {
            found[name, default: Own()].validators.append(member)
          } else {
            warnOfPrivate(member, of: name, "is private, so validation doesn't", in: source)
          }
        case .dependency:
          guard types.isManaged(member.owner) else { continue }
          if member.access <= .isFilePrivate {
            warnOfPrivate(member, of: name, "is private, so observers don't", in: source)
          } else if isCallable {
            found[name, default: Own()].dependencies.append(member)
          }
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

  /// - Parameter consequence: what of it, up to "find it".
  private mutating func warnOfPrivate(
    _ member: SwiftSource.OwnMember, of owner: String, _ consequence: String, in source: SwiftSource
  ) {
    problems.append(
      SourceProblem(
        isError: false, file: source.path, line: member.line, column: member.column,
        message: "\(owner).\(member.name) \(consequence) find it. Make it internal"))
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
        "    if key == \"\(validator.keys[0])\" { return try object.\(validator.name)(value) }\n",
        by: validator.conditions)
    }
    let dependencies = own.dependencies.map { dependency in
      let isFunction = if case .dependency(isFunction: true) = dependency.kind { true } else { false }
      let keys = dependency.keys.map { "key == \"\($0)\"" }.joined(separator: " || ")
      let call = "\(type).\(dependency.name)\(isFunction ? "()" : "")"
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
          static var validatedKeys: [String] { \(Self.list(own.validators.map { $0.keys[0] })) }
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
