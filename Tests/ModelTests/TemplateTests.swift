import Foundation
import Testing

@testable import CoreData

@Suite("Fetch request templates")
struct TemplateTests {
  /// The library with a template that fetches an author's books of more than a number of pages.
  private static func withTemplate() -> NSManagedObjectModel {
    let library = ModelTests.library()
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = library["Book"]
    request.predicate = NSPredicate(format: "author.name == $NAME AND pages > $PAGES")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    request.fetchLimit = 3
    library.setFetchRequestTemplate(request, forName: "Long")
    return library
  }

  @Test("A template is found by its name, and is the request that was set")
  func named() {
    let library = ModelTests.library()
    #expect(library.fetchRequestTemplatesByName.isEmpty)
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    library.setFetchRequestTemplate(request, forName: "All")
    #expect(library.fetchRequestTemplate(forName: "All") === request)
    #expect(library.fetchRequestTemplatesByName.keys.sorted() == ["All"])
    #expect(library.fetchRequestTemplate(forName: "None") == nil)
    library.setFetchRequestTemplate(nil, forName: "All")
    #expect(library.fetchRequestTemplatesByName.isEmpty)
  }

  @Test("A request whose result has a type becomes a template as it is")
  func typed() {
    let library = ModelTests.library()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    library.setFetchRequestTemplate(request, forName: "All")
    #expect(library.fetchRequestTemplate(forName: "All") === request)
    let copy = library.fetchRequestFromTemplate(withName: "All", substitutionVariables: [:])
    #expect(copy?.entityName == "Book" && copy !== request)
  }

  @Test("A request from a template is a copy with values in the place of the variables")
  func substitution() throws {
    let library = TemplateTests.withTemplate()
    library.freeze()
    let values: [String: Any] = ["NAME": "Kafka", "PAGES": 200, "UNUSED": 1]
    let request = try #require(library.fetchRequestFromTemplate(withName: "Long", substitutionVariables: values))
    #expect(request.predicate?.predicateFormat == "author.name == \"Kafka\" AND pages > 200")
    #expect(request.entity === library["Book"] && request.fetchLimit == 3)
    #expect(request.sortDescriptors?.first?.key == "title")
    let template = library.fetchRequestTemplate(forName: "Long")
    #expect(template?.predicate?.predicateFormat == "author.name == $NAME AND pages > $PAGES")
    // The copy belongs to nobody.
    request.fetchLimit = 5
    #expect(library.fetchRequestFromTemplate(withName: "Short", substitutionVariables: values) == nil)
  }

