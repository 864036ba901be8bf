import DataModelCompiler
import DataModelFiles
import Testing

@Suite("Generated classes")
struct ClassGeneratorTests {
  static let contents = """
    <model sourceLanguage="Swift">
      <entity name="Author" representedClassName=".Writer" codeGenerationType="class">
        <attribute name="rank" attributeType="Integer 64" usesScalarValueType="YES"/>
        <attribute name="age" optional="YES" attributeType="Integer 16"/>
        <attribute name="born" attributeType="Date" usesScalarValueType="NO"/>
        <attribute name="died" attributeType="Date" usesScalarValueType="YES"/>
        <attribute name="photo" attributeType="Transformable" customClassName=".Photo"/>
        <attribute name="default" attributeType="String"/>
        <relationship name="books" toMany="YES" ordered="YES" destinationEntity="Book" inverseName="author"
          inverseEntity="Book"/>
      </entity>
      <entity name="Book" representedClassName="Book" parentEntity="Thing" codeGenerationType="category">
        <relationship name="author" maxCount="1" destinationEntity="Author" inverseName="books"
          inverseEntity="Author"/>
      </entity>
      <entity name="Novel" representedClassName="Novel" parentEntity="Book" codeGenerationType="class"/>
      <entity name="Thing" isAbstract="YES"/>
      <entity name="Plain" representedClassName="Plain"/>
      <composite name="Frame"><attribute name="picture" attributeType="Transformable" customClassName=".Photo"/></composite>
    </model>
    """

  static func output() throws -> DataModelCompiler.Output {
    let model = try SourceModelReader.model(contents: Array(contents.utf8), name: "M", file: "contents").model
    let package = DataModelPackage(name: "M", versions: [model], currentVersionName: "M")
    return DataModelCompiler(module: "App").compile(
      models: [package],
      sources: [
        .init(path: "Book.swift", text: "public class Book: NSManagedObject {}; class Photo: NSObject {}")
      ])
  }

