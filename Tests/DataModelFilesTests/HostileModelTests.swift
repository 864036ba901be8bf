import DataModelFiles
import Foundation
import Testing

/// Compiled models and property lists that lead in circles, and models that are small in a file and large in memory.
@Suite("Hostile models")
struct HostileModelTests {
  /// An archive of an object graph; the objects' indexes begin with 1.
  private func archive(_ objects: [PropertyList], root: Int = 1) -> [UInt8] {
    BinaryPropertyListWriter.write(
      .dictionary([
        "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
        "$top": .dictionary(["root": .uid(root)]), "$objects": .array([.string("$null")] + objects),
      ]))
  }

  private func type(_ name: String) -> PropertyList {
    .dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])])
  }

  /// A model with one entity that has one attribute with these fields; further objects begin with index 9.
  private func model(_ attribute: [String: PropertyList], _ more: [PropertyList] = []) -> [UInt8] {
    archive(
      [
        .dictionary(["$class": .uid(2), "NSEntities": .uid(3)]), type("NSManagedObjectModel"),
        .dictionary(["NS.keys": .array([.string("Book")]), "NS.objects": .array([.uid(4)])]),
        .dictionary(["$class": .uid(5), "NSEntityName": .string("Book"), "NSProperties": .uid(6)]),
        type("NSEntityDescription"),
        .dictionary(["NS.keys": .array([.string("a")]), "NS.objects": .array([.uid(7)])]),
        .dictionary(["$class": .uid(8), "NSPropertyName": .string("a")].merging(attribute) { $1 }),
        type("NSAttributeDescription"),
      ] + more)
  }

  private func read(_ bytes: [UInt8]) throws -> DataModel {
    try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom").model
  }

  @Test("The archive that the cases are made of is a model")
  func sound() throws {
    let model = try read(model(["NSAttributeType": .integer(700)]))
    #expect(model.entities.map(\.name) == ["Book"] && model.entities[0].attributes.map(\.type) == [.string])
  }

  @Test("A composite attribute that is among its own elements is an error")
  func composite() throws {
    let bytes = model(
      ["NSAttributeType": .integer(Int64(DataModel.AttributeType.composite.rawValue)), "elements": .uid(9)],
      [.dictionary(["NS.objects": .array([.uid(7)])])])
    let error = #expect(throws: InvalidDataModel.self) { try read(bytes) }
    #expect("\(error as Any)".contains("has itself among its elements"))
  }

  // What is small in a file.

  /// The problems of a source model, or none.
  private func problems(_ body: String) -> String {
    let text = "<model>\(body)</model>"
    do {
      let warnings = try SourceModelReader.model(contents: Array(text.utf8), name: "M", file: "M").warnings
      return warnings.map(\.description).joined(separator: "\n")
    } catch { return "\(error)" }
  }

  /// Composites that each have two attributes of the next one's type.
  private func doubling(_ levels: Int) -> String {
    (0..<levels).map { level in
      let type =
        level + 1 < levels ? "attributeType='Composite' composite='C\(level + 1)'" : "attributeType='String'"
      return "<composite name='C\(level)'><attribute name='a' \(type)/><attribute name='b' \(type)/></composite>"
    }.joined()
  }

  @Test(
    "Composites that double at each level are counted, and not gone through",
    arguments: [(60, "more than 20 deep"), (20, "more than 2,000 attributes"), (10, "more than 2,000 attributes")])
  func doublingComposites(_ levels: Int, _ expected: String) {
    let found = problems(
      "<entity name='A'><attribute name='x' attributeType='Composite' composite='C0'/></entity>" + doubling(levels))
    #expect(found.contains("error") && found.contains(expected), "\(found)")
  }

  @Test("Composites of some hundred attributes are read, and their version hash is that of the last level")
  func largeComposite() throws {
    let text =
      "<model><entity name='A'><attribute name='x' attributeType='Composite' composite='C0'/></entity>"
      + doubling(9) + "</model>"
    let model = try SourceModelReader.model(contents: Array(text.utf8), name: "M", file: "M").model
    let leaf = VersionHash.attribute(
      base: VersionHash.base(name: "a", isOptional: false, isTransient: false), attributeType: 700)
    let other = VersionHash.attribute(
      base: VersionHash.base(name: "b", isOptional: false, isTransient: false), attributeType: 700)
    let leaves = (0..<256).flatMap { _ in [(name: "a", hash: leaf), (name: "b", hash: other)] }
    let hash = VersionHash.entity(
      name: "A", isAbstract: false, superentityHash: nil,
      properties: [(name: "x", hash: VersionHash.composite(leaves: leaves))])
    #expect(model.entityVersionHashes() == ["A": hash])
    let read = try CompiledModelFiles.model(mom: CompiledModelFiles.mom(model), name: "M", file: "M.mom").model
    #expect(read.entityVersionHashes() == ["A": hash])
  }

  @Test("Composites that hold each other are an error for each of them")
  func circularComposites() {
    let bodies = [("A", "B"), ("B", "A"), ("C", "C")].map { name, held in
      "<composite name='\(name)'><attribute name='x' attributeType='Composite' composite='\(held)'/></composite>"
    }
    #expect(
      problems(bodies.joined())
        == ["A", "B", "C"].map { "M:1: error: \($0): the composite holds itself" }.joined(separator: "\n"))
  }

  /// A compiled model in which each entity inherits from the next one by name.
  private func generations(_ count: Int) -> [UInt8] {
    let names = (0..<count).map { PropertyList.string("E\(100_000 + count - $0)") }
    let entities = (0..<count).map { index -> PropertyList in
      var fields: [String: PropertyList] = ["$class": .uid(4), "NSEntityName": names[index]]
      if index > 0 { fields["NSSuperentity"] = .uid(4 + index) }
      return .dictionary(fields)
    }
    return archive(
      [
        .dictionary(["$class": .uid(2), "NSEntities": .uid(3)]), type("NSManagedObjectModel"),
        .dictionary(["NS.keys": .array(names), "NS.objects": .array((0..<count).map { .uid(5 + $0) })]),
        type("NSEntityDescription"),
      ] + entities)
  }

  @Test(
    "Generations without end are an error, in a model that a store keeps as well",
    arguments: [20_000, 5_000], [false, true])
  func manyGenerations(_ count: Int, _ isKept: Bool) {
    let bytes = generations(count)
    let error = #expect(throws: InvalidDataModel.self) {
      try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom", isKept: isKept)
    }
    let expected = count == 20_000 ? "has more than 15,999 entities" : "inherits from more than 200 entities"
    #expect("\(error as Any)".contains(expected), "\(error as Any)")
  }

  @Test("Two hundred ancestors are read, and each version hash has that of the parent in it")
  func twoHundredAncestors() throws {
    let model = try read(generations(201))
    let hashes = model.entityVersionHashes()
    var parent: [UInt8]?
    for entity in model.entities.sorted(by: { $0.name > $1.name }) {
      let hash = VersionHash.entity(name: entity.name, isAbstract: false, superentityHash: parent, properties: [])
      #expect(hashes[entity.name] == hash)
      parent = hash
    }
    #expect(hashes.count == 201)
  }

  @Test("Thousands of properties that hundreds of entities inherit are an error")
  func manyInheritedProperties() {
    let attributes = (0..<4_000).map { "<attribute name='p\($0)' attributeType='String'/>" }.joined()
    let heirs = (0..<300).map { "<entity name='B\($0)' parentEntity='A'/>" }.joined()
    let found = problems("<entity name='A'>\(attributes)</entity>\(heirs)")
    #expect(found.contains("error") && found.contains("more than 1,000,000 properties"), "\(found)")
  }

  @Test("Of thousands of properties the same is found to be wrong as of a few", arguments: [3, 5_000])
  func manyProperties(_ count: Int) {
    let relationships = (0..<count).map { "<relationship name='r\($0)' destinationEntity='B' inverseName='r\($0)'/>" }
    let found = problems(
      "<entity name='A'>\(relationships.joined())<attribute name='x' attributeType='String'/></entity>"
        + "<entity name='B' parentEntity='A'><attribute name='r1' attributeType='String'/>"
        + "<relationship name='y' destinationEntity='A' inverseName='z'/>"
        + "<relationship name='v' destinationEntity='A' inverseName='x'/>"
        + "<uniquenessConstraints><uniquenessConstraint><constraint value='r2'/><constraint value='w'/>"
        + "</uniquenessConstraint></uniquenessConstraints></entity>")
    #expect(
      found
        == [
          "M:1: error: A.r1: the inverse \"r1\" is not a relationship of B",
          "M:1: error: B.r1: its ancestor A already has a property of this name",
          "M:1: error: B.y: the inverse \"z\" is not a relationship of A",
          "M:1: error: B.v: the inverse \"x\" is not a relationship of A",
          "M:1: error: B: a uniqueness constraint names the unknown attribute \"w\"",
        ].joined(separator: "\n"))
  }

  @Test("A model of hundreds of configurations is an error")
  func manyConfigurations() {
    let configurations = (0..<201).map { "<configuration name='c\($0)'/>" }.joined()
    #expect(problems("<entity name='A'/>\(configurations)").contains("more than 200 configurations"))
  }

  @Test("A long text that many objects of an archive share is read only so often")
  func sharedText() throws {
    func sharing(_ count: Int) -> [UInt8] {
      let names = (0..<count).map { PropertyList.string("E\($0)") }
      let entities = names.map { name -> PropertyList in
        .dictionary(["$class": .uid(4), "NSEntityName": name, "NSVersionHashModifier": .uid(5)])
      }
      return archive(
        [
          .dictionary(["$class": .uid(2), "NSEntities": .uid(3)]), type("NSManagedObjectModel"),
          .dictionary(["NS.keys": .array(names), "NS.objects": .array((0..<count).map { .uid(6 + $0) })]),
          type("NSEntityDescription"), .string(String(repeating: "x", count: 200_000)),
        ] + entities)
    }
    let few = try read(sharing(10))
    #expect(few.entities.allSatisfy { $0.versionHashModifier?.utf8.count == 200_000 })
    let error = #expect(throws: InvalidDataModel.self) { try read(sharing(200)) }
    #expect("\(error as Any)".contains("repeat the same objects too often"))
  }

  @Test("Problems without end are told up to a limit, and the model is refused")
  func manyProblems() {
    let name = String(repeating: "N", count: 100_000)
    let attributes = String(repeating: "<attribute name='a' attributeType='Composite'/>", count: 500)
    let found = problems("<entity name='\(name)'>\(attributes)</entity>")
    #expect(found.contains("two properties have this name"))
    #expect(found.utf8.count < 1 << 25)
  }

  // Values and lists.

  @Test("An infinite default of a decimal attribute is not a number", arguments: [Double.infinity, -.infinity, .nan])
  func infiniteDefault(_ value: Double) throws {
    let model = try read(model(["NSAttributeType": .integer(400), "NSDefaultValue": .real(value)]))
    guard case .decimal(let number)? = model.entities[0].attributes[0].defaultValue else {
      Issue.record("no decimal")
      return
    }
    #expect(number.isNaN)
  }

  @Test("Lists that lead to the same objects again and again are read only so often")
  func sharedLists() throws {
    let names = PropertyList.array((0..<2000).map { .string("e\($0)") })
    let bytes = archive([
      .dictionary(["$class": .uid(2), "NSEntities": .uid(3)]), type("NSManagedObjectModel"),
      .dictionary(["NS.keys": names, "NS.objects": .array(Array(repeating: .uid(4), count: 2000))]),
      .dictionary(["$class": .uid(5), "NSEntityName": .string("Book"), "NSProperties": .uid(6)]),
      type("NSEntityDescription"),
      .dictionary(["NS.keys": names, "NS.objects": .array(Array(repeating: .uid(7), count: 2000))]),
      .dictionary(["$class": .uid(8), "NSPropertyName": .string("a"), "NSAttributeType": .integer(700)]),
      type("NSAttributeDescription"),
    ])
    let error = #expect(throws: InvalidDataModel.self) { try read(bytes) }
    #expect("\(error as Any)".contains("repeat the same objects too often"))
  }

  @Test("A constant of a predicate that has itself in it is a warning, as every predicate that can't be read")
  func predicateConstant() throws {
    let bytes = model(
      ["NSAttributeType": .integer(700), "NSValidationPredicates": .uid(9)],
      [
        .dictionary(["NS.objects": .array([.uid(10)])]),
        .dictionary([
          "$class": .uid(11), "NSLeftExpression": .uid(12), "NSRightExpression": .uid(12),
          "NSPredicateOperator": .uid(13),
        ]),
        type("NSComparisonPredicate"), .dictionary(["NSExpressionType": .integer(0), "NSConstantValue": .uid(14)]),
        .dictionary(["NSOperatorType": .integer(4)]), .dictionary(["NS.objects": .array([.uid(14), .uid(14)])]),
      ])
    let found = try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom")
    #expect(found.model.entities[0].attributes[0].validationRules.isEmpty)
    #expect("\(found.warnings)".contains("can't be read") || "\(found.warnings)".contains("nested too deeply"))
  }

  @Test("Property lists in XML are read as Foundation reads them")
  func propertyLists() throws {
    let value: [String: Any] = [
      "integer": -5, "real": 2.5, "yes": true, "text": "a <b> & \"c\"",
      "date": Date(timeIntervalSinceReferenceDate: 86_461),
      "old": Date(timeIntervalSinceReferenceDate: -4_000_000_000), "data": Data([0, 1, 255]),
      "list": [1, ["x": "y"]] as [Any],
    ]
    let xml = try PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0)
    let binary = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    let lists = try [xml, binary].map { try PropertyListReader.read(Array($0)) }
    #expect(lists[0] == lists[1])
    #expect((lists[0].foundationValue as? NSDictionary)?.isEqual(value as NSDictionary) == true)
    for text in ["(((((", "<plist><dict><key>a</key></dict></plist>", "<plist><date>x</date></plist>", ""] {
      #expect(throws: PropertyListError.self) { try PropertyListReader.read(Array(text.utf8)) }
    }
  }

  @Test("A list whose objects overlap is damaged: it would take a day to look at all their references")
  func overlap() {
    var bytes = Array("bplist00".utf8) + [0xAF, 0x11, 0x40, 0x00]
    bytes += [UInt8](repeating: 0, count: 0x4000 * 2)
    let table = bytes.count
    for _ in 0..<60_000 { bytes += [0, 0, 8] }
    bytes += [0, 0, 0, 0, 0, 0, 3, 2]
    for number in [60_000, 0, table] { bytes += (0..<8).reversed().map { UInt8(number >> ($0 * 8) & 0xFF) } }
    #expect(throws: PropertyListError.self) { try BinaryPropertyListReader.read(bytes) }
  }
}
