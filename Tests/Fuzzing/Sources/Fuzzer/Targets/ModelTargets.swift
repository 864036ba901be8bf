import CoreData

@testable import DataModelFiles

/// The `contents` of an `.xcdatamodel`.
struct ModelTextTarget: FuzzTarget {
  static let name = "model-text"
  static let longest = 8192

  func seeds() -> [[UInt8]] { [Array(Fixture.contents.utf8)] }

  func run(_ input: [UInt8]) throws {
    try ModelUse.use(SourceModelReader.model(contents: input, name: "Model", file: "contents").model)
  }
}

/// The `elements` of an `.xcdatamodel` of before Xcode 4.
struct OldModelTextTarget: FuzzTarget {
  static let name = "old-model-text"
  static let longest = 8192

  private let folder: URL

  init() throws {
    folder = Scratch.url("Old.xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Two entities, the second below the first, with an attribute and a relationship that is its own inverse.
  func seeds() -> [[UInt8]] {
    var builder = KeyedArchiveBuilder()
    func object(_ name: String, _ fields: [String: PropertyList]) -> PropertyList {
      builder.object([name, "NSObject"], fields)
    }
    func stereotypes(_ values: [(String, PropertyList)]) -> PropertyList {
      let fields = values.map { (key: $0.0, value: object("XDUMLAttributeImp", ["_default": $0.1])) }
      let stereotype = object("XDUMLStereotypeImp", ["XDBucketForOwnedAttributesstorage": builder.dictionary(fields)])
      return builder.dictionary([(key: "com.apple.core-data", value: stereotype)])
    }
    let (book, novel, author) = (builder.reserve(), builder.reserve(), builder.reserve())
    let title = object(
      "XDPMAttribute",
      [
        "_name": builder.string("title"),
        "XDBucketForStereotypesstorage": stereotypes([
          ("XD_PAttK_attributeType", builder.scalar(.integer(700))),
          ("XD_PPSK_isOptional", builder.scalar(.boolean(true))),
          ("XD_PAttK_defaultValueAsString", builder.string("a")), ("XD_PAttK_maxValueString", builder.string("12")),
          ("XD_PPSK_userInfo", builder.dictionary([(key: "k", value: builder.string("v"))])),
        ]),
      ])
    builder.fill(
      author, ["XDPMRelationship", "NSObject"],
      [
        "_name": builder.string("next"), "_owner": book,
        "XDBucketForStereotypesstorage": stereotypes([
          ("XD_PRK_destination", book), ("XD_PRK_inverseRelationship", author),
          ("XD_PRK_isToMany", builder.scalar(.boolean(true))), ("XD_PRK_deleteRule", builder.scalar(.integer(1))),
        ]),
      ])
    let generalization = object("XDUMLGeneralizationImp", ["_specific": novel, "_general": book])
    for (entity, name, properties) in [
      (book, "Book", [(key: "title", value: title), (key: "next", value: author)]), (novel, "Novel", []),
    ] {
      builder.fill(
        entity, ["XDPMEntity", "NSObject"],
        [
          "_name": builder.string(name), "XDBucketForOwnedAttributesstorage": builder.dictionary(properties),
          "XDBucketForGeneralizationsstorage": builder.array([generalization]),
          "XDBucketForStereotypesstorage": stereotypes([("XD_PSK_entityClassName", builder.string(name))]),
        ])
    }
    let entities = builder.dictionary([(key: "Book", value: book), (key: "Novel", value: novel)])
    let package = object("XDModelPackage", ["XDBucketForClassesstorage": entities])
    let root = object("XDPMModel", ["_xd_rootPackage": package, "_modelVersionIdentifier": builder.string("1")])
    return [builder.archive(root: root)]
  }

  func run(_ input: [UInt8]) throws {
    try Scratch.write(input, "Old.xcdatamodel/elements")
    try ModelUse.use(SourceModelReader.model(at: folder).model)
  }

  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    dice.below(2) == 0 ? ListMutator.mutated(input, &dice) : nil
  }
}

/// The bytes of a `.mom`.
struct CompiledModelTarget: FuzzTarget {
  static let name = "compiled-model"
  static let longest = 32_768

  func seeds() throws -> [[UInt8]] {
    [CompiledModelFiles.mom(Fixture.values), CompiledModelFiles.mom(SmallModel.values)]
  }

  func run(_ input: [UInt8]) throws {
    try ModelUse.use(CompiledModelFiles.model(mom: input, name: "Model", file: "Model.mom").model)
  }

  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    dice.below(3) > 0 ? ListMutator.mutated(input, &dice) : nil
  }
}

/// A model with what `Fixture` leaves out, since not all stores take it.
enum SmallModel {
  static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift" userDefinedModelVersionIdentifier="2">
        <entity name="A" representedClassName="A" isAbstract="YES" codeGenerationType="class">
            <attribute name="t" optional="YES" attributeType="String" minValueString="1" maxValueString="9" regularExpressionString="[a-z]*" defaultValueString="abc"/>
            <attribute name="l" optional="YES" attributeType="String" derived="YES" derivationExpression="lowercase:(t)"/>
            <attribute name="n" attributeType="Integer 16" minValueString="0" maxValueString="10" defaultValueString="1" usesScalarValueType="YES"/>
            <attribute name="p" optional="YES" attributeType="Composite" composite="P"/>
            <fetchIndex name="i"><fetchIndexElement property="t" type="Binary" order="ascending"/><fetchIndexElement expression="n + 1" expressionType="integer" type="Binary" order="descending"/></fetchIndex>
            <userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        <entity name="B" parentEntity="A" elementID="C" versionHashModifier="x">
            <attribute name="d" attributeType="Date" defaultDateTimeInterval="0"/>
            <relationship name="to" optional="YES" toMany="YES" minCount="1" maxCount="3" ordered="YES" deletionRule="Deny" destinationEntity="A"/>
            <fetchedProperty name="f" optional="YES"><fetchRequest name="r" entity="A" predicateString="n &gt; 1 AND t == $FETCH_SOURCE.t"/></fetchedProperty>
        </entity>
        <fetchRequest name="all" entity="A" predicateString="n &gt; 1" fetchLimit="3"/>
        <configuration name="Part"><memberEntity name="A"/><memberEntity name="B"/></configuration>
        <composite name="P"><attribute name="x" attributeType="Double"/><attribute name="y" optional="YES" attributeType="String"/></composite>
    </model>
    """

  static let values = try! SourceModelReader.model(
    contents: Array(contents.utf8), name: "Small", file: "contents"
  ).model
}

/// Property lists of both forms: `VersionInfo.plist`, `.xccurrentversion`, and what archives are made of.
struct PropertyListTarget: FuzzTarget {
  static let name = "property-list"
  static let longest = 2048

  func seeds() -> [[UInt8]] {
    [
      BinaryPropertyListWriter.write(
        .dictionary([
          "a": .array([.integer(1), .real(0.5), .boolean(true), .date(5)]), "é": .string("日"), "d": .data([1, 2]),
          "u": .uid(3), "n": .integer(.min),
        ]))
    ]
  }

  func run(_ input: [UInt8]) throws {
    let list = try PropertyListReader.read(input)
    let written = BinaryPropertyListWriter.write(list)
    guard let again = try? PropertyListReader.read(written) else { fatalError("What was written can't be read.") }
    if BinaryPropertyListWriter.write(again) != written { fatalError("What was read is written as another list.") }
  }

  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    dice.below(4) == 0 ? ListMutator.mutated(input, &dice) : nil
  }
}
