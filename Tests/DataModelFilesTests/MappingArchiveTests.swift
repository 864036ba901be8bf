import Foundation
import Testing

@testable import DataModelFiles

@Suite("Compiled mapping models")
struct MappingArchiveTests {
  private func sample() -> MappingModelFile {
    var mapping = MappingModelFile.EntityMapping(name: "AToB")
    mapping.type = .custom
    mapping.sourceName = "A"
    mapping.destinationName = "B"
    mapping.sourceHash = Array(repeating: 1, count: 32)
    mapping.destinationHash = Array(repeating: 2, count: 32)
    mapping.policyClassName = "App.Policy"
    mapping.sourceExpression = .fetch("A", "TRUEPREDICATE")
    mapping.userInfo = ["note": .string("n"), "count": .integer(3), "when": .date(5), "yes": .boolean(true)]
    var property = MappingModelFile.PropertyMapping(name: "x", expression: .value("y.z", of: "source"))
    property.userInfo = ["k": .data([1, 2])]
    mapping.attributeMappings = [property, MappingModelFile.PropertyMapping(name: "w")]
    mapping.relationshipMappings = [
      .init(
        name: "r",
        expression: .destinations(
          "destinationInstancesForEntityMappingNamed", named: "AToB", of: .value("r", of: "source")))
    ]
    var model = MappingModelFile()
    model.entityMappings = [mapping, MappingModelFile.EntityMapping(name: "Added")]
    return model
  }

  @Test("Everything that a mapping model has is written and read again, user info included")
  func roundTrip() throws {
    let model = sample()
    #expect(try MappingModelFiles.model(cdm: MappingModelFiles.cdm(model), file: "M.cdm") == model)
  }

  @Test("The archive is of Apple's classes and keys")
  func form() throws {
    let text = try ArchiveListing(MappingModelFiles.cdm(sample())).lines.joined(separator: "\n")
    for part in [
      "NSMappingModel < NSObject", "NSEntityMapping < NSObject", "NSPropertyMapping < NSObject", "NSEntityMappings",
      "NSEntityMappingsByName", "NSMappingName: -> \"AToB\"", "NSMappingType: int 1", "NSSourceEntityName: -> \"A\"",
      "NSDestinationEntityName: -> \"B\"", "NSEntityMigrationPolicyClassName", "NSDestinationPropertyName: -> \"x\"",
      "NSFetchRequestExpression < NSExpression", "NSFRExpression", "NSMOCExpression", "NSFunctionExpression",
      "NSVariable: -> \"manager\"",
    ] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test("Keys that are not known, mutable data and mappings that are found by name only are read")
  func tolerance() throws {
    var archive = KeyedArchiveBuilder()
    let data = archive.object(["NSMutableData", "NSData", "NSObject"], ["NS.data": .data([9])])
    let mapping = archive.object(
      ["NSEntityMapping", "NSObject"],
      [
        "NSMappingName": archive.string("M"), "NSMappingType": .integer(4), "NSSourceEntityName": archive.string("A"),
        "NSSourceEntityVersionHash": data, "NSSomethingNew": archive.string("x"),
      ])
    let root = archive.object(
      ["NSMappingModel", "NSObject"], ["NSEntityMappingsByName": archive.dictionary([("M", mapping)])])
    let model = try MappingModelFiles.model(cdm: archive.archive(root: root), file: "M.cdm")
    #expect(model.entityMappings.map(\.name) == ["M"])
    #expect(model.entityMappings[0].type == .copy)
    #expect(model.entityMappings[0].sourceHash == [9])
  }

  @Test("What is no mapping model, or has an expression of an unknown class, is refused by name")
  func refused() throws {
    func fault(_ bytes: [UInt8]) -> String {
      do {
        _ = try MappingModelFiles.model(cdm: bytes, file: "M.cdm")
        return ""
      } catch { return "\(error)" }
    }
    #expect(fault([1, 2, 3]).hasPrefix("M.cdm: error: the file is no"))
    #expect(
      fault(CompiledModelFiles.mom(DataModel(name: "M"))) == "M.cdm: error: the archive holds no NSMappingModel")
    var archive = KeyedArchiveBuilder()
    let expression = archive.object(["NSBlockExpression", "NSObject"], ["NSExpressionType": .integer(19)])
    let property = archive.object(
      ["NSPropertyMapping", "NSObject"],
      ["NSDestinationPropertyName": archive.string("x"), "NSValueExpression": expression])
    let mapping = archive.object(
      ["NSEntityMapping", "NSObject"],
      ["NSMappingName": archive.string("A"), "NSAttributeMappings": archive.array([property])])
    let root = archive.object(["NSMappingModel", "NSObject"], ["NSEntityMappings": archive.array([mapping])])
    #expect(
      fault(archive.archive(root: root)) == "M.cdm: error: A.x: the expression can't be read: an expression of class "
        + "NSBlockExpression has a form that is not known")
  }
}
