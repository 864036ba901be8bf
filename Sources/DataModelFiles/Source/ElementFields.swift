import Foundation

/// Takes the attributes of one XML element, each once, and reports what is malformed or was left over.
struct ElementFields {
  let element: MarkupElement
  let file: String
  /// For the messages: the entity and property that the element stands in.
  var entity: String?
  var property: String?
  private var taken: Set<String> = []
  private(set) var problems: [DataModelProblem] = []

  init(_ element: MarkupElement, file: String, entity: String? = nil, property: String? = nil) {
    self.element = element
    self.file = file
    self.entity = entity
    self.property = property
  }

  mutating func string(_ name: String) -> String? {
    taken.insert(name)
    return element.attributes.first { $0.name == name }?.value
  }

  /// A value where the empty string means that there is none.
  mutating func nonEmpty(_ name: String) -> String? {
    string(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The name of a class. Where the editor shows a module and no class it writes `Shop.`, or `.` for the module itself.
  mutating func className(_ name: String) -> String? {
    guard let text = nonEmpty(name) else { return nil }
    if !text.hasSuffix(".") { return text }
    report(.warning, "\(name)=\"\(text)\" is ignored: it names a module, but no class in it")
    return nil
  }

  mutating func required(_ name: String) -> String {
    if let value = nonEmpty(name) { return value }
    report(.error, "<\(element.name)> has no \(name)")
    return ""
  }

  mutating func flag(_ name: String, default absent: Bool = false) -> Bool {
    switch string(name) {
    case nil: return absent
    case "YES", "true", "1": return true
    case "NO", "false", "0", "": return false
    case .some(let other):
      report(.error, "\(name)=\"\(other)\" is neither YES nor NO")
      return absent
    }
  }

  mutating func integer(_ name: String, default absent: Int) -> Int {
    guard let text = nonEmpty(name) else { return absent }
    if let number = Int(text) { return number }
    report(.error, "\(name)=\"\(text)\" is not a whole number")
    return absent
  }

  mutating func double(_ name: String) -> Double? {
    guard let text = nonEmpty(name) else { return nil }
    if let number = Double(text), number.isFinite { return number }
    report(.error, "\(name)=\"\(text)\" is not a number")
    return nil
  }

  /// One of an enumeration's values, found by the name the editor writes.
  mutating func choice<Choice>(
    _ name: String, default absent: Choice, known: String, _ find: (String) -> Choice?
  ) -> Choice {
    guard let text = nonEmpty(name) else { return absent }
    if let choice = find(text) { return choice }
    report(.error, "unknown \(name) \"\(text)\" (known: \(known))")
    return absent
  }

  mutating func report(_ severity: DataModelProblem.Severity, _ message: String, line: Int? = nil) {
    problems.append(
      DataModelProblem(
        severity, file: file, line: line ?? element.line, entity: entity, property: property,
        message: message))
  }

  /// Warns of attributes that were not taken, and of children not in `known`. Call it last.
  mutating func finish(children known: Set<String> = []) {
    for attribute in element.attributes where !taken.contains(attribute.name) {
      report(.warning, "<\(element.name)> has the unknown attribute \(attribute.name), which is ignored")
    }
    for child in element.children where !known.contains(child.name) {
      report(
        .warning, "<\(element.name)> holds the unknown element <\(child.name)>, which is ignored",
        line: child.line)
    }
  }
}
