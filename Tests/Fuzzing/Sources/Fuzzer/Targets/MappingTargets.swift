import CoreData
import DataModelFiles

/// What a program does with a mapping model.
private func use(_ url: URL) throws {
  let model = try NSMappingModel(checkedContentsOf: url)
  for mapping in model.entityMappings {
    _ = "\(mapping.name ?? "") \(mapping.sourceExpression.map { "\($0)" } ?? "")".utf8.count
    for property in (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? []) {
      _ = property.valueExpression.map { "\($0)".utf8.count }
    }
  }
}

/// The `xcmapping.xml` of an `.xcmappingmodel`.
struct MappingTextTarget: FuzzTarget {
  static let name = "mapping-text"
  static let longest = 32_768

  private let folder: URL

  init() throws {
    folder = Scratch.url("M.xcmappingmodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// A mapping of a book to itself, with both models in it.
  static let text: String = {
    let archive = Data(CompiledModelFiles.mom(SmallModel.values)).base64EncodedString()
    return """
      <?xml version="1.0"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
      <database>
      <databaseInfo><version>134481920</version><UUID>5B2C9A31-6C4C-4E0B-9A3E-6F5C2F0F7B11</UUID><nextObjectID>106</nextObjectID></databaseInfo>
      <object type="XDDEVMAPPINGMODEL" id="z102">
      <attribute name="sourcemodelpath" type="string">S/S.xcdatamodel</attribute>
      <attribute name="sourcemodeldata" type="binary">\(archive)</attribute>
      <attribute name="destinationmodeldata" type="binary">\(archive)</attribute>
      <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
      </object>
      <object type="XDDEVENTITYMAPPING" id="z103">
      <attribute name="sourcename" type="string">B</attribute>
      <attribute name="mappingtypename" type="string">Undefined</attribute>
      <attribute name="mappingnumber" type="int16">1</attribute>
      <attribute name="destinationname" type="string">B</attribute>
      <attribute name="autogenerateexpression" type="bool">1</attribute>
      <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL" idrefs="z102"></relationship>
      <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z104"></relationship>
      <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z105"></relationship>
      </object>
      <object type="XDDEVATTRIBUTEMAPPING" id="z104">
      <attribute name="name" type="string">t</attribute>
      <attribute name="valueexpression" type="string">$source.t</attribute>
      <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
      </object>
      <object type="XDDEVRELATIONSHIPMAPPING" id="z105">
      <attribute name="name" type="string">to</attribute>
      <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z103"></relationship>
      </object>
      </database>
      """
  }()

  func seeds() -> [[UInt8]] { [Array(Self.text.utf8)] }

  func run(_ input: [UInt8]) throws {
    try Scratch.write(input, "M.xcmappingmodel/xcmapping.xml")
    try use(folder)
  }
}

/// The bytes of a `.cdm`.
struct CompiledMappingTarget: FuzzTarget {
  static let name = "compiled-mapping"
  static let longest = 32_768

  func seeds() throws -> [[UInt8]] {
    let source = Array(MappingTextTarget.text.utf8)
    return [MappingModelFiles.cdm(try MappingModelFiles.model(source: source, package: nil, file: "M").model)]
  }

  func run(_ input: [UInt8]) throws { try use(Scratch.write(input, "M.cdm")) }

  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    dice.below(3) > 0 ? ListMutator.mutated(input, &dice) : nil
  }
}
