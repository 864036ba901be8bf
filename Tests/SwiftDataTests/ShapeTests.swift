import CoreData
import Foundation
import SwiftData
import TestFiles
import Testing

// Declarations in the shapes that tutorials and public programs have.

/// Kinds of indexes, several constraints, options side by side.
@Model public final class Recipe {
  #Unique<Recipe>([\.slug], [\.title, \.author])
  #Index<Recipe>(.binary([\.title]), .binary([\.author, \.title]))

  @Attribute(.spotlight, originalName: "name") public var title: String
  @Attribute(.preserveValueOnDeletion, .spotlight) public private(set) var slug: String
  public var author: String
  @Attribute(.allowsCloudEncryption) public var secret: String?
  @Relationship(deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 20, inverse: \Ingredient.recipe)
  public var ingredients: [Ingredient]? = []
  public var difficulty: Difficulty = Difficulty.easy
  public var serving = Serving(count: 2)

  public enum Difficulty: Int, Codable, Comparable, CaseIterable {
    case easy = 1
    case hard
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }
  public struct Serving: Codable, Hashable { public var count: Int }

  public var sortedIngredients: [Ingredient] { (ingredients ?? []).sorted { $0.position < $1.position } }

  public init(title: String, author: String = "") {
    self.title = title
    self.author = author
    slug = title.lowercased()
  }
}

@Model public final class Ingredient: CustomStringConvertible {
  public var name: String = ""
  public var position: Int = 0
  public var recipe: Recipe?
  public var description: String { "\(position). \(name)" }
  public init(name: String, position: Int) {
    self.name = name
    self.position = position
  }
}

/// Constraints and indexes with attributes, with modifiers, and between conditions.
@Model class Ticket {
  @available(iOS 18, macOS 15, *) #Index<Ticket>([\.number])
  #if os(Linux)
  public #Unique<Ticket>([\.number])
  #else
  #Unique<Ticket>([\.place])
  #endif
  #if canImport(NoSuchModule)
  #Index<Ticket>([\.place])
  #elseif os(Linux)
  #Index<Ticket>([\.place, \.number])
  #endif

  var number: Int = 0 {
    @available(*, deprecated) didSet { changes += 1 }
  }
  var place = ""
  @Transient var changes = 0
  init() {}
}

@Model final class SeasonTicket: Ticket {
  #if NO_SUCH_CONDITION
  #Unique<SeasonTicket>([\.months])
  #endif
  #if os(Linux)
  #Index<SeasonTicket>([\.months])
  #endif
  var months = 1
  override init() { super.init() }
}

extension Recipe {
  static func named(_ text: String) -> Predicate<Recipe> {
    #Predicate<Recipe> { text.isEmpty || $0.title.localizedStandardContains(text) }
  }
}

/// Access that the extension around a model or an actor gives or takes.
public enum Cellar {}
// swift-format-ignore: NoAccessLevelOnExtensionDeclaration
public extension Cellar {
  @Model final class Bottle {
    var year = 1
    init() {}
  }
  @Model class Cask {
    var litres = 2
    init() {}
  }
  @ModelActor actor Keeper {
    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Bottle>()) }
  }
}
// swift-format-ignore: NoAccessLevelOnExtensionDeclaration
fileprivate extension Cellar {
  @Model final class Rack {
    var rows = 3
    init() {}
  }
}
private enum Attic {
  @Model class Chest {
    var locks = 4
    init() {}
  }
}
@Model package class Crate {
  package var weight = 5
  package init() {}
}

/// Another module's way to the same models.
protocol Titled { var title: String { get } }
extension Recipe: Titled {}

enum KitchenV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Recipe.self, Ingredient.self] }
}

enum KitchenPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [KitchenV1.self] }
  static var stages: [MigrationStage] { [] }
}

typealias CurrentKitchen = KitchenV1

