import DataModelCompiler
import DataModelFiles
import Testing

@Suite("Declared and generated")
struct DuplicateCheckTests {
  private static let contents = """
    <model sourceLanguage="Swift">
      <entity name="Book" representedClassName="Book" codeGenerationType="class">
        <attribute name="title" attributeType="String"/>
      </entity>
      <entity name="Author" representedClassName="App.Author" codeGenerationType="category">
        <attribute name="name" attributeType="String"/>
      </entity>
      <entity name="Review" representedClassName="Review">
        <attribute name="text" attributeType="String"/>
      </entity>
    </model>
    """

  private static func model() throws -> DataModel {
    try SourceModelReader.model(contents: Array(contents.utf8), name: "One", file: "contents").model
  }

  private static func problems(_ source: String) throws -> [String] {
    let package = DataModelPackage(name: "Library", versions: [try model()], currentVersionName: "One")
    return DataModelCompiler(module: "App").compile(
      models: [package], sources: [.init(path: "Own.swift", text: source)]
    ).problems.map(\.description).filter { $0.contains("is declared here") }
  }

  @Test("A class that is generated as well is an error where it is declared")
  func classes() throws {
    #expect(
      try Self.problems("\npublic class Book: NSManagedObject {}") == [
        "Own.swift:2:14: error: the class Book is declared here, and generated from the entity Book of Library as well. "
          + "Delete one: this declaration, or codeGenerationType=\"class\" in the model"
      ])
  }

  @Test("A property that an extension is generated with is an error; the class of it is not")
  func properties() throws {
    let problems = try Self.problems("class Author: NSManagedObject {\n  @NSManaged var name: String?\n}")
    #expect(problems.count == 1 && problems[0].hasPrefix("Own.swift:2:18: error: @NSManaged name: it is declared here"))
    #expect(try Self.problems("class Author: NSManagedObject { var greeting = 1 }").isEmpty)
  }

  @Test("What is not generated, lies in another type, or stands under a condition, is no problem")
  func others() throws {
    let source = """
      class Review: NSManagedObject { @NSManaged var text: String? }
      enum Shop { class Book {} }
      #if canImport(ObjectiveC)
      class Book: NSManagedObject {}
      #endif
      extension Book { var short: String { "" } }
      """
    #expect(try Self.problems(source).isEmpty)
  }

  @Test("The generated files are those of each entity, or of the kind that is asked for")
  func generated() throws {
    let compiler = DataModelCompiler(module: "App")
    #expect(
      compiler.generatedFiles(of: try Self.model()).map(\.name) == [
        "Book+CoreDataClass.swift", "Book+CoreDataProperties.swift", "Author+CoreDataProperties.swift",
      ])
    let all = compiler.generatedFiles(of: try Self.model(), codeGeneration: .classDefinition)
    #expect(all.map(\.entity) == ["Book", "Book", "Author", "Author", "Review", "Review"])
  }
}
