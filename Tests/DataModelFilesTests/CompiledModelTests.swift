import DataModelFiles
import Foundation
import Testing

@Suite("Compiled models")
struct CompiledModelTests {
  static let contents = """
    <model userDefinedModelVersionIdentifier="v7" sourceLanguage="Swift">
      <entity name="Item" representedClassName="App.Item" isAbstract="YES" elementID="Thing">
        <attribute name="count" attributeType="Integer 32" defaultValueString="3" minValueString="1"
          maxValueString="9" usesScalarValueType="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="-12.345"
          minValueString="0.5"/>
        <attribute name="title" attributeType="String" defaultValueString="" maxValueString="10"
          regularExpressionString="[a-z]+" versionHashModifier="2"/>
        <attribute name="made" attributeType="Date" defaultDateTimeInterval="631123200.5"/>
        <attribute name="flag" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="key" attributeType="UUID"
          defaultValueString="E621E1F8-C36C-495A-93FC-0C247A3E6E5F"/>
        <attribute name="place" attributeType="URI" defaultValueString="http://example.com/a"/>
        <attribute name="blob" attributeType="Binary" allowsExternalBinaryDataStorage="YES"
          preserveAfterDeletion="YES" spotlightIndexingEnabled="YES"/>
        <attribute name="colour" attributeType="Transformable" valueTransformerName="T"
          customClassName="Colour"/>
        <attribute name="upper" derived="YES" derivationExpression="canonical:(title)"
          attributeType="String"/>
        <attribute name="spot" attributeType="Composite" composite="Spot"/>
        <fetchIndex name="byCount">
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
          <fetchRequest name="fetchedPropertyFetchRequest" entity="Part" predicateString="count &gt; $x"/>
        </fetchedProperty>
      </entity>
      <entity name="Whole">
        <relationship name="parts" toMany="YES" ordered="YES" minCount="1" maxCount="5" deletionRule="Cascade"
          destinationEntity="Part" inverseName="whole" inverseEntity="Part"/>
      </entity>
      <fetchRequest name="some" entity="Part" predicateString="count &gt; 3" fetchLimit="7"
        returnDistinctResults="YES" includeSubentities="NO" resultType="2"/>
      <configuration name="Cloud"><memberEntity name="Part"/></configuration>
      <composite name="Spot"><attribute name="x" attributeType="Double" defaultValueString="1.5"/></composite>
    </model>
    """

  static func model() throws -> DataModel {
    try SourceModelReader.model(contents: Array(contents.utf8), name: "V 7", file: "contents").model
  }

