import DataModelFiles

/// The call that a to-many accessor makes, found by the shape of its name and parameters. It knows the names in Xcode's
/// generated code, and the older ones of Core Data's Objective-C accessors as Swift spells them.
struct ManagedCall {
  /// The names of the property that may be meant, the likeliest first.
  let keys: [String]
  private let operation: Operation
  private let types: [TypeSyntax]

  init?(name: String, parameters: [(label: String, name: String, type: TypeSyntax)]) {
    let types = parameters.map(\.type)
    for shape in Shape.all {
      guard let stem = shape.stem(name, parameters.map(\.label)), shape.takes(types) else { continue }
      guard let operation = shape.operation else { return nil }
      keys = AccessorName.properties(stem)
      (self.operation, self.types) = (operation, types)
      return
    }
    return nil
  }

  /// The call for the property of a name, in code that has its key.
  func text(for key: String) -> String { operation.call("_key_\(key)", types) }
}

/// The names of an accessor and of its parameters' labels. In one of them `*` stands for the property's name.
private struct Shape {
  /// What the first parameter has to be.
  enum Kind {
    case member, members, indexes, any
  }

  let labels: [String]
  let name: String
  let first: Kind
  /// nil for what only looks like an accessor.
  let operation: Operation?

  init(_ name: String, _ labels: [String], _ operation: Operation?, first: Kind = .any) {
    self.name = name
    self.labels = labels
    self.operation = operation
    self.first = first
  }

  /// The first that fits is meant.
  static let all = [
    // Names without a property's.
    Shape("addTo", ["_"], nil),
    Shape("removeFrom", ["_"], nil),
    Shape("removeFrom", ["at"], nil),
    Shape("removeObject", ["at"], nil),
    Shape("insertInto", ["_", "at"], nil),
    Shape("insertObject", ["_", "at"], nil),
    Shape("insertObject", ["_", "atIndexes"], nil),
    Shape("replaceObject", ["at", "with"], nil),

    // Xcode's.
    Shape("addTo*", ["_"], .add),
    Shape("removeFrom*", ["_"], .remove),
    Shape("removeFrom*", ["at"], .removeAt),
    Shape("insertInto*", ["_", "at"], .insertAt),
    Shape("replaceObject*", ["at", "with"], nil),
    Shape("replace*", ["at", "with"], .replaceAt),

    // Of sets. The primitive pair changes the stored members without change notifications.
    Shape("addPrimitive*Object", ["_"], .addPrimitive, first: .member),
    Shape("removePrimitive*Object", ["_"], .removePrimitive, first: .member),
    Shape("removeObjectFrom*AtIndex", ["_"], .removeAt, first: .member),
    Shape("add*Object", ["_"], .add, first: .member),
    Shape("remove*Object", ["_"], .remove, first: .member),
    Shape("add*", ["_"], .add, first: .members),
    Shape("remove*", ["_"], .remove, first: .members),

    // Of ordered sets.
    Shape("remove*AtIndexes", ["_"], .removeAt, first: .indexes),
    Shape("removeObject", ["from*AtIndex"], .removeAt),
    Shape("removeObject", ["from*At"], .removeAt),
    Shape("removeObjectFrom*", ["at"], .removeAt),
    Shape("remove*", ["at"], .removeAt),
    Shape("insertObject", ["_", "in*AtIndex"], .insertAt),
    Shape("insertObject", ["_", "in*At"], .insertAt),
    Shape("insert*", ["_", "at"], .insertAt),
    Shape("insert*", ["_", "atIndexes"], .insertAt),
    Shape("replaceObjectIn*AtIndex", ["_", "with"], .replaceAt),
    Shape("replaceObjectIn*AtIndex", ["_", "withObject"], .replaceAt),
    Shape("replaceObject", ["in*AtIndex", "with"], .replaceAt),
    Shape("replaceObject", ["in*AtIndex", "withObject"], .replaceAt),
    Shape("replaceObject", ["in*At", "with"], .replaceAt),
    Shape("replaceObject", ["in*At", "withObject"], .replaceAt),
    Shape("replace*AtIndexes", ["_", "withObject"], nil),
    // The second label names the property once more.
    Shape("replace*AtIndexes", ["_", "with…"], .replaceAt),
  ]