  @Test("NSNull stands for nil, collections and expressions for themselves, and a SUBQUERY's variable stays")
  func values() throws {
    let library = ModelTests.library()
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.predicate = NSPredicate(
      format: "name == $NAME OR name IN $NAMES OR SUBQUERY(books, $b, $b.pages > $PAGES).@count > 0")
    library.setFetchRequestTemplate(request, forName: "Some")
    let found = try #require(
      library.fetchRequestFromTemplate(
        withName: "Some",
        substitutionVariables: ["NAME": NSNull(), "NAMES": ["a", "b"], "PAGES": NSExpression(format: "1 + 2")]))
    #expect(
      found.predicate?.predicateFormat
        == "name == <null> OR name IN {\"a\", \"b\"} OR SUBQUERY(books, $b, $b.pages > 1 + 2).@count > 0")
  }

  @Test("A variable without a value ends the program and is named")
  func missingVariable() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = TemplateTests.withTemplate()
      _ = library.fetchRequestFromTemplate(withName: "Long", substitutionVariables: ["NAME": "Kafka"])
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("The fetch request template \"Long\" needs a value for $PAGES."))
  }

  @Test("A model in use takes no template")
  func frozenModel() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = ModelTests.library()
      library.freeze()
      library.setFetchRequestTemplate(NSFetchRequest<NSFetchRequestResult>(entityName: "Book"), forName: "All")
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("setFetchRequestTemplate(_:forName:)"))
  }

  @Test("A template of a model in use can't be changed, its copy can")
  func frozenTemplate() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = TemplateTests.withTemplate()
      library.fetchRequestTemplate(forName: "Long")?.fetchOffset = 1
      library.freeze()
      (library.fetchRequestTemplate(forName: "Long")?.copy() as? NSFetchRequest<NSFetchRequestResult>)?.fetchLimit = 1
      FileHandle.standardError.write(Data("so far\n".utf8))
      library.fetchRequestTemplate(forName: "Long")?.fetchLimit = 1
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("so far"))
    #expect(words.contains("Can't modify a named fetch request in an immutable model."))
    #expect(words.contains("the template \"Long\""))
  }

  @Test("Copied and merged models have the templates, of their own entities")
  func copies() throws {
    let library = TemplateTests.withTemplate()
    library.freeze()
    let copy = library.copy() as! NSManagedObjectModel
    #expect(copy.fetchRequestTemplate(forName: "Long")?.entity === copy["Book"])
    copy.fetchRequestTemplate(forName: "Long")?.fetchLimit = 9
    #expect(library.fetchRequestTemplate(forName: "Long")?.fetchLimit == 3)
    let shelves = model([entity("Shelf")])
    shelves.setFetchRequestTemplate(NSFetchRequest<NSFetchRequestResult>(entityName: "Shelf"), forName: "Shelves")
    let merged = try NSManagedObjectModel.merging([library, shelves, TemplateTests.withTemplate()])
    #expect(merged.fetchRequestTemplatesByName.keys.sorted() == ["Long", "Shelves"])
    #expect(merged.fetchRequestTemplate(forName: "Long")?.entity === merged["Book"])
  }

  @Test("Models with different templates of one name are not merged")
  func contradiction() {
    let other = TemplateTests.withTemplate()
    other.fetchRequestTemplate(forName: "Long")?.fetchLimit = 4
    let error = #expect(throws: NSError.self) {
      try NSManagedObjectModel.merging([TemplateTests.withTemplate(), other])
    }
    #expect(error?.localizedDescription.contains("templates named Long") == true)
  }

  @Test("Templates and fetched properties are no part of a version hash")
  func hashes() {
    let plain = ModelTests.library()
    let library = TemplateTests.withTemplate()
    let property = NSFetchedPropertyDescription()
    property.name = "namesakes"
    property.fetchRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    library["Author"].properties.append(property)
    #expect(library.entityVersionHashesByName == plain.entityVersionHashesByName)
    #expect(library.versionChecksum == plain.versionChecksum)
  }

  @Test("A fetched property's request knows its entity without keeping it, and so the model is freed")
  func lifetime() {
    weak var model: NSManagedObjectModel?
    weak var entity: NSEntityDescription?
    var request: NSFetchRequest<any NSFetchRequestResult>?
    do {
      let library = ModelTests.library()
      let property = NSFetchedPropertyDescription()
      property.name = "all"
      request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Writer")
      request?.entity = library["Author"]
      property.fetchRequest = request
      library["Author"].properties.append(property)
      (model, entity) = (library, library["Author"])
      #expect(property.fetchRequest?.entity === entity && request?.entityName == "Author")
      property.fetchRequest?.entity = library["Book"]
      #expect(request?.entity === library["Book"])
    }
    #expect(model == nil && entity == nil)
    #expect(request?.entity == nil && request?.entityName == "Book")
  }

  @Test("A fetched property has its request, and so have copies; in a model in use it stays as it is")
  func fetchedProperty() async throws {
    let property = NSFetchedPropertyDescription()
    #expect(property.fetchRequest == nil && property.isTransient)
    property.name = "namesakes"
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.predicate = NSPredicate(format: "name == $FETCH_SOURCE.name")
    property.fetchRequest = request
    #expect(property.fetchRequest === request)
    let library = ModelTests.library()
    library["Author"].properties.append(property)
    let copied = (library.copy() as! NSManagedObjectModel)["Author"].propertiesByName["namesakes"]
    let twin = try #require((copied as? NSFetchedPropertyDescription)?.fetchRequest)
    #expect(twin !== request && twin.predicate == request.predicate && twin.entity !== library["Author"])
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let library = ModelTests.library()
      let property = NSFetchedPropertyDescription()
      property.name = "all"
      property.fetchRequest = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
      library["Author"].properties.append(property)
      library.freeze()
      property.fetchRequest?.fetchLimit = 1
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("the fetched property (no entity).all") || words.contains("the fetched property Author.all"))
  }
}
