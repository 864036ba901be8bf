/// Writes the functions that stand behind `@NSManaged` declarations.
///
/// The compiler accepts `@NSManaged` without Objective-C and leaves the accessors undefined; these functions
/// have their symbols. Each word of their form is needed:
/// - `dynamic`, because `@NSManaged` implies it, and other modules' optimized code relies on it;
/// - `public`, whatever the property's own access, so that it links from anywhere; only a function with a type that
///   is not public goes without;
/// - `__owned` on a setter's value, because setters take ownership. Functions are declared without.
struct AccessorWriter {
  let types: TypeIndex
  private let relationships: [String: Set<String>]
  private var keys: [String] = []
  private var body = ""
  var problems: [SourceProblem] = []
  /// Whether there are accessors and methods that are called by their names.
  var hasOwnAccessors = false
  private var count = 0

  /// The file that defines the members of `sources`, or one without definitions when there are none.
  ///
  /// - Parameters:
  ///   - transients: the transient attributes of the classes that have some, by class.
  ///   - relationships: the relationships of the classes that have some, by class.
  ///   - untestedSwift: the first version of Swift for which the file has a warning.
  static func write(
    _ sources: [SwiftSource], types: TypeIndex, transients: [String: Set<String>],
    relationships: [String: Set<String>], untestedSwift: String
  ) -> (text: String, problems: [SourceProblem]) {
    var writer = AccessorWriter(types: types, relationships: relationships)
    for source in sources {
      let seen = types.seen(from: source.fileName)
      for (owner, members) in groups(of: source.members) {
        writer.write(members, of: owner, in: source, types: seen)
      }
    }
    writer.writeOwnAccessors(sources, transients)
    return (writer.file(imports: sources.flatMap(\.imports), untestedSwift), writer.problems)
  }

  private init(types: TypeIndex, relationships: [String: Set<String>]) {
    (self.types, self.relationships) = (types, relationships)
  }

  mutating func addToBody(_ text: String) { body += text }

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

  private func file(imports: [SwiftSource.Import], _ untestedSwift: String) -> String {
    var text = "// Generated from the @NSManaged declarations of this target. Do not edit.\n\n"
    guard count > 0 || !body.isEmpty else { return text }
    if count > 0 { text += Self.warning(for: untestedSwift) }
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
    text += registration
    for key in Set(keys).sorted() { text += "nonisolated private let _key_\(key) = ManagedKey(\"\(key)\")\n" }
    return text + body
  }

  /// Code that makes newer compilers warn. Another version of Swift may give the symbols other names. The linker would
  /// then only list them as undefined; the compiler's warning says what to do.
  private static func warning(for version: String) -> String {
    """
    #if compiler(>=\(version))
    #warning("The accessors of @NSManaged properties have not been tested with Swift \(version) or newer. If linking fails \
    with undefined references to properties of your entity classes, use a newer version of Strata or an older Swift.")
    #endif


    """
  }

  /// Lets entities that name a class without its module find it: a function that the loader calls before `main`.
  private var registration: String {
    let arguments = "\"\(types.module)\"" + (hasOwnAccessors ? ", hasOwnAccessors: true" : "")
    return """
      #if compiler(>=6.3) && os(Linux)
      @section(".init_array") @used
      nonisolated private let _notesModule: @convention(c) () -> Void = { _ManagedModules.note(\(arguments)) }
      #endif


      """
  }

  /// A declared member, and what its symbols depend on besides.
  private struct Member {
    let declared: SwiftSource.ManagedMember
    /// The types as the member's file sees them.
    let types: TypeIndex
    /// Whether its class is private.
    let isHidden: Bool
    /// What distinguishes a private name from those of other files. Within a private class no other name carries it.
    let discriminator: String?

    init(_ member: SwiftSource.ManagedMember, in source: SwiftSource, _ types: TypeIndex) {
      (declared, self.types) = (member, types)
      isHidden = types.isHidden(member.owner)
      let isPrivate = member.access <= .isFilePrivate
      discriminator =
        isPrivate && !isHidden ? Mangler.discriminator(module: types.module, fileName: source.fileName) : nil
    }
  }

  static func guarded(_ text: String, by conditions: [String]) -> String {
    conditions.isEmpty
      ? text : "#if \(conditions.map { "(\($0))" }.joined(separator: " && "))\n\(text)#endif\n"
  }

