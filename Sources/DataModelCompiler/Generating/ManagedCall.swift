/// The call that a to-many accessor makes, found by the shape of its name and parameters. It knows the names in Xcode's
/// generated code, and the older ones of Core Data's Objective-C accessors as Swift spells them.
struct ManagedCall {
  var key: String
  var text: String

  private typealias Parameters = [(label: String, name: String, type: TypeSyntax)]

  init?(name: String, parameters: [(label: String, name: String, type: TypeSyntax)]) {
    guard let found = Self.generated(name, parameters) ?? Self.older(name, parameters),
      let first = found.stem.first
    else { return nil }
    // The property's name begins with a small letter.
    key = first.lowercased() + found.stem.dropFirst()
    text = found.function + "_key_\(key))" + found.rest
  }

  private struct Shape {
    var stem: Substring
    var function: String
    var rest = ""
  }

  /// `addToBooks(_:)`, `removeFromBooks(at:)` …
  private static func generated(_ name: String, _ parameters: Parameters) -> Shape? {
    switch parameters.map(\.label) {
    case ["_"] where name.hasPrefix("addTo"):
      return Shape(stem: name.dropFirst(5), function: adding(parameters[0].type))
    case ["_"] where name.hasPrefix("removeFrom"):
      return Shape(stem: name.dropFirst(10), function: removing(parameters[0].type))
    case ["at"] where name.hasPrefix("removeFrom"):
      return Shape(stem: name.dropFirst(10), function: removing(at: parameters[0].type))
    case ["_", "at"] where name.hasPrefix("insertInto"):
      return Shape(stem: name.dropFirst(10), function: inserting(at: parameters[1].type))
    case ["at", "with"] where name.hasPrefix("replace") && !name.hasPrefix("replaceObject"):
      return Shape(stem: name.dropFirst(7), function: replacing(at: parameters[0].type))
    default: return nil
    }
  }

  /// `addBooksObject(_:)`, `addBooks(_:)`, `insertObject(_:inBooksAtIndex:)` …
  private static func older(_ name: String, _ parameters: Parameters) -> Shape? {
    let labels = parameters.map(\.label)
    func between(_ text: String, _ prefix: String, _ suffix: String = "") -> Substring? {
      guard text.hasPrefix(prefix), text.hasSuffix(suffix), text.count > prefix.count + suffix.count else { return nil }
      return text.dropFirst(prefix.count).dropLast(suffix.count)
    }
    if labels == ["_"] {
      let type = parameters[0].type
      if !isCollection(type), !isIndexes(type) {
        // The primitive pair changes the stored members without change notifications.
        if let stem = between(name, "addPrimitive", "Object") {
          return Shape(stem: stem, function: "primitiveMembers(", rest: ".add(p0)")
        }
        if let stem = between(name, "removePrimitive", "Object") {
          return Shape(stem: stem, function: "primitiveMembers(", rest: ".remove(p0)")
        }
        if let stem = between(name, "removeObjectFrom", "AtIndex") {
          return Shape(stem: stem, function: removing(at: type))
        }
        if let stem = between(name, "add", "Object") { return Shape(stem: stem, function: adding(type)) }
        if let stem = between(name, "remove", "Object") { return Shape(stem: stem, function: removing(type)) }
      } else if isIndexes(type) {
        return between(name, "remove", "AtIndexes").map { Shape(stem: $0, function: removing(at: type)) }
      } else {
        if let stem = between(name, "add") { return Shape(stem: stem, function: adding(type)) }
        if let stem = between(name, "remove") { return Shape(stem: stem, function: removing(type)) }
      }
      return nil
    }
    if labels.count == 1, name == "removeObject" {
      return (between(labels[0], "from", "AtIndex") ?? between(labels[0], "from", "At")).map {
        Shape(stem: $0, function: removing(at: parameters[0].type))
      }
    }
    if labels == ["at"] {
      if let stem = between(name, "removeObjectFrom") ?? between(name, "remove") {
        return Shape(stem: stem, function: removing(at: parameters[0].type))
      }
      return nil
    }
    guard labels.count == 2 else { return nil }
    if labels[0] == "_", name == "insertObject" {
      return (between(labels[1], "in", "AtIndex") ?? between(labels[1], "in", "At")).map {
        Shape(stem: $0, function: inserting(at: parameters[1].type))
      }
    }
    if labels[0] == "_", ["at", "atIndexes"].contains(labels[1]) {
      return between(name, "insert").map { Shape(stem: $0, function: inserting(at: parameters[1].type)) }
    }
    if ["with", "withObject"].contains(labels[1]) {
      let stem: Substring? =
        if labels[0] == "_" {
          between(name, "replaceObjectIn", "AtIndex")
        } else if name == "replaceObject" {
          between(labels[0], "in", "AtIndex") ?? between(labels[0], "in", "At")
        } else { nil }
      return stem.map { Shape(stem: $0, function: replacing(at: parameters[0].type)) }
    }
    if labels[0] == "_", labels[1].hasPrefix("with") {
      return between(name, "replace", "AtIndexes").map {
        Shape(stem: $0, function: replacing(at: parameters[0].type))
      }
    }
    return nil
  }

  private static func adding(_ type: TypeSyntax) -> String {
    isCollection(type) ? "addManagedMembers(p0, " : "addManagedMember(p0, "
  }

  private static func removing(_ type: TypeSyntax) -> String {
    isCollection(type) ? "removeManagedMembers(p0, " : "removeManagedMember(p0, "
  }

  private static func removing(at type: TypeSyntax) -> String {
    isIndexes(type) ? "removeManagedMembers(at: \(indexes("p0", type)), " : "removeManagedMember(at: p0, "
  }

  private static func inserting(at type: TypeSyntax) -> String {
    isIndexes(type)
      ? "insertManagedMembers(p0, at: \(indexes("p1", type)), " : "insertManagedMember(p0, at: p1, "
  }

  private static func replacing(at type: TypeSyntax) -> String {
    isIndexes(type)
      ? "replaceManagedMembers(at: \(indexes("p0", type)), with: p1, " : "replaceManagedMember(at: p0, with: p1, "
  }

  private static func isCollection(_ type: TypeSyntax) -> Bool {
    switch type {
    case .array: return true
    case .optional(let wrapped): return isCollection(wrapped)
    case .name(let path, _):
      return ["NSSet", "NSOrderedSet", "NSMutableSet", "NSMutableOrderedSet", "NSArray", "Set", "Array"]
        .contains(path[path.count - 1])
    case .dictionary, .tuple, .other: return false
    }
  }

  private static func isIndexes(_ type: TypeSyntax) -> Bool {
    if case .name(let path, _) = type { return ["NSIndexSet", "IndexSet"].contains(path[path.count - 1]) }
    return false
  }

  /// The runtime's functions take an `NSIndexSet`.
  private static func indexes(_ value: String, _ type: TypeSyntax) -> String {
    if case .name(let path, _) = type, path[path.count - 1] == "IndexSet" { return "NSIndexSet(indexSet: \(value))" }
    return value
  }
}
