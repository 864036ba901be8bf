/// Writes the functions that stand behind `@NSManaged` declarations.
///
/// The compiler accepts `@NSManaged` without Objective-C and leaves the accessors undefined; these functions
/// have their symbols. Each word of their form is needed:
/// - `dynamic`, because `@NSManaged` implies it, and other modules' optimised code relies on it;
/// - `public`, whatever the property's own access, so that it links from anywhere; only a function with a type that
///   is not public goes without;
/// - `__owned` on a setter's value, because setters take ownership. Functions are declared without.
struct AccessorWriter {
  private(set) var types: TypeIndex
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
  ///   - untestedSwift: the first version of Swift for which the file has a warning.
  static func write(
    _ sources: [SwiftSource], types: TypeIndex, transients: [String: Set<String>] = [:], untestedSwift: String
  ) -> (text: String, problems: [SourceProblem]) {
    var writer = AccessorWriter(types: types)
    for source in sources {
      writer.types = types.seen(from: source.fileName)
      for (owner, members) in groups(of: source.members) {
        writer.write(members, of: owner, in: source)
      }
    }
    writer.types = types
    writer.writeOwnAccessors(sources, transients)
    return (writer.file(imports: sources.flatMap(\.imports), untestedSwift), writer.problems)
  }

  private init(types: TypeIndex) { self.types = types }

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

  static func guarded(_ text: String, by conditions: [String]) -> String {
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
      // A private class can't be named here. Its superclass can, and has the same form.
      let extended = types.isHidden(owner) ? ["NSManagedObject"] : owner.map(quoteIfKeyword)
      body += "\nnonisolated extension \(extended.joined(separator: ".")) {\n\(text)}\n"
    }
  }

  /// `primitiveName`: name; nil if a name is not of that form.
  private static func primitiveProperty(_ name: String) -> String? {
    guard name.hasPrefix("primitive"), let first = name.dropFirst(9).first, first.isUppercase else { return nil }
    return first.lowercased() + name.dropFirst(10)
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

  private mutating func definition(
    of member: SwiftSource.ManagedMember, in source: SwiftSource
  ) throws -> String {
    let isHidden = types.isHidden(member.owner)
    let isPrivate = member.access <= .isFilePrivate
    // Within a private class no other name carries the file's.
    let discriminator =
      isPrivate && !isHidden ? Mangler.discriminator(module: types.module, fileName: source.fileName) : nil
    // A class and its subclass may declare members of one name, and two files may declare classes of one name.
    let suffix = isHidden ? "_\(count)" : "_\(member.owner.joined(separator: "_"))"
    switch member.kind {
    case .property(let type):
      let symbols = try Mangler.property(
        member.name, type: type, of: member.owner, discriminator: discriminator, types: types)
      keys.append(member.name)
      let primitive = Self.primitiveProperty(member.name)
      if let primitive { keys.append(primitive) }
      let access = symbols.leastAccess < .isPublic ? "" : "public "
      let name = member.name + suffix
      let key = "_key_\(member.name)"
      let written = types.qualified(type, in: member.owner).text
      if let primitive {
        let read = Self.mutableMembers(type) ?? "managedValue"
        return """
            @_silgen_name("\(symbols.getter)") \(access)dynamic final func _get_\(name)() -> \(written) \
          { \(read)(primitiveKey(\(key), of: _key_\(primitive))) }
            @_silgen_name("\(symbols.setter)") \(access)dynamic final func _set_\(name)(_ value: __owned \
          \(written)) { setPrimitiveManagedValue(value, \(key), of: _key_\(primitive)) { setManagedValue($0, $1) } }

          """
      }
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
          reason: "its name or its parameters don't fit any accessor that Core Data makes: addToX, removeFromX, "
            + "insertIntoX(_:at:), removeFromX(at:), replaceX(at:with:); addXObject, removeXObject, addX, removeX; "
            + "insertObject(_:inXAtIndex:) and its kin")
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