/// A repository over any model, as programs write it.
@ModelActor
actor Repository {
  func insert<T: PersistentModel>(_ make: @Sendable () -> T) throws -> PersistentIdentifier {
    let model = make()
    modelContext.insert(model)
    try modelContext.save()
    return model.persistentModelID
  }

  func count<T: PersistentModel>(of type: T.Type, where predicate: Predicate<T>? = nil) throws -> Int {
    try modelContext.fetchCount(FetchDescriptor<T>(predicate: predicate))
  }

  func title(of id: PersistentIdentifier) -> String? { self[id, as: Recipe.self]?.title }
}

/// A store of one's own in a program that is all the main actor's.
@MainActor final class Kitchen {
  let container: ModelContainer
  var recipes: [Recipe] = []

  init(inMemory: Bool) throws {
    let schema = Schema([Recipe.self, Ingredient.self], version: Schema.Version(1, 0, 0))
    let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: inMemory)
    container = try ModelContainer(for: schema, migrationPlan: KitchenPlan.self, configurations: [configuration])
  }

  func refresh() throws {
    var descriptor = FetchDescriptor<Recipe>(
      predicate: Recipe.named(""), sortBy: [SortDescriptor(\.title), SortDescriptor(\.author, order: .reverse)])
    descriptor.fetchLimit = 50
    descriptor.fetchOffset = 0
    descriptor.includePendingChanges = true
    descriptor.propertiesToFetch = [\.title, \.author]
    descriptor.relationshipKeyPathsForPrefetching = [\.ingredients]
    recipes = try container.mainContext.fetch(descriptor)
  }
}

/// It can be decoded, as what comes from a server is, and leads to others that can.
@Model final class Dish: Codable {
  var name: String
  var base: Dish?
  @Relationship(inverse: \Dish.base) var variants: [Dish] = []
  var chef: Chef?

  init(name: String) { self.name = name }

  enum CodingKeys: CodingKey { case name, base, chef }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    base = try values.decodeIfPresent(Dish.self, forKey: .base)
    chef = try values.decodeIfPresent(Chef.self, forKey: .chef)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(base, forKey: .base)
    try values.encodeIfPresent(chef, forKey: .chef)
  }
}

@Model final class Chef: Codable {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Dish.chef) var dishes: [Dish]? = []

  init(name: String) { self.name = name }

  init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }

  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(name)
  }
}

/// A struct with a property wrapper, whose stored property has another name than its coding key.
@propertyWrapper struct Limited: Codable, Hashable { var wrappedValue: Int }
struct Volume: Codable, Hashable {
  @Limited var level = 3
  @Limited var bass = 1
  var isMuted = false
}
@Model final class Radio {
  var volume = Volume()
  var evening: Volume?
  init() {}
}

/// A struct whose conformance passes optionals to `encode` and to `decode`.
struct Pace: Codable, Equatable {
  enum Unit: String, Codable { case minutes, hours }
  struct Limit: Codable, Equatable { var highest = 9 }
  var count: Int?
  var unit: Unit?
  var notes: [String]?
  var limit: Limit?

  enum CodingKeys: CodingKey { case count, unit, notes, limit }

  init(count: Int? = nil, unit: Unit? = nil, notes: [String]? = nil, limit: Limit? = nil) {
    (self.count, self.unit, self.notes, self.limit) = (count, unit, notes, limit)
  }
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    count = try values.decode(Int?.self, forKey: .count)
    unit = try values.decode(Unit?.self, forKey: .unit)
    notes = try values.decode([String]?.self, forKey: .notes)
    limit = try values.decode(Limit?.self, forKey: .limit)
  }
  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(count, forKey: .count)
    try values.encode(unit, forKey: .unit)
    try values.encode(notes, forKey: .notes)
    try values.encode(limit, forKey: .limit)
  }
}
@Model final class Walk {
  var pace = Pace()
  init(_ pace: Pace) { self.pace = pace }
}

