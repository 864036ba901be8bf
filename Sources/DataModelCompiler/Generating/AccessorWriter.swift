/// Writes the functions that stand behind `@NSManaged` declarations.
///
/// The compiler accepts `@NSManaged` without Objective-C and leaves the accessors undefined; these functions
/// have their symbols. Each word of their form is needed:
/// - `dynamic`, because `@NSManaged` implies it, and other modules' optimised code relies on it;
/// - `public`, whatever the property's own access, so that the linkage is that of a call from anywhere; only
///   where a type is not public itself does the function go without;
/// - `__owned` on a setter's value, because setters take ownership. Functions are declared without.
struct AccessorWriter {
  private let types: TypeIndex
  private var keys: [String] = []
  private var body = ""
  private(set) var problems: [SourceProblem] = []
  private var count = 0

  /// The file that defines the members of `sources`, or one without definitions when there are none.
  static func write(
    _ sources: [SwiftSource], types: TypeIndex
  ) -> (text: String, problems: [SourceProblem]) {
    var writer = AccessorWriter(types: types)
    for source in sources {
      for (owner, members) in groups(of: source.members) {
        writer.write(members, of: owner, in: source)
      }
    }
    return (writer.file(imports: sources.flatMap(\.imports)), writer.problems)
  }

  private init(types: TypeIndex) { self.types = types }

  private static func groups(
    of members: [SwiftSource.ManagedMember]
  ) -> [(owner: [String], members: [SwiftSource.ManagedMember])] {
    var groups: [(owner: [String], members: [SwiftSource.ManagedMember])] = []
    for member in members {
      if groups.last?.owner == member.owner {
        groups[groups.count - 1].members.append(member)
      } else {
        groups.append((member.owner, [member]))
      }
    }
    return groups
  }

  private func file(imports: [SwiftSource.Import]) -> String {
    var text = "// Generated from the @NSManaged declarations of this target. Do not edit.\n\n"
    guard count > 0 else { return text }
    text += "import CoreData\n"
    var modules: [String: SwiftSource.Import] = [:]
    for item in imports where item.module != "CoreData" {
      // An import without a condition, or a public one, covers the others.
      let known = modules[item.module]
      if known == nil || item.conditions.isEmpty || item.isPublic { modules[item.module] = item }
    }
    for (module, item) in modules.sorted(by: { $0.key < $1.key }) {
      let line = (item.isPublic ? "public " : "") + "import \(module)\n"
      text += Self.guarded(line, by: item.conditions)
    }
    text += "\n"
    for key in Set(keys).sorted() { text += "private let _key_\(key) = ManagedKey(\"\(key)\")\n" }
    return text + body
  }

  private static func guarded(_ text: String, by conditions: [String]) -> String {
    conditions.isEmpty
      ? text : "#if \(conditions.map { "(\($0))" }.joined(separator: " && "))\n\(text)#endif\n"
  }

  private mutating func write(
    _ members: [SwiftSource.ManagedMember], of owner: [String], in source: SwiftSource
  ) {
    var text = ""
    for member in members {
      do {
        text += Self.guarded(try definition(of: member, in: source), by: member.conditions)
        count += 1
      } catch {
        let reason = (error as? Mangler.Failure)?.reason ?? "\(error)"
        problems.append(
          SourceProblem(
            isError: false, file: source.path, line: member.line, column: member.column,
            message: "@NSManaged \(member.name) gets no accessor, and linking will fail: \(reason)"))
      }
    }
    if !text.isEmpty {
      body += "\nextension \(owner.map(quoteIfKeyword).joined(separator: ".")) {\n\(text)}\n"
    }
  }

