import Foundation
import Testing

@testable import DataModelFiles

/// A mapping model between two versions of a model that are given by their paths.
struct MappingSource {
  /// The objects beside the mapping model.
  var objects = ""
  /// The entity mappings that the mapping model has.
  var mappings = ""
  var source = """
    <entity name="Shop"><attribute name="title" attributeType="String"/>
      <attribute name="cost" attributeType="Double"/>
      <relationship name="goods" toMany="YES" destinationEntity="Item" inverseName="shop"/></entity>
    <entity name="Item"><attribute name="name" attributeType="String"/>
      <relationship name="shop" maxCount="1" destinationEntity="Shop" inverseName="goods"/></entity>
    <entity name="Same"><attribute name="a" attributeType="String"/></entity>
    <entity name="Old"><attribute name="a" attributeType="String"/></entity>
    """
  var destination = """
    <entity name="Shop"><attribute name="title" attributeType="String"/>
      <attribute name="price" attributeType="Double"/>
      <relationship name="goods" toMany="YES" destinationEntity="Item" inverseName="shop"/></entity>
    <entity name="Item"><attribute name="name" attributeType="String"/>
      <attribute name="size" optional="YES" attributeType="String"/>
      <relationship name="shop" maxCount="1" destinationEntity="Shop" inverseName="goods"/>
      <relationship name="boss" maxCount="1" optional="YES" destinationEntity="Same"/></entity>
    <entity name="Same"><attribute name="a" attributeType="String"/></entity>
    <entity name="New"><attribute name="a" attributeType="String"/></entity>
    """

  static func attribute(_ name: String, _ value: String) -> String {
    "<attribute name=\"\(name)\" type=\"string\">\(value)</attribute>\n"
  }

  static func references(_ name: String, _ ids: String) -> String {
    "<relationship name=\"\(name)\" type=\"0/0\" destination=\"X\" idrefs=\"\(ids)\"></relationship>\n"
  }

  /// An entity mapping; `from` and `to` may be empty.
  mutating func entity(
    _ id: String, _ number: Int, _ from: String, _ to: String, more: String = "", attributes: String = "",
    relationships: String = ""
  ) {
    objects += "<object type=\"XDDEVENTITYMAPPING\" id=\"\(id)\">\n"
    if !from.isEmpty { objects += Self.attribute("sourcename", from) }
    if !to.isEmpty { objects += Self.attribute("destinationname", to) }
    objects += Self.attribute("mappingtypename", "Undefined") + Self.attribute("mappingnumber", "\(number)")
    objects += Self.attribute("autogenerateexpression", "1") + more
    objects += Self.references("attributemappings", attributes)
    objects += Self.references("relationshipmappings", relationships) + "</object>\n"
    mappings += (mappings.isEmpty ? "" : " ") + id
  }

  /// A property mapping.
  mutating func property(_ id: String, _ kind: String, _ name: String, _ values: [(String, String)] = []) {
    objects += "<object type=\"XDDEV\(kind)MAPPING\" id=\"\(id)\">\n" + Self.attribute("name", name)
    for (key, value) in values { objects += Self.attribute(key, value) }
    objects += "</object>\n"
  }

  func text(models: String) -> String {
    """
    <?xml version="1.0"?>
    <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
    <database><databaseInfo><version>134481920</version></databaseInfo>
    <object type="XDDEVMAPPINGMODEL" id="z1">
    \(models)\(Self.references("entitymappings", mappings))</object>
    \(objects)</database>
    """
  }

  static let paths =
    attribute("sourcemodelpath", "App/Shop.xcdatamodeld/Shop 1.xcdatamodel")
    + attribute("destinationmodelpath", "App/Shop.xcdatamodeld/Shop 2.xcdatamodel")

  /// The mapping model read from a folder beside the two models, which is removed.
  func read() throws -> (model: MappingModelFile, warnings: [DataModelProblem]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(to: folder)
    return try MappingModelFiles.model(at: folder.appendingPathComponent("One to two.xcmappingmodel"))
  }

