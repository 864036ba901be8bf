/// The nominal types that the sources of a module, and of the modules it uses, declare.
struct TypeIndex {
  struct Entry {
    var module: String
    var declaration: SwiftSource.TypeDeclaration
    var fileName: String
  }

  let module: String
  private var entries: [String: Entry] = [:]
  private var imported: [String: Entry] = [:]

  init(module: String, sources: [SwiftSource], dependencies: [(module: String, sources: [SwiftSource])] = []) {
    self.module = module
    for source in sources {
      for type in source.types {
        entries[type.path.joined(separator: ".")] = Entry(
          module: module, declaration: type, fileName: source.fileName)
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

  func ownType(_ path: [String]) -> Entry? { entries[path.joined(separator: ".")] }

  /// The type that a name means within `scope`: the innermost first, then the module, then imported ones.
  func lookUp(_ path: [String], in scope: [String]) -> Entry? {
    for depth in stride(from: scope.count, through: 0, by: -1) {
      if let entry = entries[(scope.prefix(depth) + path).joined(separator: ".")] { return entry }
    }
    if path.count > 1, path[0] == module { return entries[path.dropFirst().joined(separator: ".")] }
    if let entry = imported[path.joined(separator: ".")] { return entry }
    if path.count > 1, let entry = imported[path.dropFirst().joined(separator: ".")], entry.module == path[0] {
      return entry
    }
    return nil
  }

  /// The names of a class and of its superclasses, as far as they are in this module; the class itself comes first.
  func ancestry(of path: [String]) -> [String] {
    var classes: [String] = []
    var current = ownType(path)
    while let entry = current, case .classType = entry.declaration.kind {
      let name = entry.declaration.path.joined(separator: ".")
      if classes.contains(name) { break }
      classes.append(name)
      guard !entry.declaration.inherited.isEmpty,
        let parent = lookUp(entry.declaration.inherited, in: Array(entry.declaration.path.dropLast())),
        parent.module == module
      else { break }
      current = parent
    }
    return classes
  }

  /// The classes of this module, by their names.
  var ownClasses: [[String]] {
    entries.values.compactMap { entry in
      if case .classType = entry.declaration.kind { return entry.declaration.path }
      return nil
    }
  }

  /// A type as code in an extension elsewhere must write it: own types with all they are nested in, since
  /// an extension of `Outer.Inner` does not look into `Outer`.
  func qualified(_ type: TypeSyntax, in scope: [String]) -> TypeSyntax {
    switch type {
    case .name(let path, let arguments):
      let entry = lookUp(path, in: scope)
      let isNested = entry.map { $0.module == module && $0.declaration.path.count > 1 } ?? false
      return .name(
        isNested ? entry?.declaration.path ?? path : path,
        arguments: arguments.map { qualified($0, in: scope) })
    case .optional(let wrapped): return .optional(qualified(wrapped, in: scope))
    case .array(let element): return .array(qualified(element, in: scope))
    case .dictionary(let key, let value):
      return .dictionary(qualified(key, in: scope), qualified(value, in: scope))
    case .tuple(let elements): return .tuple(elements.map { qualified($0, in: scope) })
    case .other: return type
    }
  }
}
