import DataModelFiles
import Foundation
import Testing

/// Compiled models and property lists that lead in circles.
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
