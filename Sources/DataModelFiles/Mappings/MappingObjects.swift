import Foundation

/// The objects of an `xcmapping.xml`, an XML store of the editor's own model.
///
/// | type | content |
/// |---|---|
/// | XDDEVMAPPINGMODEL | the two models, archived and by path; its entity mappings |
/// | XDDEVENTITYMAPPING | names, number, policy, filter; its attribute and relationship mappings |
/// | XDDEVATTRIBUTEMAPPING | name, expression |
/// | XDDEVRELATIONSHIPMAPPING | name, and either an expression or the mapping and key path to make one from |
///
/// Strings are texts as an XML store has them; see `StoreText`.
///
/// Parts that the editor removed from a mapping stay in the file as objects that nothing refers to.
struct MappingObjects {
  struct Object {
    let type: String
    let line: Int
    var values: [String: String] = [:]
    var references: [String: [String]] = [:]

    /// The value's text; nil if it is missing or empty.
    func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    func flag(_ name: String) -> Bool { ["1", "true", "YES"].contains(values[name]) }

    func integer(_ name: String) -> Int { values[name].flatMap { Int($0) } ?? 0 }

    func data(_ name: String) -> [UInt8]? {
      guard let text = text(name), let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters),
        !data.isEmpty
      else { return nil }
      return Array(data)
    }
  }

  /// The mapping model itself.
  let root: Object
  private let objects: [String: Object]

  /// - Throws: `InvalidDataModel`.
  init(_ bytes: [UInt8], file: String) throws {
    let document: MarkupElement
    do {
      document = try MarkupReader.read(bytes)
    } catch let error as MarkupError {
      throw InvalidDataModel(file: file, line: error.line, message: error.message)
    }
    guard document.name == "database" else {
      throw InvalidDataModel(
        file: file, line: document.line,
        message: "the root element is <\(document.name)>, not <database>: this is not a mapping model")
    }
    var objects: [String: Object] = [:]
    var roots: [Object] = []
    for element in document.children where element.name == "object" {
      var fields = ElementFields(element, file: file)
      let (type, id) = (fields.required("type"), fields.required("id"))
      if let problem = fields.problems.first { throw InvalidDataModel(problems: [problem]) }
      var object = Object(type: type, line: element.line)
      for child in element.children {
        guard let name = child.attributes.first(where: { $0.name == "name" })?.value else {
          throw InvalidDataModel(file: file, line: child.line, message: "<\(child.name)> has no name")
        }
        if child.name == "attribute" {
          let isString = child.attributes.contains { $0.name == "type" && $0.value == "string" }
          object.values[name] = isString ? StoreText.decoded(child.text) : child.text
        }
        if child.name == "relationship" {
          let ids = child.attributes.first { $0.name == "idrefs" }?.value ?? ""
          object.references[name] = ids.split(separator: " ").map(String.init)
        }
      }
      guard objects.updateValue(object, forKey: id) == nil else {
        throw InvalidDataModel(file: file, line: element.line, message: "the file has the object \(id) twice")
      }
      if object.type == "XDDEVMAPPINGMODEL" { roots.append(object) }
    }
    guard let root = roots.first, roots.count == 1 else {
      throw InvalidDataModel(
        file: file, line: document.line,
        message: roots.isEmpty ? "the file holds no mapping model" : "the file holds \(roots.count) mapping models")
    }
    self.root = root
    self.objects = objects
  }

  /// The objects at the end of an object's relationship, in the order of the references in the file.
  func objects(_ name: String, of object: Object, file: String) throws -> [Object] {
    try (object.references[name] ?? []).map { id in
      guard let found = objects[id] else {
        throw InvalidDataModel(
          file: file, line: object.line, message: "\(name) refers to the object \(id), which is missing")
      }
      return found
    }
  }
}
