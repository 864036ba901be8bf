import BookText
import Foundation

/// The public names of the module, and which of them a piece of inline code means.
struct PublicNames {
  /// A declaration of the module, such as `fetch(_:)` of `NSManagedObjectContext`.
  struct Name: Hashable, Comparable {
    /// The type that contains it; empty for a top-level type or function.
    var owner: String
    var name: String
    var isType: Bool

    static func < (left: Name, right: Name) -> Bool { (left.name, left.owner) < (right.name, right.owner) }
  }

  private var byName: [String: Set<Name>] = [:]
  private var byBaseName: [String: Set<Name>] = [:]

  /// - Parameter folder: the folder of the module's sources.
  init(sources folder: URL) {
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    for file in files.sorted() where file.hasSuffix(".swift") {
      guard let text = try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8) else { continue }
      add(text)
    }
  }

  init(source: String) { add(source) }

  private mutating func add(_ text: String) {
    let lines = text.components(separatedBy: "\n")
    let structure = SwiftStructure(text)
    var publicTypes = Set<String>()
    for declaration in structure.declarations {
      let head = lines[(declaration.lines.lowerBound - 1)..<declaration.lines.upperBound].joined(separator: " ")
      let (owner, name) = Self.split(declaration.path)
      let isOpen = head.prefix(while: { $0 != "{" && $0 != "=" }).contains(#/\b(public|open)\b/#)
      switch declaration.kind {
      case "class", "struct", "enum", "actor", "protocol", "typealias":
        guard isOpen else { continue }
        publicTypes.insert(declaration.path)
        add(Name(owner: owner, name: name, isType: true))
      case "func", "var", "let":
        guard isOpen || publicTypes.contains(owner) && Self.isRequirement(declaration, structure) else { continue }
        add(Name(owner: owner, name: name, isType: false))
      case "case" where publicTypes.contains(owner): add(Name(owner: owner, name: name, isType: false))
      default: break
      }
    }
  }

  /// The members of a protocol have the protocol's access.
  private static func isRequirement(_ member: SwiftStructure.Declaration, _ structure: SwiftStructure) -> Bool {
    structure.declarations.contains { $0.kind == "protocol" && $0.path == split(member.path).owner }
  }

  private mutating func add(_ name: Name) {
    guard name.name.first?.isLetter == true else { return }
    byName[name.name, default: []].insert(name)
    byBaseName[Self.base(name.name), default: []].insert(name)
  }

  /// The names that a piece of inline code means: `context.rollback()`, `save()`, `fetch(_:)`, `viewContext`,
  /// `NSManagedObject`.
  func names(meantBy code: String) -> [Name] {
    var code = code[...]
    for word in ["try ", "await ", "let ", "var "] where code.hasPrefix(word) { code = code.dropFirst(word.count) }
    guard
      let match = String(code).wholeMatch(
        of: #/((?:[A-Za-z_]\w*[?!]?)?(?:\.[A-Za-z_]\w*[?!]?)*?\.)?([A-Za-z_]\w*)(\(.*\))?/#)
    else { return [] }
    let (owner, base, arguments) = (match.1.map(String.init) ?? "", String(match.2), match.3.map(String.init))
    let found: Set<Name>
    if let arguments, arguments.wholeMatch(of: #/\((\w+:)+\)|\(\)/#) != nil, let exact = byName[base + arguments] {
      found = exact
    } else if arguments != nil {
      found = (byBaseName[base] ?? []).filter { $0.name.contains("(") }
    } else if owner.count > 1 || base.contains(where: \.isUppercase) {
      found = byBaseName[base] ?? []
    } else {
      // A single lower-case word may be a column or a file extension, so it counts only if it is a method.
      let all = owner.isEmpty ? byBaseName[base] ?? [] : []
      found = all.allSatisfy { $0.name.contains("(") } ? all : []
    }
    // A name that many types have means none of them unless the code says which.
    if arguments == nil, Set(found.map(\.owner)).count > 3, !found.contains(where: \.isType) { return [] }
    let type = owner.dropLast().split(separator: ".").last.map(String.init) ?? ""
    let owned = found.filter { $0.owner == type || $0.owner.hasSuffix("." + type) }
    // If the named type has no such member, the type belongs to another module, or the text is a file's name.
    return (owned.isEmpty && type.first?.isUppercase != true ? found : owned).sorted()
  }

  private static func base(_ name: String) -> String { String(name.prefix { $0 != "(" }) }

  /// Labels contain no dots, so the last dot outside of parentheses separates the two.
  private static func split(_ path: String) -> (owner: String, name: String) {
    let head = path.prefix { $0 != "(" }
    guard let dot = head.lastIndex(of: ".") else { return ("", path) }
    return (String(path[..<dot]), String(path[path.index(after: dot)...]))
  }
}