  private mutating func definition(
    of member: SwiftSource.ManagedMember, in source: SwiftSource
  ) throws -> String {
    let isPrivate = member.access <= .isFilePrivate
    let discriminator =
      isPrivate ? Mangler.discriminator(module: types.module, fileName: source.fileName) : nil
    // Two classes of one family may have private members of the same name.
    let suffix = isPrivate ? "_\(member.owner.joined(separator: "_"))" : ""
    switch member.kind {
    case .property(let type):
      let symbols = try Mangler.property(
        member.name, type: type, of: member.owner, discriminator: discriminator, types: types)
      keys.append(member.name)
      let access = symbols.leastAccess < .isPublic ? "" : "public "
      let name = member.name + suffix
      let key = "_key_\(member.name)"
      let written = types.qualified(type, in: member.owner).text
      return """
          @_silgen_name("\(symbols.getter)") \(access)dynamic final func _get_\(name)() -> \(written) \
        { managedValue(\(key)) }
          @_silgen_name("\(symbols.setter)") \(access)dynamic final func _set_\(name)(_ value: __owned \
        \(written)) { setManagedValue(value, \(key)) }

        """
    case .function(let parameters):
      let symbol = try Mangler.function(
        member.name, parameters: parameters.map { ($0.label, $0.type) }, of: member.owner,
        discriminator: discriminator, types: types)
      guard let call = ManagedCall(name: member.name, parameters: parameters) else {
        throw Mangler.Failure(
          reason: "its name or parameters are not those of a generated accessor "
            + "(addToX, removeFromX, insertIntoX, replaceX)")
      }
      keys.append(call.key)
      let access = symbol.leastAccess < .isPublic ? "" : "public "
      let list = parameters.enumerated().map {
        "_ p\($0.offset): \(types.qualified($0.element.type, in: member.owner).text)"
      }
      return """
          @_silgen_name("\(symbol.symbol)") \(access)dynamic final func _call_\(count)_\(member.name)\
        (\(list.joined(separator: ", "))) { \(call.text) }

        """
    }
  }
}

/// The call that a generated to-many accessor makes: by the shape of its name and parameters, as in Xcode's
/// generated code. The first letter of the property's name is small again.
struct ManagedCall {
  var key: String
  var text: String

  init?(name: String, parameters: [(label: String, name: String, type: TypeSyntax)]) {
    let labels = parameters.map(\.label)
    let stem: Substring
    let function: String
    switch labels {
    case ["_"] where name.hasPrefix("addTo"):
      stem = name.dropFirst(5)
      function = Self.isCollection(parameters[0].type) ? "addManagedMembers(p0, " : "addManagedMember(p0, "
    case ["_"] where name.hasPrefix("removeFrom"):
      stem = name.dropFirst(10)
      function =
        Self.isCollection(parameters[0].type) ? "removeManagedMembers(p0, " : "removeManagedMember(p0, "
    case ["at"] where name.hasPrefix("removeFrom"):
      stem = name.dropFirst(10)
      function =
        Self.isIndexes(parameters[0].type) ? "removeManagedMembers(at: p0, " : "removeManagedMember(at: p0, "
    case ["_", "at"] where name.hasPrefix("insertInto"):
      stem = name.dropFirst(10)
      function =
        Self.isIndexes(parameters[1].type)
        ? "insertManagedMembers(p0, at: p1, " : "insertManagedMember(p0, at: p1, "
    case ["at", "with"] where name.hasPrefix("replace"):
      stem = name.dropFirst(7)
      function =
        Self.isIndexes(parameters[0].type)
        ? "replaceManagedMembers(at: p0, with: p1, " : "replaceManagedMember(at: p0, with: p1, "
    default: return nil
    }
    guard let first = stem.first else { return nil }
    key = first.lowercased() + stem.dropFirst()
    text = function + "_key_\(key))"
  }

  private static func isCollection(_ type: TypeSyntax) -> Bool {
    switch type {
    case .array: true
    case .optional(let wrapped): isCollection(wrapped)
    case .name(let path, _):
      ["NSSet", "NSOrderedSet", "NSMutableSet", "NSMutableOrderedSet", "NSArray", "Set", "Array"]
        .contains(path[path.count - 1])
    default: false
    }
  }

  private static func isIndexes(_ type: TypeSyntax) -> Bool {
    if case .name(let path, _) = type { return ["NSIndexSet", "IndexSet"].contains(path[path.count - 1]) }
    return false
  }
}