  @Test("A model is written and read back the same")
  func roundTrip() throws {
    let model = try Self.model()
    let bytes = CompiledModelFiles.mom(model)
    let back = try CompiledModelFiles.model(mom: bytes, name: "V 7", file: "V 7.mom")
    #expect(back.warnings.isEmpty)
    #expect(back.model.compiledForm == model.compiledForm)
    #expect(back.model.entityVersionHashes() == model.entityVersionHashes())
    let item = try #require(back.model.entity(named: "Item"))
    #expect(
      item.attributes.first { $0.name == "price" }?.defaultValue == .decimal(Decimal(string: "-12.345")!))
    #expect(item.attributes.first { $0.name == "title" }?.maximum == .integer(10))
    #expect(item.attributes.first { $0.name == "made" }?.defaultValue == .date(631_123_200.5))
  }

  @Test("A property with the name of a member is a warning in a compiled model, and nothing in one that a store keeps")
  func reservedName() throws {
    var film = DataModel.Entity(name: "Film")
    film.attributes = [DataModel.Attribute(name: "release", type: .date)]
    var model = DataModel(name: "M")
    model.entities = [film]
    let bytes = CompiledModelFiles.mom(model)
    let read = try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom")
    #expect(read.model.entities[0].attributes.map(\.name) == ["release"])
    #expect(
      read.warnings.map(\.description)
        == ["M.mom: warning: Film.release: the name is taken: NSManagedObject has a member of this name"])
    let kept = try CompiledModelFiles.model(mom: bytes, name: "M", file: "M.mom", isKept: true)
    #expect(kept.model == read.model && kept.warnings.isEmpty)
  }

  @Test("Foundation reads the property list that we write")
  func foundationReads() throws {
    let bytes = CompiledModelFiles.mom(try Self.model())
    let plist = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    let archive = try #require(plist as? [String: Any])
    #expect(archive["$archiver"] as? String == "NSKeyedArchiver")
    #expect((archive["$objects"] as? [Any])?.count ?? 0 > 100)
  }

  @Test("The bit set of each kind of property is Apple's")
  func propertyBits() throws {
    guard
      case .dictionary(let archive) = try BinaryPropertyListReader.read(
        CompiledModelFiles.mom(try Self.model()))
    else {
      Issue.record("The compiled model is no dictionary.")
      return
    }
    let objects = try #require(archive["$objects"]?.array)
    var bits: [String: Int] = [:]
    for object in objects {
      guard let fields = object.dictionary, let name = fields["NSPropertyName"]?.uid, let value = fields["_P"]
      else { continue }
      bits[objects[name].string ?? ""] = value.integer
    }
    #expect(bits["flag"] == 241)
    #expect(bits["whole"] == 243)
    #expect(bits["heavy"] == 255)
    #expect(bits["parts"] == 1265)
    #expect(bits["count"] == 241 - 48)
    #expect(bits["title"] == 241 - 48 - 128)
  }

  @Test("Writing a package empties its folder, and the plist names version, hashes and checksum")
  func package() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let momd = folder.appendingPathComponent("M.momd")
    try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
    try Data().write(to: momd.appendingPathComponent("Stale.mom"))
    let model = try Self.model()
    let package = DataModelPackage(name: "M", versions: [model], currentVersionName: "V 7")
    try CompiledModelFiles.write(package, to: momd)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: momd.path).sorted() == [
        "V 7.mom", "VersionInfo.plist",
      ])
    #expect(try CompiledModelFiles.currentVersion(of: momd).lastPathComponent == "V 7.mom")
    #expect(try CompiledModelFiles.package(at: momd).currentVersion.entities.count == 3)
    let info = try #require(
      FileManager.default.contents(atPath: momd.appendingPathComponent("VersionInfo.plist").path))
    let plist = try #require(try BinaryPropertyListReader.read(Array(info)).dictionary)
    let hashes = plist["NSManagedObjectModel_VersionHashes"]?.dictionary?["V 7"]?.dictionary
    #expect(hashes?["Part"]?.data == model.entityVersionHashes()["Part"])
    #expect(
      plist["NSManagedObjectModel_VersionChecksums"]?.dictionary?["V 7"]?.string == model.versionChecksum())
  }

  @Test("What is not a compiled model is not replaced by one, and a link to one stays a link")
  func notReplaced() throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? files.removeItem(at: folder) }
    let package = DataModelPackage(name: "M", versions: [try Self.model()], currentVersionName: "V 7")
    let mine = folder.appendingPathComponent("Mine.momd")
    try files.createDirectory(at: mine, withIntermediateDirectories: true)
    let letter = mine.appendingPathComponent("letter.txt")
    try Data("mine".utf8).write(to: letter)
    #expect(throws: InvalidDataModel.self) { try CompiledModelFiles.write(package, to: mine) }
    #expect(throws: InvalidDataModel.self) { try CompiledModelFiles.write(package, to: letter) }
    #expect(try String(contentsOf: letter, encoding: .utf8) == "mine")
    let real = folder.appendingPathComponent("Real.momd")
    try CompiledModelFiles.write(package, to: real)
    let link = folder.appendingPathComponent("Link.momd")
    try files.createSymbolicLink(at: link, withDestinationURL: real)
    try files.removeItem(at: real.appendingPathComponent("V 7.mom"))
    try CompiledModelFiles.write(package, to: link)
    #expect(try files.contentsOfDirectory(atPath: real.path).sorted() == ["V 7.mom", "VersionInfo.plist"])
    #expect(try files.destinationOfSymbolicLink(atPath: link.path) == real.path)
  }

  @Test("Damaged files are refused, wherever they end")
  func damaged() throws {
    let bytes = CompiledModelFiles.mom(try Self.model())
    for count in stride(from: 0, to: bytes.count, by: 97) {
      #expect(throws: InvalidDataModel.self) {
        try CompiledModelFiles.model(mom: Array(bytes.prefix(count)), name: "M", file: "M.mom")
      }
    }
  }

  @Test("Property lists of every kind come back", arguments: [0, 1, 255, 256, 70_000, -1, Int64.min, .max])
  func integers(number: Int64) throws {
    let list = PropertyList.array([
      .integer(number), .real(-0.25), .date(12), .boolean(true), .string("ü𝄞"), .uid(300), .data([1, 2]),
      .dictionary(["a": .string(String(repeating: "x", count: 300))]),
    ])
    #expect(try BinaryPropertyListReader.read(BinaryPropertyListWriter.write(list)) == list)
  }
}