  func write(to folder: URL, models: String = Self.paths) throws {
    for (version, entities) in [("Shop 1", source), ("Shop 2", destination)] {
      let url = folder.appendingPathComponent("Shop.xcdatamodeld/\(version).xcdatamodel")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try Data("<model>\(entities)</model>".utf8).write(to: url.appendingPathComponent("contents"))
    }
    let package = folder.appendingPathComponent("One to two.xcmappingmodel")
    try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
    try Data(text(models: models).utf8).write(to: package.appendingPathComponent("xcmapping.xml"))
  }

  /// What it is in one line each; problems likewise.
  func lines() -> [String] {
    do {
      let (model, warnings) = try read()
      return model.entityMappings.flatMap(\.lines) + warnings.map(\.description).map(Self.shortened)
    } catch {
      return "\(error)".split(separator: "\n").map(String.init).map(Self.shortened)
    }
  }

  /// Without the folder before the file's name.
  private static func shortened(_ text: String) -> String {
    text.range(of: "xcmapping.xml").map { String(text[$0.lowerBound...]) } ?? text
  }

  /// The base64 text of an archived expression.
  static func archived(_ expression: ExpressionNode) -> String {
    var archive = KeyedArchiveBuilder()
    let root = ArchivedPredicateWriter.write(expression, to: &archive)
    return Data(archive.archive(root: root)).base64EncodedString(options: .lineLength76Characters)
  }
}

extension MappingModelFile.EntityMapping {
  /// A heading, and a line for each property.
  var lines: [String] {
    let policy = policyClassName.map { " by \($0)" } ?? ""
    return ["\(name): \(type) \(sourceName ?? "-") > \(destinationName ?? "-")\(policy)"]
      + (attributeMappings + relationshipMappings).map { "  \($0.name) = \($0.expression?.text ?? "-")" }
  }
}

