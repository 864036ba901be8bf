import DataModelFiles
import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Models by URL")
struct ModelLoadingTests {
  static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model userDefinedModelVersionIdentifier="v7" sourceLanguage="Swift">
      <entity name="Item" representedClassName="App.Item" isAbstract="YES" elementID="Thing">
        <attribute name="small" attributeType="Integer 16" defaultValueString="3"/>
        <attribute name="count" attributeType="Integer 32" defaultValueString="4" minValueString="1"
          maxValueString="9"/>
        <attribute name="big" optional="YES" attributeType="Integer 64" defaultValueString="5"/>
        <attribute name="price" attributeType="Decimal" defaultValueString="-12.345" minValueString="0.5"/>
        <attribute name="ratio" attributeType="Float" defaultValueString="0.5" maxValueString="0.1"/>
        <attribute name="title" attributeType="String" defaultValueString="none" minValueString="2"
          maxValueString="10" regularExpressionString="[a-z]+"/>
        <attribute name="made" attributeType="Date" defaultDateTimeInterval="100"
          minDateTimeInterval="50" maxDateTimeInterval="200"/>
        <attribute name="flag" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="key" attributeType="UUID"
          defaultValueString="E621E1F8-C36C-495A-93FC-0C247A3E6E5F"/>
        <attribute name="place" attributeType="URI" defaultValueString="http://example.com/a"/>
        <attribute name="colour" attributeType="Transformable" valueTransformerName="T"
          customClassName="Colour"/>
        <attribute name="lower" derived="YES" derivationExpression="canonical:(title)"
          attributeType="String"/>
        <attribute name="spot" attributeType="Composite" composite="Spot"/>
        <fetchIndex name="byCount" partialIndexPredicate="count &gt; 2">
          <fetchIndexElement property="count" type="Binary" order="descending"/>
        </fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="title"/><constraint value="count"/></uniquenessConstraint>
        </uniquenessConstraints>
        <userInfo><entry key="k" value="v"/></userInfo>
      </entity>
      <entity name="Part" parentEntity="Item">
        <relationship name="whole" optional="YES" maxCount="1" destinationEntity="Whole" inverseName="parts"
          inverseEntity="Whole"/>
        <fetchedProperty name="heavy" optional="YES">
          <fetchRequest name="fetchedPropertyFetchRequest" entity="Part" predicateString="count &gt; 3"/>
        </fetchedProperty>
      </entity>
      <entity name="Whole">
        <relationship name="parts" toMany="YES" ordered="YES" minCount="1" maxCount="5" deletionRule="Cascade"
          destinationEntity="Part" inverseName="whole" inverseEntity="Part"/>
      </entity>
      <fetchRequest name="some" entity="Part" predicateString="count &gt; 3" fetchLimit="7"/>
      <configuration name="Cloud"><memberEntity name="Part"/><memberEntity name="Item"/></configuration>
      <composite name="Spot"><attribute name="x" attributeType="Double" defaultValueString="1.5"/></composite>
    </model>
    """

  /// A folder with the model in each of its forms, removed at the end.
  final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    init(_ contents: String = ModelLoadingTests.contents) throws {
      let version = url.appendingPathComponent("M.xcdatamodeld/V 2.xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
      if let package = try? SourceModelReader.package(at: url.appendingPathComponent("M.xcdatamodeld")) {
        try CompiledModelFiles.write(package, to: url.appendingPathComponent("M.momd"))
      }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
  }

  @Test("The relationships of a model that has thousands are connected, to inherited inverses too")
  func thousands() throws {
    func relationships(_ name: String, to destination: String, inverse: String) -> String {
      (0..<3_000).map { number in
        "<relationship name='\(name)\(number)' maxCount='1' destinationEntity='\(destination)' "
          + "inverseName='\(inverse)\(number)'/>"
      }.joined()
    }
    let folder = TemporaryFolder()
    let model = folder.file("M.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data(
      """
      <model><entity name='A'>\(relationships("to", to: "C", inverse: "from"))</entity>
      <entity name='B'>\(relationships("from", to: "A", inverse: "to"))</entity><entity name='C' parentEntity='B'/></model>
      """.utf8
    ).write(to: model.appendingPathComponent("contents"))
    let loaded = try NSManagedObjectModel(checkedContentsOf: model)
    let to = try #require(loaded.entitiesByName["A"]?.relationshipsByName)
    let from = try #require(loaded.entitiesByName["B"]?.relationshipsByName)
    #expect(to.count == 3_000 && from.count == 3_000)
    for number in 0..<3_000 {
      let one = to["to\(number)"]
      let other = from["from\(number)"]
      #expect(one != nil && one?.inverseRelationship === other && other?.inverseRelationship === one)
    }
  }

  static let forms = ["M.xcdatamodeld", "M.xcdatamodeld/V 2.xcdatamodel", "M.momd", "M.momd/V 2.mom"]

  @Test("Every form gives the same model", arguments: forms)
  func forms(form: String) throws {
    let folder = try Folder()
    let model = try #require(NSManagedObjectModel(contentsOf: folder.url.appendingPathComponent(form)))
    let item = try #require(model.entitiesByName["Item"])
    let attributes = item.attributesByName
    #expect(item.isAbstract && item.managedObjectClassName == "App.Item")
    #expect(item.renamingIdentifier == "Thing" && item.userInfo?["k"] as? String == "v")
    #expect(model.versionIdentifiers == ["v7"])
    #expect(attributes["small"]?.defaultValue as? Int16 == 3)
    #expect(attributes["count"]?.defaultValue as? Int32 == 4)
    #expect(attributes["big"]?.defaultValue as? Int64 == 5)
    #expect(attributes["ratio"]?.defaultValue as? Float == 0.5)
    #expect(attributes["price"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "-12.345"))
    #expect(attributes["title"]?.defaultValue as? String == "none")
    #expect(attributes["made"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 100))
    #expect(attributes["flag"]?.defaultValue as? Bool == true)
    #expect(
      attributes["key"]?.defaultValue as? UUID == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(attributes["place"]?.defaultValue as? URL == URL(string: "http://example.com/a"))
    #expect(attributes["colour"]?.attributeValueClassName == "Colour")
    #expect(attributes["colour"]?.valueTransformerName == "T")
    #expect(attributes["big"]?.isOptional == true && attributes["count"]?.isOptional == false)
    #expect(attributes["count"]?.limits == AttributeLimits(minNumber: 1, maxNumber: 9))
    #expect(attributes["ratio"]?.limits == AttributeLimits(maxNumber: Decimal(string: "0.1")))
    #expect(attributes["title"]?.limits == AttributeLimits(minLength: 2, maxLength: 10, pattern: "[a-z]+"))
    #expect(attributes["made"]?.limits?.minDate == Date(timeIntervalSinceReferenceDate: 50))
    let derived = attributes["lower"] as? NSDerivedAttributeDescription
    #expect(derived?.storedDerivationFormat == "canonical:(title)")
    let composite = attributes["spot"] as? NSCompositeAttributeDescription
    #expect(composite?.elements.map(\.name) == ["x"])
    #expect(item.constraintNames == [["title", "count"]])
    #expect(item.indexes.first?.elements.first?.isAscending == false)
    #expect(item.indexes.first?.storedPartialIndexPredicateFormat == "count > 2")
  }

  @Test("Relationships, inheritance, requests and configurations are joined up", arguments: forms)
  func graph(form: String) throws {
    let folder = try Folder()
    let model = try NSManagedObjectModel(checkedContentsOf: folder.url.appendingPathComponent(form))
    let part = try #require(model.entitiesByName["Part"])
    let whole = try #require(model.entitiesByName["Whole"])
    #expect(part.superentity?.name == "Item")
    #expect(part.attributesByName["title"] != nil)
    let parts = try #require(whole.relationshipsByName["parts"])
    #expect(parts.destinationEntity === part && parts.inverseRelationship?.name == "whole")
    #expect(parts.isOrdered && parts.minCount == 1 && parts.maxCount == 5)
    #expect(parts.deleteRule == .cascadeDeleteRule)
    #expect(parts.inverseRelationship?.inverseRelationship === parts)
    #expect(model.entities(forConfigurationName: "Cloud")?.compactMap(\.name).sorted() == ["Item", "Part"])
    let all = "PF_DEFAULT_CONFIGURATION_NAME"
    for listed in [model, NSManagedObjectModel(byMerging: [model]), model.copy() as? NSManagedObjectModel] {
      #expect(listed?.configurations == ["Cloud", all])
      #expect(listed?.entities(forConfigurationName: all)?.count == model.entities.count)
    }
    let template = model.fetchRequestTemplate(forName: "some")
    #expect(template?.predicate?.predicateFormat == "count > 3" && template?.fetchLimit == 7)
    let heavy = part.propertiesByName["heavy"] as? NSFetchedPropertyDescription
    #expect(heavy?.fetchRequest?.entity === part && heavy?.fetchRequest?.predicate?.predicateFormat == "count > 3")
    let values = try SourceModelReader.package(at: folder.url.appendingPathComponent("M.xcdatamodeld"))
    let expected = values.currentVersion.entityVersionHashes().mapValues { Data($0) }
    #expect(model.entityVersionHashesByName == expected)
    #expect(model.versionChecksum == values.currentVersion.versionChecksum())
    try model.validateForUse()
  }

  @Test("A broken model is nil, or an error that names file, line, entity, property and what")
  func broken() throws {
    let folder = try Folder(
      "<model><entity name='A'>\n<relationship name='b' destinationEntity='B'/></entity></model>")
    let url = folder.url.appendingPathComponent("M.xcdatamodeld")
    #expect(NSManagedObjectModel(contentsOf: url) == nil)
    do {
      _ = try NSManagedObjectModel(checkedContentsOf: url)
      Issue.record("no error")
    } catch let error as NSError {
      #expect(error.domain == NSCocoaErrorDomain)
      #expect(
        error.localizedDescription.contains(
          "V 2.xcdatamodel/contents:2: error: A.b: unknown destination entity \"B\""),
        "\(error)")
    }
  }

  @Test(
    "What is no model file is nil", arguments: ["none.momd", "none.mom", "none.xcdatamodeld", "none.txt"])
  func missing(name: String) {
    #expect(NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/nowhere/\(name)")) == nil)
    #expect(throws: NSError.self) {
      try NSManagedObjectModel(checkedContentsOf: URL(fileURLWithPath: "/nowhere/\(name)"))
    }
  }

  @Test("For an optimized model the compiled one beside it is read; without it the error says so")
  func optimized() throws {
    let folder = try Folder()
    let momd = folder.url.appendingPathComponent("M.momd")
    let optimized = momd.appendingPathComponent("V 2.omo")
    try Data("momv2$".utf8).write(to: optimized)
    #expect(NSManagedObjectModel(contentsOf: optimized)?.entitiesByName["Part"] != nil)
    try FileManager.default.removeItem(at: momd.appendingPathComponent("V 2.mom"))
    for url in [momd, optimized] {
      let error = #expect(throws: NSError.self) { try NSManagedObjectModel(checkedContentsOf: url) }
      #expect(error?.localizedDescription.contains("only the optimized form (.omo)") == true, "\(url.path)")
    }
  }

  @Test("Every model of public projects opens", .enabled(if: Corpus.root != nil, "COREDATA_CORPUS is not set"))
  func corpus() throws {
    var opened: [String: Int] = [:]
    let folders = [
      ("models", ["xcdatamodeld", "xcdatamodel"]), ("models_at_store_commit", ["xcdatamodeld", "xcdatamodel"]),
      ("compiled", ["momd", "mom", "omo"]),
    ]
    for (folder, types) in folders {
      for type in types {
        for url in Corpus.files(in: folder, extension: type) where !Self.isEmptyPackage(url) {
          do {
            let model = try NSManagedObjectModel(checkedContentsOf: url)
            try model.validateForUse()
            #expect(!model.entities.isEmpty || type != "momd")
            opened[type, default: 0] += 1
          } catch {
            Issue.record("\(url.path): \(error)")
          }
        }
      }
    }
    print("models opened: \(opened)")
    #expect(opened["xcdatamodel", default: 0] > 100 && opened["momd", default: 0] > 3)
  }

  /// Some packages of the samples came without their versions.
  private static func isEmptyPackage(_ url: URL) -> Bool {
    guard url.pathExtension == "xcdatamodeld" else { return false }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return !names.contains { $0.hasSuffix(".xcdatamodel") }
  }

  @Test("A number that is written as the limit is within it, and its neighbour beyond is not", arguments: forms)
  func numberLimits(form: String) throws {
    struct Limit {
      let type: String
      let field: String
      let text: String
      let within: [NSNumber]
      let beyond: [NSNumber]
    }
    let great = NSNumber(value: Double.greatestFiniteMagnitude)
    var limits = [
      Limit(
        type: "Float", field: "maxValueString", text: "0.1", within: [NSNumber(value: Float(0.1))],
        beyond: [NSNumber(value: Float(0.1).nextUp), NSNumber(value: Float.infinity)]),
      Limit(
        type: "Float", field: "minValueString", text: "0.7", within: [NSNumber(value: Float(0.7))],
        beyond: [NSNumber(value: Float(0.7).nextDown)]),
      Limit(
        type: "Integer 64", field: "maxValueString", text: "9223372036854775806",
        within: [NSNumber(value: Int64.max - 1)], beyond: [NSNumber(value: Int64.max)]),
      Limit(
        type: "Integer 64", field: "minValueString", text: "-9223372036854775807",
        within: [NSNumber(value: Int64.min + 1)], beyond: [NSNumber(value: Int64.min)]),
      Limit(
        type: "Integer 64", field: "maxValueString", text: "9223372036854775807",
        within: [NSNumber(value: Int64.max)], beyond: []),
      Limit(
        type: "Decimal", field: "maxValueString", text: "1.06", within: [NSDecimalNumber(string: "1.06")],
        beyond: [NSDecimalNumber(string: "1.0600000000000000000000000001")]),
      Limit(type: "Double", field: "minValueString", text: "0", within: [1e-200, 0, great], beyond: [-1e-200]),
    ]
    for text in ["1.06", "0.07", "0.14", "0.28", "1.11", "1.87", "0.47", "0.57", "1.13", "3.133"] {
      let limit = try #require(Double(text))
      limits.append(
        Limit(
          type: "Double", field: "maxValueString", text: text, within: [NSNumber(value: limit), -1e-200],
          beyond: [NSNumber(value: limit.nextUp), great]))
      limits.append(
        Limit(
          type: "Double", field: "minValueString", text: text, within: [NSNumber(value: limit), great],
          beyond: [NSNumber(value: limit.nextDown), 1e-200]))
    }
    let attributes = limits.enumerated().map { number, limit in
      "<attribute name='a\(number)' optional='YES' attributeType='\(limit.type)' \(limit.field)='\(limit.text)'/>"
    }
    let folder = try Folder("<model><entity name='Item'>\(attributes.joined())</entity></model>")
    let model = try NSManagedObjectModel(checkedContentsOf: folder.url.appendingPathComponent(form))
    let item = NSManagedObject(entity: try #require(model.entitiesByName["Item"]), insertInto: nil)
    for (number, limit) in limits.enumerated() {
      let code = limit.field == "maxValueString" ? NSValidationNumberTooLargeError : NSValidationNumberTooSmallError
      for (values, expected) in [(limit.within, nil), (limit.beyond, code)] {
        for value in values {
          item.setValue(value, forKey: "a\(number)")
          var found: Int?
          do { try item.validateForInsert() } catch { found = (error as NSError).code }
          #expect(found == expected, "\(value) of \(limit.type), \(limit.field) \(limit.text)")
        }
      }
      item.setValue(nil, forKey: "a\(number)")
    }
  }

  @Test("A constant typed for another type is converted or left out, and a limit is any number", arguments: forms)
  func constantsOfOtherTypes(form: String) throws {
    let folder = try Folder(
      """
      <model><entity name="Item">
      <attribute name="small" attributeType="Integer 16" defaultValueString="0.0" minValueString="-1e20"
        maxValueString="65535"/>
      <attribute name="part" optional="YES" attributeType="Integer 32" maxValueString="2.5"/>
      <attribute name="off" attributeType="Boolean" defaultValueString="0.0" maxValueString="9"/>
      <attribute name="on" attributeType="Boolean" defaultValueString="2"/>
      <attribute name="count" attributeType="Integer 32" defaultValueString="YES"/>
      <attribute name="price" attributeType="Decimal" defaultValueString="no"/>
      <attribute name="large" optional="YES" attributeType="Integer 16" defaultValueString="70000"/>
      <attribute name="half" optional="YES" attributeType="Integer 64" defaultValueString="0.5"/>
      <attribute name="odd" optional="YES" attributeType="Boolean" defaultValueString="maybe"/>
      <attribute name="key" optional="YES" attributeType="UUID" defaultValueString="0"/>
      </entity></model>
      """)
    let model = try NSManagedObjectModel(checkedContentsOf: folder.url.appendingPathComponent(form))
    try model.validateForUse()
    let entity = try #require(model.entitiesByName["Item"])
    let attributes = entity.attributesByName
    #expect(attributes["small"]?.defaultValue as? Int16 == 0)
    #expect(attributes["off"]?.defaultValue as? Bool == false && attributes["on"]?.defaultValue as? Bool == true)
    #expect(attributes["count"]?.defaultValue as? Int32 == 1)
    #expect(attributes["price"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "0"))
    for name in ["large", "half", "odd", "key"] { #expect(attributes[name]?.defaultValue == nil, "\(name)") }
    let small = try #require(attributes["small"])
    #expect(small.limits == AttributeLimits(minNumber: Decimal(string: "-1e20"), maxNumber: 65535))
    for number in [Int16.min, 0, .max] {
      #expect(small.validationPredicates.allSatisfy { $0.evaluate(with: NSNumber(value: number)) })
    }
    let item = NSManagedObject(entity: entity, insertInto: nil)
    item.setValue(NSNumber(value: Int16.max), forKey: "small")
    item.setValue(NSNumber(value: 2), forKey: "part")
    try item.validateForInsert()
    item.setValue(NSNumber(value: 3), forKey: "part")
    #expect {
      try item.validateForInsert()
    } throws: {
      ($0 as NSError).code == NSValidationNumberTooLargeError
    }
  }

  @Test("The limits of each form of model file are the comparisons that Apple's compiler writes", arguments: forms)
  func limitForms(_ form: String) throws {
    let folder = try Folder()
    let file = folder.url.appendingPathComponent(form)
    let item = try #require(NSManagedObjectModel(contentsOf: file)?.entitiesByName["Item"])
    func rules(_ name: String) -> [String]? { item.attributesByName[name]?.validationPredicates.map(\.predicateFormat) }
    #expect(rules("count") == ["SELF >= 1", "SELF <= 9"])
    #expect(rules("title") == ["length >= 2", "length <= 10", "SELF MATCHES \"[a-z]+\""])
    #expect(rules("made") == ["timeIntervalSinceReferenceDate >= 50", "timeIntervalSinceReferenceDate <= 200"])
    if form.hasSuffix(".mom") {
      #expect(try Data(contentsOf: file).range(of: Data("timeIntervalSinceReferenceDate".utf8)) != nil)
    }
  }

  @Test("Rules that a program sets replace the limits of the model file")
  func replacedLimits() throws {
    let folder = try Folder()
    let model = try #require(NSManagedObjectModel(contentsOf: folder.url.appendingPathComponent("M.momd")))
    let count = try #require(model.entitiesByName["Item"]?.attributesByName["count"])
    #expect(count.validationPredicates.count == 2)
    count.setValidationPredicates([], withValidationWarnings: [])
    #expect(count.validationPredicates.isEmpty && count.validationWarnings.isEmpty)
  }
}

@Suite("Resources beside the executable")
struct PackageResourcesTests {
  /// An executable "Tool", and folders of resources that each hold Model.momd.
  private func place(_ folders: [String], executable text: String = "") throws -> URL {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    for folder in folders {
      try FileManager.default.createDirectory(
        at: root.appendingPathComponent(folder).appendingPathComponent("Model.momd"),
        withIntermediateDirectories: true)
    }
    try Data(text.utf8).write(to: root.appendingPathComponent("Tool"))
    return root.appendingPathComponent("Tool")
  }

  private func holder(_ folders: [String], executable text: String = "") throws -> String? {
    let tool = try place(folders, executable: text)
    defer { try? FileManager.default.removeItem(at: tool.deletingLastPathComponent()) }
    return PackageResources.url(of: "Model", extension: "momd", executable: tool)?
      .deletingLastPathComponent().lastPathComponent
  }

  @Test("The program's own folder comes first")
  func own() throws {
    #expect(try holder(["P_A.resources", "P_Tool.resources", "P_ToolKit.resources"]) == "P_Tool.resources")
  }

  @Test("Then the folder whose name begins as the program's")
  func related() throws {
    #expect(try holder(["P_A.resources", "P_ToolKit.resources"]) == "P_ToolKit.resources")
  }

  @Test("Then the folder of a target that is linked")
  func linked() throws {
    #expect(
      try holder(["P_A.resources", "P_B.resources"], executable: "..P_B.resources..") == "P_B.resources")
    // The file begins with the end of a name, and names follow each other.
    let folders = ["P_A.resources", "P_B.resources", "P_C.resources"]
    #expect(
      try holder(folders, executable: "_A.resourcesP_C.resources.resourcesP_B.resources") == "P_B.resources")
  }

  @Test("An empty extension means all of a target's resources, as it does of a bundle's")
  func everyResource() throws {
    let tool = try place(["P_Tool.resources"], executable: "P_Tool.resources")
    defer { try? FileManager.default.removeItem(at: tool.deletingLastPathComponent()) }
    try Data().write(to: tool.deletingLastPathComponent().appendingPathComponent("P_Tool.resources/notes.txt"))
    func names(_ type: String) -> [String] {
      PackageResources.urls(extension: type, in: nil, executable: tool).map(\.lastPathComponent)
    }
    #expect(names("") == ["Model.momd", "notes.txt"])
    #expect(names("momd") == ["Model.momd"])
  }

  @Test("Nothing is found where nothing is")
  func none() throws {
    #expect(try holder([]) == nil)
    #expect(Bundle.main.url(forResource: "no such thing", withExtension: "momd") == nil)
    #expect(Bundle.main.path(forResource: "no such thing", ofType: "momd") == nil)
    #expect(Bundle.main.url(forResource: "no such thing", withExtension: "mom", subdirectory: "Model.momd") == nil)
    #expect(Bundle.main.urls(forResourcesWithExtension: "mom", subdirectory: "no such thing") ?? [] == [])
    #expect(Bundle.main.paths(forResourcesOfType: "nothing", inDirectory: nil).isEmpty)
  }

  @Test("An element of a composite attribute that is changed makes another version of what a file states")
  func changedElement() throws {
    let folder = try ModelLoadingTests.Folder()
    func loaded() throws -> NSManagedObjectModel {
      try #require(NSManagedObjectModel(contentsOf: folder.url.appendingPathComponent("M.momd")))
    }
    for makes in [{ $0 }, { $0.copy() as! NSManagedObjectModel }] as [(NSManagedObjectModel) -> NSManagedObjectModel] {
      let model = makes(try loaded())
      let spot = try #require(
        model.entitiesByName["Item"]?.attributesByName["spot"] as? NSCompositeAttributeDescription)
      spot.elements[0].attributeType = .integer64AttributeType
      #expect(try model.versionChecksum != loaded().versionChecksum)
    }
  }

  /// The indexes of a new store of the compiled model, but for those of keys.
  private func indexNames(in folder: ModelLoadingTests.Folder) throws -> [String?] {
    let model = try #require(NSManagedObjectModel(contentsOf: folder.url.appendingPathComponent("M.momd")))
    let url = folder.url.appendingPathComponent("items.sqlite")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.remove(coordinator.addPersistentStore(type: .sqlite, at: url))
    return try Connection(path: url.path, options: Connection.Options())
      .rows("SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z_Item%' ORDER BY name").map { $0[0] }
  }

  @Test("A fetch index of a compiled model also marks its only attribute, so a store has two indexes, as Apple's have")
  func indexes() throws {
    let folder = try ModelLoadingTests.Folder(
      """
      <model><entity name="Item"><attribute name="count" optional="YES" attributeType="Integer 32"/>
      <attribute name="size" optional="YES" attributeType="Integer 32" indexed="YES"/>
      <fetchIndex name="byCount"><fetchIndexElement property="count" type="Binary" order="ascending"/></fetchIndex>
      </entity></model>
      """)
    let indexes = try indexNames(in: folder)
    #expect(indexes == ["Z_Item_byCount", "Z_Item_count", "Z_Item_size"])
  }

  @Test("A compound index of a compiled model that repeats a fetch index is in a store once, any other is made")
  func compoundIndexes() throws {
    let folder = try ModelLoadingTests.Folder(
      """
      <model><entity name="Item"><attribute name="count" optional="YES" attributeType="Integer 32"/>
      <attribute name="size" optional="YES" attributeType="Integer 32"/>
      <fetchIndex name="byBoth"><fetchIndexElement property="count" type="Binary" order="ascending"/>
      <fetchIndexElement property="size" type="Binary" order="descending"/></fetchIndex>
      <compoundIndexes><compoundIndex><index value="count"/><index value="size"/></compoundIndex>
      <compoundIndex><index value="size"/><index value="count"/></compoundIndex></compoundIndexes>
      </entity></model>
      """)
    defer { withExtendedLifetime(folder) {} }
    let indexes = try indexNames(in: folder)
    #expect(indexes == ["Z_Item_byBoth", "Z_Item_size_count"])
  }
}