  @Test("Class Definition gives class, properties, fetch request, accessors and Identifiable")
  func classDefinition() throws {
    let text = try #require(try Self.output().files.first).text
    for line in [
      "nonisolated public class Writer: NSManagedObject {",
      "    @nonobjc public class func fetchRequest() -> NSFetchRequest<Writer> {",
      "        return NSFetchRequest<Writer>(entityName: \"Author\")",
      "    @NSManaged public var age: NSNumber?",
      "    @NSManaged public var born: Date?",
      "    @NSManaged public var `default`: String?",
      "    @NSManaged public var died: TimeInterval",
      "    @NSManaged public var photo: Photo?",
      "    @NSManaged public var rank: Int64",
      "    @NSManaged public var books: NSOrderedSet?",
      "// MARK: Generated accessors for books",
      "    @NSManaged public func insertIntoBooks(_ value: Book, at idx: Int)",
      "    @NSManaged public func replaceBooks(at indexes: NSIndexSet, with values: [Book])",
      "    @NSManaged public func addToBooks(_ values: NSOrderedSet)",
      "nonisolated extension Writer : Identifiable {",
      "nonisolated public class Novel: Book {",
      "nonisolated extension Book {",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
    #expect(!text.contains("public class Book"), "Category/Extension leaves the class to the user")
    #expect(!text.contains("Plain"), "Manual/None generates nothing")
    #expect(text.contains("extension Book : Identifiable"))
    #expect(!text.contains("extension Novel : Identifiable"))
  }

  @Test("A class name that is only a module's, or a dot, is as good as none")
  func moduleWithoutClass() throws {
    let contents = """
      <model>
        <entity name="Note" representedClassName="Note" codeGenerationType="class">
          <attribute name="image" optional="YES" attributeType="Transformable" customClassName="."/>
          <attribute name="sound" optional="YES" attributeType="Transformable" customClassName="Shop."/>
          <relationship name="page" optional="YES" maxCount="1" destinationEntity="Page"/>
        </entity>
        <entity name="Page" representedClassName="." codeGenerationType="class"/>
      </model>
      """
    let output = try Self.compiled(contents)
    let text = try #require(output.files.first).text
    for line in [
      "    @NSManaged public var image: NSObject?", "    @NSManaged public var sound: NSObject?",
      "    @NSManaged public var page: NSManagedObject?",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
    #expect(!text.contains("class : ") && !text.contains("App."))
    let compiled = try #require(output.models.first).currentVersion
    #expect(compiled.entities.map(\.className) == ["App.Note", nil])
    #expect(compiled.entities[0].attributes.allSatisfy { $0.customClassName == nil })
  }

  static func compiled(_ contents: String, sources: String = "") throws -> DataModelCompiler.Output {
    let model = try SourceModelReader.model(contents: Array(contents.utf8), name: "M", file: "contents").model
    return DataModelCompiler(module: "App").compile(
      models: [DataModelPackage(name: "M", versions: [model], currentVersionName: "M")],
      sources: [.init(path: "Book.swift", text: sources)])
  }

  @Test(
    "The accessors of a to-many relationship lead back to it, whatever letter its name begins with",
    arguments: [
      ("books", "addToBooks"), ("Books", "addToBooks"), ("URLs", "addToURLs"), ("élans", "addToÉlans"),
      ("ßücher", "addToßücher"), ("ŉames", "addToŉames"), ("名前", "addTo名前"),
    ])
  func accessorNames(relationship: String, function: String) throws {
    let output = try Self.compiled(
      """
      <model><entity name="Author" representedClassName="Author" codeGenerationType="class">
        <relationship name="\(relationship)" toMany="YES" destinationEntity="Author"/>
      </entity></model>
      """)
    #expect(output.problems.isEmpty, "\(output.problems)")
    #expect(output.files[0].text.contains("@NSManaged public func \(function)(_ value: Author)\n"))
    #expect(output.files[1].text.contains("{ addManagedMember(p0, _key_\(relationship)) }"))
  }

  @Test(
    "A primitive accessor may be one of a property whose name begins with a capital, or with a letter that has none",
    arguments: ["URL", "名"])
  func primitiveNames(property: String) throws {
    let output = try Self.compiled(
      """
      <model><entity name="Author" representedClassName="Author">
        <attribute name="\(property)" attributeType="String"/>
      </entity></model>
      """, sources: "class Author: NSManagedObject { @NSManaged var primitive\(property): String? }")
    #expect(output.problems.isEmpty, "\(output.problems)")
    #expect(output.files[1].text.contains("primitiveKey(_key_primitive\(property), of: "))
  }

  @Test("A class or a property whose name is a keyword is written in backquotes")
  func keywords() throws {
    let output = try Self.compiled(
      """
      <model>
        <entity name="Default" representedClassName="default" codeGenerationType="class">
          <relationship name="in" optional="YES" maxCount="1" destinationEntity="Default"/>
        </entity>
        <entity name="Special" representedClassName="Special" parentEntity="Default" codeGenerationType="class"/>
      </model>
      """)
    #expect(output.problems.isEmpty, "\(output.problems)")
    for line in [
      "//  default+CoreDataClass.swift", "nonisolated public class `default`: NSManagedObject {",
      "    @nonobjc public class func fetchRequest() -> NSFetchRequest<`default`> {",
      "    @NSManaged public var `in`: `default`?", "nonisolated public class Special: `default` {",
    ] {
      #expect(output.files[0].text.contains(line + "\n"), "\(line)")
    }
    #expect(output.files[1].text.contains("extension `default` {\n"))
  }

  @Test("Accessors are made for generated declarations too")
  func accessors() throws {
    let text = try Self.output().files[1].text
    #expect(text.contains("\"$s3App6WriterC4ranks5Int64Vvg\""))
    #expect(
      text.contains("\"$s3App6WriterC11addToBooksyy") || text.contains("\"$s3App6WriterC10addToBooksyy"))
  }

  @Test("The compiled model names classes of the module with the module, in composites too")
  func classNames() throws {
    let model = try #require(try Self.output().models.first).currentVersion
    let names = Dictionary(uniqueKeysWithValues: model.entities.map { ($0.name, $0.className) })
    #expect(names["Author"] == "App.Writer")
    #expect(names["Book"] == "App.Book")
    #expect(names["Thing"] == .some(nil))
    #expect(names["Plain"] == "Plain")
    #expect(
      model.entity(named: "Author")?.attributes.first { $0.name == "photo" }?.customClassName == "App.Photo")
    #expect(model.composites.first?.attributes.first?.customClassName == "App.Photo")
  }

  @Test("A class is said to be Identifiable where no class above it is")
  func identifiable() throws {
    func generated(_ sources: String) throws -> [String] {
      let model = try SourceModelReader.model(
        contents: Array(
          """
          <model sourceLanguage="Swift">
            <entity name="A" representedClassName="A" codeGenerationType="class"/>
            <entity name="B" representedClassName="B" parentEntity="A"/>
            <entity name="C" representedClassName="C" parentEntity="B" codeGenerationType="class"/>
            <entity name="D" representedClassName="D"/>
            <entity name="E" representedClassName="E" parentEntity="D" codeGenerationType="class"/>
          </model>
          """.utf8), name: "M", file: "contents"
      ).model
      let output = DataModelCompiler(module: "App").compile(
        models: [DataModelPackage(name: "M", versions: [model], currentVersionName: "M")],
        sources: [.init(path: "Book.swift", text: sources)])
      return ["A", "B", "C", "D", "E"].filter { output.files[0].text.contains("extension \($0) : Identifiable") }
    }
    #expect(try generated("class B: A {}\nclass D: NSManagedObject {}") == ["A", "E"])
    #expect(try generated("class B: A {}\nclass D: NSManagedObject, Identifiable {}") == ["A"])
    #expect(try generated("class B: A {}\nclass D: NSManagedObject {}\nextension D: Codable, Identifiable {}") == ["A"])
  }
}
