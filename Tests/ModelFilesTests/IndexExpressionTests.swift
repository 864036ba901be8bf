import DataModelFiles
import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Indexes of expressions in a model file")
struct IndexExpressionTests {
  /// A model whose entity has an index of one element, which has these attributes; without them it has no index.
  static func contents(_ element: String? = nil) -> String {
    let index = element.map {
      "<fetchIndex name='by'><fetchIndexElement \($0) type='Binary' order='descending'/></fetchIndex>"
    }
    return """
      <model><entity name="Item"><attribute name="name" optional="YES" attributeType="String"/>\(index ?? "")
      </entity></model>
      """
  }

  /// Elements, and the texts of their expressions.
  static let elements = [
    ("property='self'", "SELF"), ("property='objectID'", "objectID"), ("property='entity'", "entity"),
    ("expression='self'", "SELF"), ("expression='length:(name)' expressionType='Integer 64'", "length:(name)"),
  ]

  private func text(_ index: NSFetchIndexDescription?) -> String? {
    (index?.elements.first?.property as? NSExpressionDescription)?.expression?.description
  }

  private func model(_ contents: String, _ form: String) throws -> NSManagedObjectModel {
    let folder = try ModelLoadingTests.Folder(contents)
    defer { withExtendedLifetime(folder) {} }
    return try NSManagedObjectModel(checkedContentsOf: folder.url.appendingPathComponent(form))
  }

  /// Makes or opens a store, and returns the names of the entity's indexes.
  static func open(_ url: URL, _ model: NSManagedObjectModel) throws -> [String?] {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.remove(coordinator.addPersistentStore(type: .sqlite, at: url))
    return try Connection(path: url.path, options: Connection.Options())
      .rows("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z\\_Item%' ESCAPE '\\'").map { $0[0] }
  }

  @Test(
    "An element is read as an expression, and the entity has the hash that it has without the index",
    arguments: ModelLoadingTests.forms)
  func forms(form: String) throws {
    let plain = try model(Self.contents(), form)
    for (element, expected) in Self.elements {
      let model = try model(Self.contents(element), form)
      let index = try #require(model.entitiesByName["Item"]?.indexes.first, "\(element)")
      #expect(index.name == "by" && index.elements.map(\.isAscending) == [false])
      #expect(text(index) == expected)
      #expect(model.entityVersionHashesByName == plain.entityVersionHashesByName, "\(element)")
    }
  }

  @Test("A store that was made without the index opens; a new one has it if it is over the object or its entity")
  func stores() throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let file = folder.file("plain.sqlite")
    #expect(try Self.open(file, model(Self.contents(), "M.momd")) == [])
    for (number, (element, expected)) in Self.elements.enumerated() {
      #expect(try Self.open(file, model(Self.contents(element), "M.momd")) == [], "\(element)")
      let names = try Self.open(folder.file("\(number).sqlite"), model(Self.contents(element), "M.momd"))
      let wanted: [String?] = expected == "length:(name)" ? [] : ["Z_Item_by"]
      #expect(names == wanted, "\(element)")
    }
  }

  @Test("What a new store does without is told on standard error")
  func warning() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = try ModelLoadingTests.Folder(
        IndexExpressionTests.contents("expression='length:(name)'"))
      defer { withExtendedLifetime(folder) {} }
      let model = try NSManagedObjectModel(checkedContentsOf: folder.url.appendingPathComponent("M.xcdatamodeld"))
      _ = try IndexExpressionTests.open(folder.url.appendingPathComponent("items.sqlite"), model)
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("by of Item, over length:(name)"), "\(words)")
  }

  @Test("A text that is no expression costs the index only", arguments: ModelLoadingTests.forms)
  func unreadable(form: String) throws {
    for text in ["length:(", "%@ + 1", "%K", "name == 'a'", "nothing:(name)", String(repeating: "(", count: 100_000)] {
      let model = try model(Self.contents("expression=\"\(text)\""), form)
      #expect(model.entitiesByName["Item"]?.indexes.isEmpty == true, "\(text.prefix(20))")
    }
  }

  /// A compiled model with an index of the expression of a derived attribute, and one of a property. The element has
  /// the expression as another compiler may write it: as an object under `key`, alone or in a description.
  private func compiled(_ key: String?, isDescribed: Bool = false) throws -> [UInt8] {
    let contents = """
      <model><entity name="Item"><attribute name="name" optional="YES" attributeType="String"/>
      <attribute name="lower" optional="YES" derived="YES" derivationExpression="canonical:(name)"
        attributeType="String"/>
      <fetchIndex name="by"><fetchIndexElement expression="canonical:(name)" order="ascending"/></fetchIndex>
      <fetchIndex name="byName"><fetchIndexElement property="name" order="ascending"/></fetchIndex>
      </entity></model>
      """
    let source = try SourceModelReader.model(contents: Array(contents.utf8), name: "M", file: "contents").model
    var archive = try #require(try BinaryPropertyListReader.read(CompiledModelFiles.mom(source)).dictionary)
    var objects = try #require(archive["$objects"]?.array)
    let expressions = objects.compactMap { $0.dictionary?["NSDerivationExpression"] }
    var expression = try #require(expressions.first)
    if isDescribed {
      let name = PropertyList.string("NSExpressionDescription")
      objects.append(.dictionary(["$classname": name, "$classes": .array([name, .string("NSObject")])]))
      objects.append(.dictionary(["$class": .uid(objects.count - 1), "NSExpression": expression]))
      expression = .uid(objects.count - 1)
    }
    for place in objects.indices {
      guard var element = objects[place].dictionary, element["StrataExpressionFormat"] != nil else { continue }
      element["StrataExpressionFormat"] = nil
      if let key { element[key] = expression }
      objects[place] = .dictionary(element)
    }
    archive["$objects"] = .array(objects)
    return BinaryPropertyListWriter.write(.dictionary(archive))
  }

  private func model(compiled bytes: [UInt8]) throws -> NSManagedObjectModel {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try Data(bytes).write(to: folder.file("M.mom"))
    return try #require(NSManagedObjectModel(contentsOf: folder.file("M.mom")))
  }

  @Test("An archived expression of an element is found under any key, in a description too", arguments: [false, true])
  func archived(isDescribed: Bool) throws {
    for key in ["NSExpression", "another"] {
      let item = try #require(try model(compiled: compiled(key, isDescribed: isDescribed)).entitiesByName["Item"])
      #expect(item.indexes.map(\.name) == ["by", "byName"])
      #expect(text(item.indexes.first) == "canonical:(name)")
    }
  }

  @Test("An index of a compiled model with an element that can't be read is ignored, with a warning")
  func unreadableElement() throws {
    let bytes = try compiled(nil)
    let found = try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom")
    #expect(
      found.warnings.map(\.description) == [
        "M.mom: warning: Item.index \"by\": an element has neither a known property nor an expression; the index is "
          + "ignored"
      ])
    let model = try model(compiled: bytes)
    let item = try #require(model.entitiesByName["Item"])
    #expect(item.indexes.map(\.name) == ["byName"])
    #expect(model.entityVersionHashesByName == found.model.entityVersionHashes().mapValues { Data($0) })
  }
}
