/// The nominal types that the sources of a module, and of the modules it uses, declare.
struct TypeIndex {
  struct Entry {
    var module: String
    var declaration: SwiftSource.TypeDeclaration
    var fileName: String
  }

  let module: String
  /// The file from which names are looked up; nil where its private types don't matter.
  private(set) var file: String?
  private var entries: [String: Entry] = [:]
  /// The private types of each file: two files may have one of the same name.
  private var hidden: [String: [String: Entry]] = [:]
  private var imported: [String: Entry] = [:]

  init(module: String, sources: [SwiftSource], dependencies: [(module: String, sources: [SwiftSource])] = []) {
    self.module = module
    for source in sources {
      for type in source.types {
        let name = type.path.joined(separator: ".")
        let entry = Entry(module: module, declaration: type, fileName: source.fileName)
        if type.access <= .isFilePrivate {
          hidden[source.fileName, default: [:]][name] = entry
          if entries[name] != nil { continue }
        }
        entries[name] = entry
      }
    }
    for dependency in dependencies {
      for source in dependency.sources {
        for type in source.types where type.access >= .isPublic {
          imported[type.path.joined(separator: ".")] = Entry(
            module: dependency.module, declaration: type, fileName: source.fileName)
        }
      }
    }
  }

  /// The same types, as code in one of the module's files sees them.
  func seen(from file: String) -> TypeIndex {
    var index = self
    index.file = file
    return index
  }

  func ownType(_ path: [String]) -> Entry? {
    let name = path.joined(separator: ".")
    return file.flatMap { hidden[$0]?[name] } ?? entries[name]
  }

  /// The type that a name means within `scope`: the innermost first, there in superclasses too, then the module, then
  /// imported ones.
  ///
  /// - Parameter inheriting: false for the name of a superclass, or sources with errors could lead in a circle.
  func lookUp(_ path: [String], in scope: [String], inheriting: Bool = true) -> Entry? {
    for depth in stride(from: scope.count, through: 0, by: -1) {
      let outer = Array(scope.prefix(depth))
      if let entry = ownType(outer + path) { return entry }
      if inheriting, depth > 0, let entry = inheritedType(path, by: outer) { return entry }
    }
    if path.count > 1, path[0] == module { return ownType(Array(path.dropFirst())) }
    if let entry = imported[path.joined(separator: ".")] { return entry }
    if path.count > 1, let entry = imported[path.dropFirst().joined(separator: ".")], entry.module == path[0] {
      return entry
    }
    return nil
  }

  /// A type that is nested in a superclass of the class at `scope`.
  private func inheritedType(_ path: [String], by scope: [String]) -> Entry? {
    for superclass in chain(of: scope).dropFirst() {
      let nested = superclass.declaration.path + path
      let entry = superclass.module == module ? ownType(nested) : imported[nested.joined(separator: ".")]
      if let entry { return entry }
    }
    return nil
  }

  /// A class and its superclasses, as far as the sources declare them; the class itself comes first.
  private func chain(of path: [String]) -> [Entry] {
    var classes: [Entry] = []
    var current = ownType(path)
    while let entry = current, case .classType = entry.declaration.kind {
      let (path, inherited) = (entry.declaration.path, entry.declaration.inherited)
      // A source may be wrong, and classes inherit from each other.
      if classes.contains(where: { $0.module == entry.module && $0.declaration.path == path }) { break }
      classes.append(entry)
      if inherited.isEmpty { break }
      current = lookUp(inherited, in: Array(path.dropLast()), inheriting: false)
    }
    return classes
  }

  /// The names of a class and of its superclasses, as far as they are in this module; the class itself comes first.
  func ancestry(of path: [String]) -> [String] {
    chain(of: path).prefix { $0.module == module }.map { $0.declaration.path.joined(separator: ".") }
  }

  /// The classes of this module, by their names.
  var ownClasses: [[String]] {
    entries.values.compactMap { entry in
      if case .classType = entry.declaration.kind { return entry.declaration.path }
      return nil
    }
  }

  /// Whether a type is private, or nested in one that is.
  func isHidden(_ path: [String]) -> Bool {
    path.indices.contains { (ownType(Array(path.prefix($0 + 1)))?.declaration.access ?? .isPublic) <= .isFilePrivate }
  }

  /// Whether a class's superclasses lead to `NSManagedObject`.
  func isManaged(_ path: [String]) -> Bool {
    chain(of: path).contains {
      [["NSManagedObject"], ["CoreData", "NSManagedObject"]].contains($0.declaration.inherited)
    }
  }

  /// A type as code in an extension elsewhere must write it: own types with all they are nested in, since
  /// an extension of `Outer.Inner` does not look into `Outer`. In place of what is private stands what has the same
  /// form: an alias's type, and `NSManagedObject` for a subclass.
  func qualified(_ type: TypeSyntax, in scope: [String]) -> TypeSyntax {
    switch type {
    case .name(let path, let arguments):
      let entry = lookUp(path, in: scope)
      if let declaration = entry?.declaration, entry?.module == module, isHidden(declaration.path) {
        if case .alias(let aliased) = declaration.kind {
          return qualified(aliased, in: Array(declaration.path.dropLast()))
        }
        if isManaged(declaration.path) { return .name(["NSManagedObject"], arguments: []) }
      }
      // In full if it is nested in one of this module's types, or found in a superclass of another module.
      let known = entry?.declaration.path ?? []
      let isNested = known.count > path.count || known.count > 1 && entry?.module == module
      let name = TypeSyntax.name(isNested ? known : path, arguments: arguments.map { qualified($0, in: scope) })
      return isProtocol(path, entry) ? .other("any \(name.text)") : name
    case .optional(let wrapped): return .optional(qualified(wrapped, in: scope))
    case .array(let element): return .array(qualified(element, in: scope))
    case .dictionary(let key, let value):
      return .dictionary(qualified(key, in: scope), qualified(value, in: scope))
    case .tuple(let elements): return .tuple(elements.map { qualified($0, in: scope) })
    case .other: return type
    }
  }

  private func isProtocol(_ path: [String], _ entry: Entry?) -> Bool {
    if case .protocolType? = entry?.declaration.kind { return true }
    return entry == nil && KnownTypes.nominal(KnownTypes.withoutModule(path))?.kinds == ["P"]
  }
}
