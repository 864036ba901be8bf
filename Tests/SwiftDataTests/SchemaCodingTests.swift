import Foundation
import SwiftData
import TestFiles
import Testing

@Suite("Schemas as data")
struct SchemaCodingTests {
  private let folder = TemporaryFolder()

  @Test("A schema that was saved is loaded with the same classes, version and entities")
  func roundTrip() throws {
    let schema = Schema([Book.self], version: Schema.Version(2, 1, 0))
    let url = folder.file()
    try schema.save(to: url)
    let loaded = try Schema.load(from: url)
    #expect(loaded == schema && loaded.version == Schema.Version(2, 1, 0))
    #expect(loaded.entities.map(\.name) == schema.entities.map(\.name))
    let context = ModelContext(
      try ModelContainer(for: loaded, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Book(isbn: "1", title: "Emma"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 1)
  }

  /// The file of a schema with a text replaced, and what loading it says.
  private func loading(replacing old: String, by new: String) throws -> String {
    let url = folder.file()
    try Schema(Book.self).save(to: url)
    let text = try String(contentsOf: url, encoding: .utf8)
    try #require(text.contains(old))
    try text.replacingOccurrences(of: old, with: new).write(to: url, atomically: true, encoding: .utf8)
    do { _ = try Schema.load(from: url) } catch DecodingError.dataCorrupted(let context) {
      return context.debugDescription
    }
    return "loaded"
  }

  @Test("Classes that are missing or have changed, and a later form, are refused by name")
  func refused() throws {
    let other = try loading(replacing: "\"name\" : \"isbn\"", by: "\"name\" : \"number\"")
    #expect(other == "The entity Book was written with other properties than its class has now (number).")
    let missing = try loading(replacing: "4BookC", by: "4CookC")
    #expect(missing.hasPrefix("The program has no model of the entity Book: "))
    let form = try loading(replacing: "\"encodingVersion\" : 1", by: "\"encodingVersion\" : 9")
    #expect(form == "The schema is written in the form 9; 1 is known.")
    let url = folder.file()
    try Data("no schema".utf8).write(to: url)
    #expect(throws: DecodingError.self) { try Schema.load(from: url) }
    #expect(throws: CocoaError.self) { try Schema.load(from: folder.file("none")) }
  }

  @Test("A schema names the version of its encoded form")
  func encodingVersion() {
    #expect(Schema([Book.self]).encodingVersion == Schema.schemaEncodingVersion)
    #expect(Schema.schemaEncodingVersion == Schema.Version(1, 0, 0))
  }

  @Test("An attribute made by hand has the name, the type without ? and the options that it was made with")
  func attributes() {
    let note = Schema.Attribute(
      name: "note", originalName: "text", options: [.unique, .spotlight], valueType: String?.self, defaultValue: "n",
      hashModifier: "2")
    #expect(note.name == "note" && note.originalName == "text" && note.hashModifier == "2")
    #expect(note.valueType == String.self && note.isOptional && note.defaultValue as? String == "n")
    #expect(note.options == [.unique, .spotlight] && note.isUnique && !note.isTransient)
    let count = Schema.Attribute(name: "count", valueType: Int.self)
    #expect(count.originalName == "count" && !count.isOptional && count.defaultValue == nil && count.options.isEmpty)
  }

  @Test("Configurations and contexts print what they are about")
  func descriptions() throws {
    let memory = ModelConfiguration("drafts", isStoredInMemoryOnly: true)
    #expect(String(reflecting: memory) == "ModelConfiguration drafts: in memory")
    let url = folder.file()
    #expect(
      ModelConfiguration("books", url: url, allowsSave: false).debugDescription
        == "ModelConfiguration books: \(url.path), read-only")
    let context = ModelContext(try ModelContainer(for: Book.self, configurations: memory))
    #expect(context.debugDescription == "ModelContext, on drafts")
    context.author = "import"
    #expect(String(reflecting: context) == "ModelContext of \"import\", on drafts")
  }
}
