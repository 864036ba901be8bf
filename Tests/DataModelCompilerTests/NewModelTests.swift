import DataModelCompiler
import DataModelFiles
import Testing

@Suite("New models")
struct NewModelTests {
  static func model(_ words: String) throws -> DataModel {
    let text = try NewModel(words.split(separator: " ").map(String.init)).contents
    return try SourceModelReader.model(contents: Array(text.utf8), name: "Model", file: "contents").model
  }

  static func fault(_ words: String) -> String? {
    do {
      _ = try model(words)
      return nil
    } catch { return "\(error)" }
  }

  @Test("Entities with attributes and relationships make a model that reads, with inverses, and classes")
  func twoEntities() throws {
    let model = try Self.model(
      "Book title:String pages:Int16 read:Date? author:Author? Author name:String books:[Book]")
    let book = try #require(model.entity(named: "Book"))
    #expect(book.attributes.map(\.name).sorted() == ["pages", "read", "title"])
    #expect(book.attributes.filter(\.isOptional).map(\.name) == ["read"])
    #expect(book.relationships.map(\.inverseName) == ["books"] && !book.relationships[0].isToMany)
    let author = try #require(model.entity(named: "Author"))
    #expect(author.relationships.map(\.inverseName) == ["author"] && author.relationships[0].isToMany)
    let package = DataModelPackage(name: "Model", versions: [model], currentVersionName: model.name)
    let output = DataModelCompiler(module: "App").compile(models: [package], sources: [])
    #expect(output.problems.isEmpty)
    #expect(output.files[0].text.contains("public class Book: NSManagedObject {"))
  }

  @Test("Of several relationships between two entities the inverses are named")
  func severalRelationships() throws {
    #expect(
      Self.fault("Book author:Author? editor:Author? Author books:[Book]")?.contains(
        "say which is the inverse of books") == true)
    let model = try Self.model("Book author:Author?/books editor:Author?/edited Author books:[Book] edited:[Book]")
    let author = try #require(model.entity(named: "Author"))
    let inverses = Dictionary(uniqueKeysWithValues: author.relationships.map { ($0.name, $0.inverseName) })
    #expect(inverses == ["books": "author", "edited": "editor"])
    let tree = try Self.model("Part whole:Part? parts:[Part]")
    #expect(Set(tree.entities[0].relationships.map(\.inverseName)) == ["whole", "parts"])
  }

  @Test("What can't be a model is refused with what is wrong")
  func faults() {
    #expect(Self.fault("")?.contains("a model needs an entity") == true)
    #expect(Self.fault("title:String Book")?.contains("before the first entity") == true)
    #expect(Self.fault("Book title:Text")?.contains("Book.title: Text is neither an entity") == true)
    #expect(Self.fault("Book title:String title:String") == "Book has two properties named title")
    #expect(Self.fault("Book Book") == "the entity Book is given twice")
    #expect(Self.fault("book title:String")?.contains("begins with a capital") == true)
  }
}