  private mutating func write(
    _ members: [SwiftSource.ManagedMember], of owner: [String], in source: SwiftSource, types: TypeIndex
  ) {
    var text = ""
    for member in members {
      do {
        text += Self.guarded(try definition(of: Member(member, in: source, types)), by: member.conditions)
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
      // A private class can't be named here. Its superclass can, and has the same form.
      let extended = types.isHidden(owner) ? ["NSManagedObject"] : owner.map(quoteIfKeyword)
      body += "\nnonisolated extension \(extended.joined(separator: ".")) {\n\(text)}\n"
    }
  }

  /// The function that reads a primitive relationship declared as a mutable set; nil for other types.
  private static func mutableMembers(_ type: TypeSyntax) -> String? {
    switch type {
    case .optional(let wrapped): return mutableMembers(wrapped)
    case .name(let path, _):
      switch path[path.count - 1] {
      case "NSMutableSet": return "primitiveMembers"
      case "NSMutableOrderedSet": return "primitiveOrderedMembers"
      default: return nil
      }
    case .array, .dictionary, .tuple, .other: return nil
    }
  }

  private mutating func definition(of member: Member) throws -> String {
    switch member.declared.kind {
    case .property(let type): try property(member, type)
    case .function(let parameters): try function(member, parameters)
    }
  }

  /// The getter and the setter of a property.
  private mutating func property(_ member: Member, _ type: TypeSyntax) throws -> String {
    let (declared, types) = (member.declared, member.types)
    let symbols = try Mangler.property(
      declared.name, type: type, of: declared.owner, discriminator: member.discriminator, types: types)
    keys.append(declared.name)
    let key = "_key_\(declared.name)"
    let get: String
    let set: String
    if let primitive = PrimitiveName.properties(of: declared.name).first {
      keys.append(primitive)
      let read = Self.mutableMembers(type) ?? "managedValue"
      get = "\(read)(primitiveKey(\(key), of: _key_\(primitive)))"
      set = "setPrimitiveManagedValue(value, \(key), of: _key_\(primitive)) { setManagedValue($0, $1) }"
    } else {
      get = "managedValue(\(key))"
      set = "setManagedValue(value, \(key))"
    }
    let access = symbols.leastAccess < .isPublic ? "" : "public "
    // A class and its subclass may declare members of one name, and two files may declare classes of one name.
    let name = declared.name + (member.isHidden ? "_\(count)" : "_\(declared.owner.joined(separator: "_"))")
    let written = types.qualified(type, in: declared.owner).text
    return """
        @_silgen_name("\(symbols.getter)") \(access)dynamic final func _get_\(name)() -> \(written) { \(get) }
        @_silgen_name("\(symbols.setter)") \(access)dynamic final func _set_\(name)(_ value: __owned \
      \(written)) { \(set) }

      """
  }

  /// The function behind a method that adds, removes or replaces members.
  private mutating func function(
    _ member: Member, _ parameters: [(label: String, name: String, type: TypeSyntax)]
  ) throws -> String {
    let (declared, types) = (member.declared, member.types)
    let symbol = try Mangler.function(
      declared.name, parameters: parameters.map { ($0.label, $0.type) }, of: declared.owner,
      discriminator: member.discriminator, types: types)
    guard let call = ManagedCall(name: declared.name, parameters: parameters) else {
      throw Mangler.Failure(
        reason: "its name or its parameters don't fit any accessor that Core Data makes: addToX, removeFromX, "
          + "insertIntoX(_:at:), removeFromX(at:), replaceX(at:with:); addXObject, removeXObject, addX, removeX; "
          + "insertObject(_:inXAtIndex:) and its kin")
    }
    let owner = types.ownType(declared.owner)?.declaration.path.joined(separator: ".") ?? ""
    // Where no model of the module tells, the property's name begins with a small letter.
    let key = call.keys.first { relationships[owner]?.contains($0) == true } ?? call.keys[0]
    keys.append(key)
    let access = symbol.leastAccess < .isPublic ? "" : "public "
    let list = parameters.enumerated().map {
      "_ p\($0.offset): \(types.qualified($0.element.type, in: declared.owner).text)"
    }
    return """
        @_silgen_name("\(symbol.symbol)") \(access)dynamic final func _call_\(count)_\(declared.name)\
      (\(list.joined(separator: ", "))) { \(call.text(for: key)) }

      """
  }
}
