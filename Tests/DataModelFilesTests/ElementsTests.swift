import DataModelFiles
import Foundation
import TestFiles
import Testing

@Suite("Models from before Xcode 4", .enabled(if: Corpus.root != nil, "COREDATA_CORPUS is not set"))
struct ElementsTests {
  private func model(_ path: String) throws -> DataModel {
    try SourceModelReader.model(at: #require(Corpus.root).appendingPathComponent(path)).model
  }

  @Test("An archive of elements has entities, parents, attributes, relationships and their inverses")
  func reads() throws {
    let model = try model("models/RestKit__RestKit/Tests/Models/Data Model.xcdatamodel")
    #expect(model.name == "Data Model")
    #expect(model.entities.count == 18)
    let parents = model.entities.filter { $0.parentName != nil }.map { "\($0.name): \($0.parentName ?? "")" }
    #expect(
      parents == [
        "CatHoarder: Human", "Child: Human", "HoardedCat: Cat", "Meeting: Event", "Parent: Human",
        "Party: Event", "StrictHuman: Human",
      ])
    let human = try #require(model.entity(named: "Human"))
    #expect(human.className == "RKHuman")
    #expect(human.attributes.first { $0.name == "name" }?.maximum == .integer(25))
    #expect(human.attributes.first { $0.name == "likesDogs" }?.defaultValue == .boolean(true))
    #expect(human.attributes.first { $0.name == "likesDogs" }?.isOptional == false)
    #expect(human.attributes.first { $0.name == "catIDs" }?.type == .transformable)
    let cats = try #require(human.relationships.first { $0.name == "catsInOrderByAge" })
    #expect(cats.isToMany && cats.isOrdered && cats.isOptional)
    #expect(cats.destinationName == "Cat" && cats.inverseName == "inverseOfOrderByAge")
    #expect(model.entity(named: "Tag")?.className == nil)
    #expect(human.userInfo.isEmpty)
  }

  @Test("The store written with such a model has the hashes that follow from it")
  func hashes() throws {
    let model = try model("models/RestKit__RestKit/Examples/RKTwitterCoreData/Resources/RKTwitterCoreData.xcdatamodel")
    let rows = try Corpus.rows(of: "hashes.csv").filter {
      $0["origin_path"]?.hasSuffix("RKSeedDatabase.sqlite") == true
    }
    #expect(rows.count == 2)
    for row in rows {
      let entity = try #require(row["entity"])
      #expect(model.entityVersionHashes()[entity].map(hex) == row["hash_hex"], "\(entity)")
    }
  }

  @Test("What is no such archive is refused by name")
  func refusals() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).xcdatamodel")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("elements")
    try Data("no archive".utf8).write(to: file)
    let first = #expect(throws: InvalidDataModel.self) { try SourceModelReader.model(at: folder) }
    #expect(first?.description.contains("not a binary property list") == true)
    let mom = CompiledModelFiles.mom(try CompiledModelTests.model())
    try Data(mom).write(to: file)
    let second = #expect(throws: InvalidDataModel.self) { try SourceModelReader.model(at: folder) }
    #expect(second?.description.contains("holds no XDPMModel") == true)
  }
}
