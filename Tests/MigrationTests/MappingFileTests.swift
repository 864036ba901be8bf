import CoreData
import DataModelFiles
import Foundation
import Testing

/// Two versions of a model, a mapping model between them that has no models in it, and its compiled form.
final class MappingFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

  static let one = """
    <entity name="Person"><attribute name="first" optional="YES" attributeType="String"/>
      <attribute name="last" optional="YES" attributeType="String"/>
      <attribute name="points" optional="YES" attributeType="Integer 16"/>
      <relationship name="home" optional="YES" maxCount="1" destinationEntity="Town" inverseName="people"/>
      <relationship name="towns" optional="YES" toMany="YES" destinationEntity="Town" inverseName="guests"/></entity>
    <entity name="Town"><attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="people" optional="YES" toMany="YES" destinationEntity="Person" inverseName="home"/>
      <relationship name="guests" optional="YES" toMany="YES" destinationEntity="Person" inverseName="towns"/></entity>
    <entity name="Same"><attribute name="a" optional="YES" attributeType="String"/></entity>
    """
  static let two = """
    <entity name="Human"><attribute name="name" optional="YES" attributeType="String"/>
      <attribute name="town" optional="YES" attributeType="String"/>
      <attribute name="points" optional="YES" attributeType="Integer 16"/>
      <relationship name="home" optional="YES" maxCount="1" destinationEntity="Town" inverseName="people"/>
      <relationship name="towns" optional="YES" toMany="YES" ordered="YES" destinationEntity="Town"
        inverseName="guests"/></entity>
    <entity name="Town"><attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="people" optional="YES" toMany="YES" destinationEntity="Human" inverseName="home"/>
      <relationship name="guests" optional="YES" toMany="YES" destinationEntity="Human" inverseName="towns"/></entity>
    <entity name="Same"><attribute name="a" optional="YES" attributeType="String"/></entity>
    """

  init() throws {
    for (version, entities) in [("One", Self.one), ("Two", Self.two)] {
      let folder = url.appendingPathComponent("Model.xcdatamodeld/\(version).xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("<model>\(entities)</model>".utf8).write(to: folder.appendingPathComponent("contents"))
    }
    let package = url.appendingPathComponent("One to two.xcmappingmodel")
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    try Data(Self.mapping.utf8).write(to: package.appendingPathComponent("xcmapping.xml"))
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func model(_ version: String) throws -> NSManagedObjectModel {
    try NSManagedObjectModel(
      checkedContentsOf: url.appendingPathComponent("Model.xcdatamodeld/\(version).xcdatamodel"))
  }

  var source: URL { url.appendingPathComponent("One to two.xcmappingmodel") }

  /// Puts another filter of the towns into the mapping model's text.
  func setFilter(_ filter: String) throws {
    let file = source.appendingPathComponent("xcmapping.xml")
    let text = Self.mapping.replacingOccurrences(of: "name != \"Nowhere\"", with: filter)
    try Data(text.utf8).write(to: file)
  }

  /// A folder with the compiled mapping model under these names; as a bundle.
  func bundle(_ names: String..., change: (inout MappingModelFile) -> Void = { _ in }) throws -> Bundle {
    let folder = url.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in names {
      var file = try MappingModelFiles.model(at: source).model
      change(&file)
      for index in file.entityMappings.indices { file.entityMappings[index].userInfo = ["file": .string(name)] }
      try Data(MappingModelFiles.cdm(file)).write(to: folder.appendingPathComponent(name + ".cdm"))
    }
    return try #require(Bundle(path: folder.path))
  }

  private static let mapping = """
    <?xml version="1.0"?>
    <database>
    <object type="XDDEVMAPPINGMODEL" id="z1">
      <attribute name="sourcemodelpath" type="string">App/Model.xcdatamodeld/One.xcdatamodel</attribute>
      <attribute name="destinationmodelpath" type="string">App/Model.xcdatamodeld/Two.xcdatamodel</attribute>
      <relationship name="entitymappings" type="0/0" destination="X" idrefs="z2 z3 z4"></relationship>
    </object>
    <object type="XDDEVENTITYMAPPING" id="z2">
      <attribute name="sourcename" type="string">Person</attribute>
      <attribute name="destinationname" type="string">Human</attribute>
      <attribute name="mappingtypename" type="string">Undefined</attribute>
      <attribute name="mappingnumber" type="int16">1</attribute>
      <attribute name="autogenerateexpression" type="bool">1</attribute>
      <relationship name="attributemappings" type="0/0" destination="X" idrefs="z5 z6 z7"></relationship>
      <relationship name="relationshipmappings" type="0/0" destination="X" idrefs="z8 z9"></relationship>
    </object>
    <object type="XDDEVENTITYMAPPING" id="z3">
      <attribute name="sourcename" type="string">Town</attribute>
      <attribute name="destinationname" type="string">Town</attribute>
      <attribute name="mappingnumber" type="int16">2</attribute>
      <attribute name="autogenerateexpression" type="bool">1</attribute>
      <attribute name="sourcefilterpredicatestring" type="string">name != "Nowhere"</attribute>
      <relationship name="attributemappings" type="0/0" destination="X" idrefs="z10"></relationship>
    </object>
    <object type="XDDEVENTITYMAPPING" id="z4">
      <attribute name="sourcename" type="string">Same</attribute>
      <attribute name="destinationname" type="string">Same</attribute>
      <attribute name="mappingnumber" type="int16">3</attribute>
      <attribute name="autogenerateexpression" type="bool">1</attribute>
      <relationship name="attributemappings" type="0/0" destination="X" idrefs="z11"></relationship>
    </object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z5"><attribute name="name" type="string">name</attribute></object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z6"><attribute name="name" type="string">town</attribute></object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z7"><attribute name="name" type="string">points</attribute></object>
    <object type="XDDEVRELATIONSHIPMAPPING" id="z8"><attribute name="name" type="string">home</attribute>
      <attribute name="autogenerateexpression" type="bool">1</attribute></object>
    <object type="XDDEVRELATIONSHIPMAPPING" id="z9"><attribute name="name" type="string">towns</attribute>
      <attribute name="sourcemappingname" type="string">TownToTown</attribute></object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z10"><attribute name="name" type="string">name</attribute></object>
    <object type="XDDEVATTRIBUTEMAPPING" id="z11"><attribute name="name" type="string">a</attribute></object>
    </database>
    """
}

@Suite("Mapping models by URL and in bundles")
struct MappingFileTests {
  private func found(_ bundle: Bundle, _ one: NSManagedObjectModel?, _ two: NSManagedObjectModel?) -> String? {
    NSMappingModel(from: [bundle], forSourceModel: one, destinationModel: two)?
      .entityMappings.first?.userInfo?["file"] as? String
  }

  @Test("A mapping model is read from its compiled file and from the editor's, with the same content")
  func byURL() throws {
    let folder = try MappingFolder()
    let compiled = try folder.bundle("One to two")
    let (one, two) = (try folder.model("One"), try folder.model("Two"))
    let urls = [folder.source, compiled.bundleURL.appendingPathComponent("One to two.cdm")]
    let models = try urls.map { try NSMappingModel(checkedContentsOf: $0) }
    for model in models {
      #expect(model.entityMappings.map(\.name) == ["PersonToHuman", "TownToTown", "SameToSame"])
      let types: [NSEntityMappingType] = [
        .transformEntityMappingType, .transformEntityMappingType, .copyEntityMappingType,
      ]
      #expect(model.entityMappings.map(\.mappingType) == types)
      let person = try #require(model.entityMappingsByName["PersonToHuman"])
      #expect(person.sourceEntityVersionHash == one.entityVersionHashesByName["Person"])
      #expect(person.destinationEntityVersionHash == two.entityVersionHashesByName["Human"])
      #expect(
        person.attributeMappings?.map { "\($0.name!) \($0.valueExpression?.description ?? "-")" } == [
          "name -", "points $source.points", "town -",
        ])
      #expect(
        person.relationshipMappings?.map { "\($0.valueExpression!)" } == [
          "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\" , \"home\", "
            + "$source.home)",
          "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\" , \"TownToTown\", "
            + "$source.towns)",
        ])
      #expect(model.entityMappingsByName["TownToTown"]?.sourceExpression is NSFetchRequestExpression)
    }
    #expect(NSMappingModel(contentsOf: urls[1]) != nil)
  }

  @Test("What can't be read is nil, or an error that names the file and what is wrong")
  func unreadable() throws {
    let folder = try MappingFolder()
    let url = folder.url.appendingPathComponent("Broken.cdm")
    #expect(NSMappingModel(contentsOf: nil) == nil)
    #expect(NSMappingModel(contentsOf: url) == nil)
    #expect(throws: (any Error).self) { try NSMappingModel(checkedContentsOf: url) }
    try Data([1, 2, 3]).write(to: url)
    #expect(NSMappingModel(contentsOf: url) == nil)
    do {
      _ = try NSMappingModel(checkedContentsOf: url)
      Issue.record("it was read")
    } catch let error as NSError {
      #expect(error.domain == NSCocoaErrorDomain && error.code == 259)
      #expect(error.localizedDescription.contains("Broken.cdm"))
      #expect(error.localizedDescription.contains("property list"))
    }
  }

  @Test("A bundle's mapping model is found by the version hashes of both models, the first by name")
  func inBundle() throws {
    let folder = try MappingFolder()
    let (one, two) = (try folder.model("One"), try folder.model("Two"))
    let bundle = try folder.bundle("b", "a", "c")
    #expect(found(bundle, one, two) == "a")
    #expect(found(bundle, two, one) == nil)
    #expect(found(bundle, one, one) == nil)
    #expect(found(bundle, nil, two) == nil)
    #expect(found(bundle, one, nil) == nil)
    #expect(found(try folder.bundle(), one, two) == nil)
  }

  @Test("The order of the entity mappings does not matter, a hash of another version does")
  func hashes() throws {
    let folder = try MappingFolder()
    let (one, two) = (try folder.model("One"), try folder.model("Two"))
    #expect(found(try folder.bundle("x") { $0.entityMappings.reverse() }, one, two) == "x")
    #expect(found(try folder.bundle("x") { $0.entityMappings[0].sourceHash = [1] }, one, two) == nil)
    #expect(found(try folder.bundle("x") { $0.entityMappings[2].destinationHash = nil }, one, two) == nil)
    #expect(found(try folder.bundle("x") { $0.entityMappings[1].sourceName = "Nobody" }, one, two) == nil)
  }

  @Test("A mapping model may leave out entities, also one that has changed, but not all")
  func coverage() throws {
    let folder = try MappingFolder()
    let (one, two) = (try folder.model("One"), try folder.model("Two"))
    #expect(found(try folder.bundle("x") { $0.entityMappings.remove(at: 2) }, one, two) == "x")
    #expect(found(try folder.bundle("x") { $0.entityMappings.remove(at: 1) }, one, two) == "x")
    #expect(found(try folder.bundle("x") { $0.entityMappings = [] }, one, two) == nil)
  }

  @Test("A mapping model that maps each changed entity comes before one that leaves one out, whatever their names")
  func preference() throws {
    let folder = try MappingFolder()
    let (one, two) = (try folder.model("One"), try folder.model("Two"))
    let part = try folder.bundle("a", "d") { $0.entityMappings.remove(at: 1) }
    let whole = try folder.bundle("c", "b") { $0.entityMappings.remove(at: 2) }
    for bundles in [[part, whole], [whole, part]] {
      let model = NSMappingModel(from: bundles, forSourceModel: one, destinationModel: two)
      #expect(model?.entityMappings.first?.userInfo?["file"] as? String == "b")
    }
    #expect(found(part, one, two) == "a")
  }

  @Test(
    "Objects of an entity that a mapping model leaves out are gone after the migration, and nothing leads to them",
    arguments: ManagerStore.allCases)
  func leftOut(_ kind: ManagerStore) throws {
    let folder = try MappingFolder()
    let (one, two) = (try folder.model("One"), try folder.model("Two"))
    let (old, new) = (folder.url.appendingPathComponent("old"), folder.url.appendingPathComponent("new"))
    try ManagerStack.fill(kind, one, old) { context in
      let towns = ["Paris", "Pisa"].map { context.make("Town", ["name": $0]) }
      context.make("Person", ["points": 7, "home": towns[0], "towns": NSSet(array: towns)])
      context.make("Same", ["a": "kept"])
    }
    let bundle = try folder.bundle("x") { $0.entityMappings.remove(at: 1) }
    let mapping = try #require(NSMappingModel(from: [bundle], forSourceModel: one, destinationModel: two))
    try NSMigrationManager(sourceModel: one, destinationModel: two).migrateStore(
      from: old, type: kind.type, mapping: mapping, to: new, type: kind.type)
    try ManagerStack.read(kind, two, new) { context throws in
      let human = try #require(try context.all("Human", by: "points").first)
      #expect(human.value(forKey: "points") as? Int == 7)
      #expect(human.object("home") == nil && human.texts("towns", "name") == [])
      try expect(context, 0, "Town")
      try expect(context, 1, "Same")
    }
  }
}