@Suite("Declarations and calls in the shapes that public code has")
struct ShapeTests {
  @Test("A conformance to Codable written by hand may encode and decode optionals as they are")
  func optionalsAsTheyAre() throws {
    let paces = [
      Pace(), Pace(count: 3), Pace(unit: .hours, notes: ["slow"]),
      Pace(count: 0, unit: .minutes, notes: [], limit: Pace.Limit()),
    ]
    let container = try ModelContainer(for: Walk.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    for (index, pace) in paces.enumerated() {
      let context = ModelContext(container)
      let walk = Walk(pace)
      context.insert(walk)
      try context.save()
      let other = ModelContext(container)
      let found = try #require(other.model(for: walk.persistentModelID) as? Walk)
      #expect(found.pace == pace, "\(index)")
    }
  }

  @Test("Containers of types, schemas and versions, with configurations of every form")
  func containers() throws {
    let folder = TemporaryFolder()
    let schema = Schema([Recipe.self])
    _ = try ModelContainer(for: Recipe.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    _ = try ModelContainer(
      for: Recipe.self, Ingredient.self, migrationPlan: KitchenPlan.self,
      configurations: ModelConfiguration(for: Recipe.self, Ingredient.self, isStoredInMemoryOnly: true))
    _ = try ModelContainer(
      for: Schema(Recipe.self, Ingredient.self, version: .init(1, 0, 0)),
      configurations: [
        ModelConfiguration(
          "Kitchen", schema: schema, isStoredInMemoryOnly: true, allowsSave: true, groupContainer: .none,
          cloudKitDatabase: .none)
      ])
    let container = try ModelContainer(
      for: Schema(versionedSchema: CurrentKitchen.self), migrationPlan: KitchenPlan.self,
      configurations: ModelConfiguration(
        "Kitchen", schema: schema, url: folder.file(), allowsSave: true, cloudKitDatabase: .automatic))
    let configuration = try #require(container.configurations.first)
    #expect(configuration.url == folder.file() && configuration.id == folder.file() && configuration.name == "Kitchen")
    #expect(configuration.groupContainer == .none && configuration.groupAppContainerIdentifier == nil)
    #expect(configuration.cloudKitDatabase == .automatic && configuration.cloudKitContainerIdentifier == nil)
    #expect(container.schema.version == Schema.Version(1, 0, 0) && container.migrationPlan == KitchenPlan.self)
  }

  @Test("The user's folders have names, and a store's missing folder is made")
  func folders() throws {
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    #expect(URL.applicationSupportDirectory == support && ModelConfiguration().url.path.hasPrefix(support.path))
    #expect(URL.documentsDirectory != URL.cachesDirectory)
    let folder = TemporaryFolder()
    let url = folder.url.appending(path: "a/b").appending(path: "Kitchen.store")
    _ = try ModelContainer(for: Recipe.self, configurations: ModelConfiguration(url: url))
    #expect(FileManager.default.fileExists(atPath: url.path))
  }

  @Test("Models and actors have the access that an extension or a type around them has")
  func access() async throws {
    let container = try ModelContainer(
      for: Cellar.Bottle.self, Cellar.Cask.self, Cellar.Rack.self, Attic.Chest.self, Crate.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Cellar.Bottle())
    context.insert(Cellar.Cask())
    context.insert(Cellar.Rack())
    context.insert(Attic.Chest())
    context.insert(Crate())
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Attic.Chest>()).map(\.locks) == [4])
    #expect(try await Cellar.Keeper(modelContainer: container).count() == 1)
  }