  /// The property's name, as the accessor has it; empty if it has none, nil if the accessor has another shape.
  func stem(_ name: String, _ labels: [String]) -> Substring? {
    guard labels.count == self.labels.count else { return nil }
    var found: Substring = ""
    for (pattern, text) in zip([self.name] + self.labels, [name] + labels) {
      if let star = pattern.firstIndex(of: "*") {
        let (prefix, suffix) = (pattern[..<star], pattern[pattern.index(after: star)...])
        guard text.hasPrefix(prefix), text.hasSuffix(suffix), text.count > prefix.count + suffix.count else {
          return nil
        }
        found = text.dropFirst(prefix.count).dropLast(suffix.count)
      } else if pattern.hasSuffix("…") {
        guard text.hasPrefix(pattern.dropLast()), text.count >= pattern.count else { return nil }
      } else if text != pattern {
        return nil
      }
    }
    return found
  }

  func takes(_ types: [TypeSyntax]) -> Bool {
    switch first {
    case .any: true
    case .member: !types[0].isMembers && !types[0].isIndexes
    case .members: types[0].isMembers
    case .indexes: types[0].isIndexes
    }
  }
}

private enum Operation {
  case add, remove, removeAt, insertAt, replaceAt, addPrimitive, removePrimitive

  /// The call for parameters that are named p0 and p1, of these types.
  ///
  /// - Parameter key: the expression for the property's key.
  func call(_ key: String, _ types: [TypeSyntax]) -> String {
    switch self {
    case .add: return types[0].isMembers ? "addManagedMembers(p0, \(key))" : "addManagedMember(p0, \(key))"
    case .remove: return types[0].isMembers ? "removeManagedMembers(p0, \(key))" : "removeManagedMember(p0, \(key))"
    case .removeAt:
      return types[0].isIndexes
        ? "removeManagedMembers(at: \(types[0].indexes("p0")), \(key))" : "removeManagedMember(at: p0, \(key))"
    case .insertAt:
      return types[1].isIndexes
        ? "insertManagedMembers(p0, at: \(types[1].indexes("p1")), \(key))"
        : "insertManagedMember(p0, at: p1, \(key))"
    case .replaceAt:
      return types[0].isIndexes
        ? "replaceManagedMembers(at: \(types[0].indexes("p0")), with: p1, \(key))"
        : "replaceManagedMember(at: p0, with: p1, \(key))"
    case .addPrimitive: return "primitiveMembers(\(key)).add(p0)"
    case .removePrimitive: return "primitiveMembers(\(key)).remove(p0)"
    }
  }
}

extension TypeSyntax {
  /// Whether it is a collection of members.
  fileprivate var isMembers: Bool {
    switch self {
    case .array: return true
    case .optional(let wrapped): return wrapped.isMembers
    case .name(let path, _):
      return ["NSSet", "NSOrderedSet", "NSMutableSet", "NSMutableOrderedSet", "NSArray", "Set", "Array"]
        .contains(path[path.count - 1])
    case .dictionary, .tuple, .other: return false
    }
  }

  fileprivate var isIndexes: Bool {
    if case .name(let path, _) = self { return ["NSIndexSet", "IndexSet"].contains(path[path.count - 1]) }
    return false
  }

  /// A value of this type as the `NSIndexSet` that the runtime's functions take.
  fileprivate func indexes(_ value: String) -> String {
    if case .name(let path, _) = self, path[path.count - 1] == "IndexSet" { return "NSIndexSet(indexSet: \(value))" }
    return value
  }
}