@Suite("Mapping models as the editor writes them")
struct MappingSourceTests {
  @Test("What the editor does not write down is filled in: names, types, order, expressions")
  func implied() {
    var source = MappingSource()
    source.entity("z2", 3, "Item", "Item", attributes: "z10 z11", relationships: "z12 z13")
    source.entity("z3", 1, "Shop", "Shop", attributes: "z14 z15", relationships: "z16")
    source.entity("z4", 2, "Same", "Same", attributes: "z17")
    source.entity("z5", 4, "", "New")
    source.entity("z6", 5, "Old", "")
    source.property("z10", "ATTRIBUTE", "size")
    source.property("z11", "ATTRIBUTE", "name")
    source.property("z12", "RELATIONSHIP", "shop", [("autogenerateexpression", "1")])
    source.property("z13", "RELATIONSHIP", "boss", [("autogenerateexpression", "1")])
    source.property("z14", "ATTRIBUTE", "title")
    source.property("z15", "ATTRIBUTE", "price")
    source.property(
      "z16", "RELATIONSHIP", "goods", [("sourcekeypath", "$source.goods"), ("sourcemappingname", "ItemToItem")])
    source.property("z17", "ATTRIBUTE", "a")
    #expect(
      source.lines() == [
        "ShopToShop: transform Shop > Shop", "  price = -", "  title = $source.title",
        "  goods = FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\" , "
          + "\"ItemToItem\", $source.goods)",
        "SameToSame: copy Same > Same", "  a = $source.a",
        "ItemToItem: transform Item > Item", "  name = $source.name", "  size = -", "  boss = -",
        "  shop = FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\" , "
          + "\"shop\", $source.shop)",
        "New: add - > New", "Old: remove Old > -",
      ])
  }

  @Test("A policy makes a mapping custom; a filter is in what finds the source objects")
  func policies() throws {
    var source = MappingSource()
    source.entity(
      "z2", 1, "Same", "Same",
      more: MappingSource.attribute("migrationpolicyclassname", "App.Policy")
        + MappingSource.attribute("name", "Mine"))
    source.entity(
      "z3", 2, "Same", "Same", more: MappingSource.attribute("sourcefilterpredicatestring", "a != nil"))
    source.entity("z4", 3, "Old", "New", more: MappingSource.attribute("migrationpolicyclassname", ""))
    #expect(
      source.lines() == [
        "Mine: custom Same > Same by App.Policy", "SameToSame: transform Same > Same",
        "OldToNew: transform Old > New",
      ])
    let mappings = try source.read().model.entityMappings
    #expect(
      mappings.map(\.sourceExpression?.text)
        == ["Same\", \"TRUEPREDICATE", "Same\", \"a != nil", "Old\", \"TRUEPREDICATE"]
        .map {
          "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" , \"\($0)\"), "
            + "$manager.sourceContext, NO)"
        })
  }

  @Test("Texts have an XML store's numbers for &, < and >; an archived expression needs none")
  func numbers() throws {
    var source = MappingSource()
    source.entity(
      "z2", 1, "Same", "Same",
      more: MappingSource.attribute("name", #"R\u2600D \u3c00b\u3e00 &lt;i&gt;"#)
        + MappingSource.attribute("sourcefilterpredicatestring", #"age \u3e00 5 \u2600\u2600 name != nil"#),
      attributes: "z3")
    source.entity("z4", 2, "Item", "Item", relationships: "z5")
    let value = MappingSource.archived(.constant(.string("a > b && c")))
    source.property("z3", "ATTRIBUTE", "a", [("valueexpressiondata", value)])
    source.property("z5", "RELATIONSHIP", "shop", [("sourcemappingname", #"R\u2600D \u3c00b\u3e00 \u3c00i\u3e00"#)])
    #expect(
      source.lines() == [
        "R&D <b> <i>: transform Same > Same", "  a = \"a > b && c\"",
        "ItemToItem: transform Item > Item",
        "  shop = FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\" , "
          + "\"R&D <b> <i>\", $source.shop)",
      ])
    #expect(
      try source.read().model.entityMappings[0].sourceExpression?.text
        == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" , \"Same\", "
        + "\"age > 5 && name != nil\"), $manager.sourceContext, NO)")
  }

  @Test("Expressions that are written down are read, of all kinds, and the compiled form has them again")
  func expressions() throws {
    let source = ExpressionNode.variable("source")
    func key(_ path: String...) -> ExpressionNode { source.appending(path) }
    let cases: [(ExpressionNode, String)] = [
      (key("shop", "title"), "$source.shop.title"),
      (.constant(.int(5)), "5"), (.constant(.bool(true)), "YES"), (.constant(.null), "nil"),
      (.constant(.string("a \"b\"")), "\"a \\\"b\\\"\""), (.function("now", []), "now()"),
      (.function("add:to:", [key("cost"), .constant(.double(1.5))]), "$source.cost + 1.5"),
      (
        .method("join:with:", of: .variable("entityPolicy"), [key("a"), .constant(.string("-"))]),
        "FUNCTION($entityPolicy, \"join:with:\" , $source.a, \"-\")"
      ),
      (.method("uppercaseString", of: key("a"), []), "FUNCTION($source.a, \"uppercaseString\")"),
      (
        .fetch(.variable("r"), ExpressionNode.variable("manager").appending(["sourceContext"]), countOnly: true),
        "FETCH($r, $manager.sourceContext, YES)"
      ),
      (.aggregate([.constant(.int(1)), source]), "{1, $source}"),
    ]
    for (tree, text) in cases {
      var mapping = MappingSource()
      mapping.entity("z2", 1, "Same", "Same", attributes: "z3")
      mapping.property("z3", "ATTRIBUTE", "a", [("valueexpressiondata", MappingSource.archived(tree))])
      let model = try mapping.read().model
      #expect(model.entityMappings[0].attributeMappings[0].expression?.text == text)
      #expect(model.entityMappings[0].type == .transform)
      #expect(try MappingModelFiles.model(cdm: MappingModelFiles.cdm(model), file: "M.cdm") == model)
    }
  }

  @Test("What nothing refers to any more is not part of the mapping model")
  func orphans() {
    var source = MappingSource()
    source.entity("z2", 1, "Nowhere", "Nowhere")
    source.mappings = ""
    source.entity("z3", 1, "Same", "Same")
    source.property("z4", "ATTRIBUTE", "a")
    #expect(source.lines() == ["SameToSame: copy Same > Same"])
  }

  @Test("What is wrong is named with file, line, entity mapping and property")
  func faults() {
    func faults(_ make: (inout MappingSource) -> Void) -> [String] {
      var source = MappingSource()
      make(&source)
      return source.lines()
    }
    #expect(
      faults { $0.entity("z2", 1, "Nobody", "Same") } == [
        "xcmapping.xml:9: error: NobodyToSame: the source model \"Shop 1\" has no entity \"Nobody\""
      ])
    #expect(
      faults { $0.entity("z2", 1, "", "Old") } == [
        "xcmapping.xml:9: error: Old: the destination model \"Shop 2\" has no entity \"Old\""
      ])
    #expect(
      faults { $0.entity("z2", 1, "", "") } == [
        "xcmapping.xml:9: error: an entity mapping has neither a source entity nor a destination entity"
      ])
    #expect(
      faults {
        $0.entity("z2", 1, "Same", "Same", attributes: "z3")
        $0.property("z3", "ATTRIBUTE", "a", [("valueexpressiondata", "YWJj")])
      } == [
        "xcmapping.xml:18: error: SameToSame.a: the expression can't be read: the file is not a binary property list"
      ])
    #expect(
      faults { $0.entity("z2", 1, "Same", "Same", attributes: "z3") } == [
        "xcmapping.xml:9: error: attributemappings refers to the object z3, which is missing"
      ])
    #expect(
      faults {
        $0.entity("z2", 1, "Same", "Same", attributes: "z3")
        $0.property("z3", "ATTRIBUTE", "b")
      } == [
        "SameToSame: copy Same > Same",
        "xcmapping.xml:18: warning: SameToSame.b: the destination entity has no such property; its mapping is ignored",
      ])
    #expect(
      faults {
        $0.entity("z2", 1, "Item", "Item", relationships: "z3")
        $0.property("z3", "RELATIONSHIP", "shop", [("sourcemappingname", "Gone")])
      } == ["xcmapping.xml:18: error: ItemToItem.shop: there is no entity mapping \"Gone\""])
    #expect(
      faults {
        $0.entity("z2", 1, "Same", "Same")
        $0.entity("z3", 2, "Same", "Same")
      } == ["xcmapping.xml:18: error: SameToSame: two entity mappings have this name"])
  }

  @Test("Archived models count before those at the paths, and a warning says where these have changed since")
  func archivedModels() throws {
    var source = MappingSource()
    source.entity("z2", 1, "Same", "Same", attributes: "z3")
    source.entity("z4", 2, "Old", "")
    source.property("z3", "ATTRIBUTE", "a")
    func archived(_ entities: String) throws -> String {
      let text = Array("<model>\(entities)</model>".utf8)
      let model = try SourceModelReader.model(contents: text, name: "M", file: "contents").model
      return Data(CompiledModelFiles.mom(model)).base64EncodedString()
    }
    let models =
      MappingSource.paths + MappingSource.attribute("sourcemodeldata", try archived(source.source))
      + MappingSource.attribute("destinationmodeldata", try archived(source.destination))
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try source.write(to: folder, models: models)
    let package = folder.appendingPathComponent("One to two.xcmappingmodel")
    let (before, none) = try MappingModelFiles.model(at: package)
    #expect(none.isEmpty)
    source.source = source.source.replacingOccurrences(of: "name=\"Old\"", with: "name=\"Old\" isAbstract=\"YES\"")
    try source.write(to: folder, models: models)
    let (after, warnings) = try MappingModelFiles.model(at: package)
    #expect(after == before)
    #expect(warnings.map(\.entity) == ["Old"])
    #expect(warnings.first?.message.hasPrefix("Old of the source model has changed in ") == true)
  }

  @Test("A file without models, without a mapping model or that is no XML is refused by name")
  func broken() {
    func fault(_ text: String) -> String {
      do {
        _ = try MappingModelFiles.model(source: Array(text.utf8), package: nil, file: "xcmapping.xml")
        return ""
      } catch { return "\(error)" }
    }
    let none = MappingSource().text(models: "")
    #expect(fault(none) == "xcmapping.xml:4: error: the mapping model has neither a source model nor the path of one")
    #expect(
      fault(MappingSource().text(models: MappingSource.paths))
        == "xcmapping.xml:4: error: the mapping model does not hold its source model, and "
        + "\"App/Shop.xcdatamodeld/Shop 1.xcdatamodel\" does not exist")
    #expect(fault("<database/>") == "xcmapping.xml:1: error: the file holds no mapping model")
    #expect(
      fault("<model/>")
        == "xcmapping.xml:1: error: the root element is <model>, not <database>: this is not a mapping model")
    #expect(fault("<database>") == "xcmapping.xml:1: error: <database> of line 1 is not closed")
  }
}
