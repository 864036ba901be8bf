/// What a class itself has that is called by its name: properties with a getter, such as a full name made of two names,
/// or the section of a date, be they accessors of transient attributes or outside the model; methods that validate
/// a value; and what properties say they depend on.
///
/// Swift can't find a property or a method by its name at run time, so this writes an enumeration of them for each
/// class. A class that declares none has an empty one: the runtime takes long to find out that there is none.
extension AccessorWriter {
  mutating func writeOwnAccessors(_ sources: [SwiftSource], _ transients: [String: Set<String>]) {
    var found: [String: AccessorEnumeration] = [:]
    for source in sources {
      for member in source.ownMembers {
        guard let name = ownerName(member.owner) else { continue }
        let isCallable = isCallable(member.attributes, in: member.owner)
        switch member.kind {
        case .property(let isAnsweredByCode):
          let isTransient = transients[name]?.contains(member.name) == true
          guard isTransient || isAnsweredByCode && isCallable && types.isManaged(member.owner) else { continue }
          if member.access > .isFilePrivate {
            found[name, default: AccessorEnumeration(of: name)].values.append(member)
          } else if isTransient {
            let use = "is the accessor of a transient attribute, and private, so value(forKey:) and section names don't"
            warnOfPrivate(member, of: name, use, in: source)
          }
        case .validator:
          if member.access > .isFilePrivate {
            found[name, default: AccessorEnumeration(of: name)].validations.append(member)
          } else {
            warnOfPrivate(member, of: name, "is private, so validation doesn't", in: source)
          }
        case .dependency:
          guard types.isManaged(member.owner) else { continue }
          if member.access <= .isFilePrivate {
            warnOfPrivate(member, of: name, "is private, so observers don't", in: source)
          } else if isCallable {
            found[name, default: AccessorEnumeration(of: name)].dependencies.append(member)
          }
        }
      }
    }
    if found.isEmpty { return }
    for path in types.ownClasses where types.isManaged(path) {
      if let name = ownerName(path), found[name] == nil { found[name] = AccessorEnumeration(of: name) }
    }
    let declarations = Dictionary(grouping: sources.flatMap(\.types)) { $0.path.joined(separator: ".") }
    for (name, own) in found.sorted(by: { $0.key < $1.key }) {
      let conditions = Self.conditions(ofAnyOf: declarations[name] ?? [])
      addToBody("\n" + Self.guarded(own.text, by: conditions))
      hasOwnAccessors = true
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
}
