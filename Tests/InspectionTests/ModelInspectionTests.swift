import DataModelFiles
import Foundation
import Inspection
import TestFiles
import Testing

@Suite("Looking into a model")
struct ModelInspectionTests {
  private let folder = TemporaryFolder()

  private func report(_ url: URL) throws -> ModelReport {
    let found = try FileKind.find(at: url)
    return ModelReport(try ModelVersions(kind: found.kind, url: found.url))
  }

  @Test("A small model is described in these words")
  func text() throws {
    let url = folder.file("Shop.xcdatamodeld")
    try SourceModel.write(SourceModel.shop, to: url.appendingPathComponent("Shop.xcdatamodel"))
    let text = try report(url).text.replacingOccurrences(of: folder.url.path, with: "FOLDER")
    #expect(
      text == """
        FOLDER/Shop.xcdatamodeld
          kind      model with versions (.xcdatamodeld)
          versions  Shop

        Version Shop: 3 entities
        ------------------------
          identifiers    "v1"
          checksum       4f9xnV5pRUweEAxwBUW3BNTiMk7YZKIUDilDAdva5PA=
          digest         zgkYemMe5vxi5BA36S3RRyP5xm2YFUXR0JQ2hO5r+vP8RkkH8DxZRYVu3Kzt3zqXnDkB1cE7VTdXXVn82V3P7w==
          configuration  Small: Shop
          template       Cheap: Toy where price < 5

        Version hashes
          Item  78b34138b739f94693c36ed72266c895e537f5b6ffcfe6fd784bee8b579917f0
          Shop  017409739c7e64c687445132e08f7f5eb193345801eadedd60630f1dbd1ee513
          Toy   8e56cdae9b49e5bd75e0117164d4911781841143177832cdb3a62d5d47058484

        Item (abstract, class Item)
          name  String        required, default "new", min length 1
          shop  → Shop.items  to-one

        Shop
          items  → Item.shop  to-many, ordered, deny

        Toy (a kind of Item)
          price  Decimal  formerly cost
          inherits name, shop

        """)
  }

  @Test("What a file is, is told by its content: names don't matter")
  func content() throws {
    let source = folder.file("Shop.xcdatamodel")
    try SourceModel.write(SourceModel.shop, to: source)
    let package = DataModelPackage(
      name: "Shop", versions: [try SourceModelReader.model(at: source).model], currentVersionName: "Shop")
    let momd = folder.file("Shop.momd")
    try CompiledModelFiles.write(package, to: momd)
    let renamed = [
      (source, folder.file("a.txt"), FileKind.model), (momd, folder.file("b"), .compiledPackage),
      (momd.appendingPathComponent("Shop.mom"), folder.file("c.sqlite"), .compiledModel),
    ]
    for (original, copy, kind) in renamed {
      try FileManager.default.copyItem(at: original, to: copy)
      #expect(try FileKind.find(at: copy).kind == kind)
      #expect(try report(copy).text.contains("Toy (a kind of Item)"))
    }
    #expect(try FileKind.find(at: source.appendingPathComponent("contents")).url.path == source.path)
  }

  @Test("The JSON document lists versions, hashes, configurations and templates")
  func json() throws {
    let url = folder.file("Shop.xcdatamodeld")
    try SourceModel.write(SourceModel.shop, to: url.appendingPathComponent("1.xcdatamodel"))
    try SourceModel.write(SourceModel.shop, to: url.appendingPathComponent("2.xcdatamodel"))
    let text = try report(url).json.text
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(Set(json.keys) == ["kind", "path", "form", "currentVersion", "warnings", "versions"])
    #expect(json["currentVersion"] as? String == "2")
    let version = try #require((json["versions"] as? [[String: Any]])?.first)
    #expect(
      Set(version.keys) == [
        "name", "current", "identifiers", "checksum", "digest", "configurations", "fetchTemplates",
        "entities",
        "composites",
      ])
    let entities = try #require(version["entities"] as? [[String: Any]])
    #expect(entities.map { ($0["versionHash"] as? String)?.count } == [64, 64, 64])
  }

  @Test("The hash modifiers of an entity, an attribute and a relationship are told, in words and in JSON")
  func hashModifiers() throws {
    let url = folder.file("Modified.xcdatamodel")
    try SourceModel.write(
      """
      <entity name="A" versionHashModifier="one"><attribute name="x" attributeType="String" versionHashModifier="two"/>
      <relationship name="y" maxCount="1" destinationEntity="A" versionHashModifier="three"/></entity>
      """, to: url)
    let found = try report(url)
    for modifier in ["one", "two", "three"] {
      #expect(found.text.contains("hash modifier \(modifier)"))
      #expect(found.json.text.contains("\"hashModifier\": \"\(modifier)\""), "\(found.json.text)")
    }
  }

  @Test("A broken model is one sentence that names the file and the place")
  func broken() throws {
    let url = folder.file("Broken.xcdatamodel")
    try SourceModel.write(
      "<entity name=\"A\"><attribute name=\"x\" attributeType=\"Nonsense\"/></entity>", to: url)
    let sentence = failure { _ = try report(url) }?.sentence
    #expect(sentence?.hasPrefix("The model \(url.path) cannot be read: ") == true)
    #expect(sentence?.contains("Nonsense") == true)
  }
}