  @Test("A configuration that names a CloudKit database is refused by that name, unless its store is in memory")
  func cloudKit() throws {
    let folder = TemporaryFolder()
    let database = ModelConfiguration.CloudKitDatabase.private("iCloud.org.example.kitchen")
    #expect(database != .none && database != .automatic && database == .private("iCloud.org.example.kitchen"))
    let configuration = ModelConfiguration(url: folder.file(), cloudKitDatabase: database)
    let refusal = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Recipe.self, configurations: configuration)
    }
    let error = try #require(refusal)
    #expect(error == .loadIssueModelContainer)
    #expect(error.localizedDescription.contains("the CloudKit database \"iCloud.org.example.kitchen\""))
    #expect(error.localizedDescription.contains("cloudKitDatabase: .none"))
    #expect(!FileManager.default.fileExists(atPath: folder.file().path))
    // As a preview has it.
    let preview = ModelConfiguration(isStoredInMemoryOnly: true, cloudKitDatabase: database)
    for configuration in [configuration, preview] {
      #expect(configuration.cloudKitContainerIdentifier == "iCloud.org.example.kitchen")
    }
    let context = ModelContext(try ModelContainer(for: Recipe.self, configurations: preview))
    context.insert(Recipe(title: "Soup"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Recipe>()) == 1)
  }

  @Test("The store of a group is in the folder of its name, which is made")
  func group() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = TemporaryFolder()
      // Where a user's data are. In a process of its own, nobody else reads it.
      setenv("XDG_DATA_HOME", folder.url.path, 1)
      let configuration = ModelConfiguration("Kitchen", groupContainer: .identifier("group.org.example"))
      let expected = folder.url.appendingPathComponent("group.org.example/Kitchen.store")
      #expect(configuration.url.path == expected.path)
      #expect(configuration.groupAppContainerIdentifier == "group.org.example")
      do {
        let context = ModelContext(try ModelContainer(for: Recipe.self, configurations: configuration))
        context.insert(Recipe(title: "Soup"))
        try context.save()
      }
      #expect(FileManager.default.fileExists(atPath: expected.path))
      let other = ModelContext(try ModelContainer(for: Recipe.self, configurations: configuration))
      #expect(try other.fetchCount(FetchDescriptor<Recipe>()) == 1)
    }
    #expect(result != nil)
  }

  @Test("A group whose name makes no folder is refused by it, and nothing is made", arguments: ["", ".", "..", "a/b"])
  func groupName(_ name: String) throws {
    let configuration = ModelConfiguration(groupContainer: .identifier(name))
    let refusal = #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(for: Recipe.self, configurations: configuration)
    }
    #expect(try #require(refusal).description.contains("\"\(name)\""))
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelContainer(
        for: Recipe.self,
        configurations: ModelConfiguration(groupContainer: .identifier(String(repeating: "g", count: 256))))
    }
  }

  @Test("An index with a kind is in the file, and one by ranges is refused by its name")
  func indexes() throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Recipe.self, configurations: ModelConfiguration(url: folder.file()))
    let indexes = try SQLiteText.rows(
      folder.file(), "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE '%OnBinary%' ORDER BY name")
    #expect(
      indexes == ["Z_Recipe_SwiftDataIndexOnBinaryauthortitle", "Z_Recipe_SwiftDataIndexOnBinarytitle"], "\(indexes)")
    #expect(container.schema.entity(for: Recipe.self)?.indices == [["title"], ["author", "title"]])

    let refusal = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Place.self, configurations: ModelConfiguration(url: folder.file("Places.store")))
    }
    let sentence = try #require(refusal).localizedDescription
    #expect(sentence.contains("R-tree index") && sentence.contains("Place"), "\(sentence)")
  }

  @Test("Constraints and indexes count if their condition holds, with attributes and modifiers too")
  func conditions() throws {
    let schema = Schema([Ticket.self, SeasonTicket.self])
    let (ticket, season) = (schema.entity(for: Ticket.self), schema.entity(for: SeasonTicket.self))
    #expect(ticket?.uniquenessConstraints == [["number"]] && ticket?.indices == [["number"], ["place", "number"]])
    #expect(season?.uniquenessConstraints.contains(["months"]) == false && season?.indices == [["months"]])
    let context = try memory(Ticket.self, SeasonTicket.self)
    for months in [1, 2] {
      let ticket = SeasonTicket()
      (ticket.number, ticket.months) = (3, months)
      context.insert(ticket)
    }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Ticket>(predicate: #Predicate { $0.number == 3 })) == 1)
  }

  @Test("A schema tells the parts of a struct, the ends of a relationship, and what Spotlight would have")
  func schema() throws {
    let schema = Schema(versionedSchema: KitchenV1.self)
    let entity = try #require(schema.entitiesByName["Recipe"])
    let serving = try #require(entity.attributesByName["serving"] as? Schema.CompositeAttribute)
    #expect(serving.properties.map(\.name) == ["count"] && serving.properties[0].valueType == Int.self)
    let ingredients = try #require(entity.relationshipsByName["ingredients"])
    #expect(ingredients.keypath == \Recipe.ingredients && ingredients.inverseName == "recipe")
    #expect(ingredients.maximumModelCount == 20 && !ingredients.isToOneRelationship)
    #expect(entity.attributesByName["title"]?.options.contains(.spotlight) == true)
    let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Recipe.self]))
    #expect(model.entitiesByName["Recipe"]?.attributesByName["title"]?.isIndexedBySpotlight == true)
    #expect(entity.properties.contains { $0.isRelationship } && entity.uniquenessConstraints.count == 2)
  }

  @Test("Both ends of a relationship name the other one, stated or not, and classes below do")
  func inverses() throws {
    func names(_ types: any PersistentModel.Type...) -> [String: String?] {
      let relationships = Schema(types).entities.flatMap { entity in
        entity.relationships.map { ("\(entity.name).\($0.name)", $0.inverseName) }
      }
      return Dictionary(uniqueKeysWithValues: relationships)
    }
    #expect(names(Book.self) == ["Author.books": "author", "Book.author": "books"])
    #expect(names(Garden.Bed.self) == ["Bed.plants": "bed", "Plant.bed": "plants"])
    #expect(names(Shelf.self) == ["Shelf.next": "former", "Shelf.former": "next"])
    let trips = names(Trip.self, BusinessTrip.self)
    #expect(trips["Trip.stays"] == "trip" && trips["BusinessTrip.stays"] == "trip" && trips["Stay.trip"] == "stays")
    let author = try #require(Schema(Book.self).entitiesByName["Book"]?.relationshipsByName["author"])
    #expect(author.inverseKeyPath == nil)
  }

  @Test("A context is used in every way that its documentation has")
  func context() throws {
    let context = try memory(Recipe.self)
    context.autosaveEnabled = false
    context.author = "cook"
    #expect(context.editingState.author == "cook" && context.editingState.id == context.editingState.id)
    let soup = Recipe(title: "Soup", author: "Ada")
    soup.ingredients = [Ingredient(name: "Water", position: 1), Ingredient(name: "Salt", position: 2)]
    context.insert(soup)
    #expect(context.hasChanges && context.insertedModelsArray.count == 3)
    try context.transaction { context.insert(Recipe(title: "Bread", author: "Bo")) }
    let id = soup.persistentModelID
    #expect((context.registeredModel(for: id) as Recipe?) === soup && context.model(for: id) as? Recipe === soup)
    #expect(soup.modelContext === context && !soup.hasChanges && !soup.isDeleted && soup.id == id)
    #expect("\(soup.sortedIngredients.map(\.description))" == #"["1. Water", "2. Salt"]"#)
    var titles: [String] = []
    try context.enumerate(FetchDescriptor<Recipe>(sortBy: [SortDescriptor(\.title)]), batchSize: 1) {
      titles.append($0.title)
    }
    #expect(titles == ["Bread", "Soup"])
    let ids = try context.fetchIdentifiers(FetchDescriptor<Recipe>(), batchSize: 10)
    #expect(ids.contains(id) && Set(ids).count == 2)
    let hard = Recipe.Difficulty.hard
    let none = try context.fetch(FetchDescriptor<Recipe>(predicate: #Predicate { $0.difficulty == hard }))
    #expect(none.isEmpty)
    let one = try context.fetch(
      FetchDescriptor(
        predicate: #Predicate<Recipe> { recipe in
          recipe.persistentModelID == id && recipe.ingredients?.contains { $0.name == "Salt" } == true
        }))
    #expect(one == [soup])
    soup.title = "Stew"
    #expect(context.changedModelsArray.count == 1)
    context.rollback()
    #expect(soup.title == "Soup")
    try context.delete(model: Recipe.self, where: #Predicate { $0.author == "Bo" }, includeSubclasses: false)
    context.processPendingChanges()
    #expect(context.deletedModelsArray.count == 1)
    do { try context.save() } catch SwiftDataError.modelValidationFailure { Issue.record("no such error") }
    #expect(try context.fetchCount(FetchDescriptor<Recipe>()) == 1)
  }

  @Test("A save tells under the keys of its notification, and under no other")
  func notification() throws {
    let context = try memory(Recipe.self)
    nonisolated(unsafe) var told: [AnyHashable: Any] = [:]
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { told = $0.userInfo ?? [:] }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Recipe(title: "Soup"))
    try context.save()
    let inserted = told[ModelContext.NotificationKey.insertedIdentifiers.rawValue] as? [PersistentIdentifier]
    #expect(inserted?.map(\.entityName) == ["Recipe"])
    #expect(told[ModelContext.NotificationKey.invalidatedAllIdentifiers.rawValue] == nil)
    #expect(told[ModelContext.NotificationKey.queryGeneration.rawValue] == nil)
    let token = try #require(told[ModelContext.NotificationKey.historyTokens.rawValue] as? DefaultHistoryToken)
    context.insert(Recipe(title: "Bread"))
    try context.save()
    let news = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    #expect(try context.fetchHistory(news).map(\.transactionIdentifier) == [2])
  }

  @Test("A relationship may lead to a model whose class is Codable")
  func codableModels() throws {
    let context = try memory(Dish.self, Chef.self)
    let json = #"{"name": "Ramen", "base": {"name": "Noodles"}, "chef": "Ada"}"#
    context.insert(try JSONDecoder().decode(Dish.self, from: Data(json.utf8)))
    try context.save()
    let reader = ModelContext(context.container)
    let ramen = try #require(try reader.fetch(FetchDescriptor<Dish>(predicate: #Predicate { $0.base != nil })).first)
    #expect(ramen.name == "Ramen" && ramen.base?.name == "Noodles" && ramen.base?.variants == [ramen])
    #expect(ramen.chef?.name == "Ada" && ramen.chef?.dishes == [ramen])
    let dish = try JSONDecoder().decode(Dish.self, from: JSONEncoder().encode(ramen))
    #expect(dish.base?.name == "Noodles" && dish.chef?.name == "Ada" && dish.modelContext == nil)
    ramen.base = nil
    try reader.save()
    #expect(try context.fetchCount(FetchDescriptor<Dish>(predicate: #Predicate { $0.base == nil })) == 2)
  }

  @Test("A repository over any model, and a program of the main actor's")
  @MainActor func actors() async throws {
    let kitchen = try Kitchen(inMemory: true)
    let repository = Repository(modelContainer: kitchen.container)
    let id = try await repository.insert { Recipe(title: "Soup", author: "Ada") }
    _ = try await repository.insert { Recipe(title: "Bread") }
    #expect(try await repository.count(of: Recipe.self) == 2)
    #expect(try await repository.count(of: Recipe.self, where: #Predicate { $0.author == "Ada" }) == 1)
    #expect(await repository.title(of: id) == "Soup")
    try kitchen.refresh()
    #expect(kitchen.recipes.map(\.title) == ["Bread", "Soup"])
  }

  @Test("A struct may have property wrappers")
  func propertyWrappers() throws {
    let context = try memory(Radio.self)
    let radio = Radio()
    radio.volume.level = 7
    radio.evening = Volume(level: 2, isMuted: true)
    context.insert(radio)
    try context.save()
    let other = ModelContext(context.container)
    let read = try #require(try other.fetch(FetchDescriptor<Radio>()).first)
    #expect(read.volume == Volume(level: 7) && read.evening == Volume(level: 2, isMuted: true))
  }
}

@Model final class Place {
  #Index<Place>(.rtree([\.latitude, \.longitude]))
  var latitude: Double = 0
  var longitude: Double = 0
  init() {}
}
