import Foundation
import SwiftData
import Synchronization
import TestFiles
import Testing

enum NotesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }
  @Model final class Note {
    var text: String
    var stars: Int
    init(text: String, stars: Int) {
      self.text = text
      self.stars = stars
    }
  }
}

/// What Note was before it had stars.
enum NotesV0: VersionedSchema {
  static let versionIdentifier = Schema.Version(0, 1, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }
  @Model final class Note {
    var text: String
    init(text: String) { self.text = text }
  }
}

enum NotesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }
  @Model final class Note {
    @Attribute(originalName: "text") var title: String
    var stars: Int
    var isRead = true
    init(title: String, stars: Int) {
      self.title = title
      self.stars = stars
    }
  }
}

enum NotesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }
  @Model final class Note {
    @Attribute(.unique) var title: String
    var stars: Int
    var isRead = true
    var words: Int?
    init(title: String, stars: Int) {
      self.title = title
      self.stars = stars
    }
  }
}

enum NotesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self, NotesV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self),
      .custom(
        fromVersion: NotesV2.self, toVersion: NotesV3.self,
        willMigrate: { context in
          // No two may have one title afterwards.
          var seen: Set<String> = []
          for note in try context.fetch(FetchDescriptor<NotesV2.Note>(sortBy: [SortDescriptor(\.stars)])) {
            if !seen.insert(note.title).inserted { context.delete(note) }
          }
          try context.save()
        },
        didMigrate: { context in
          for note in try context.fetch(FetchDescriptor<NotesV3.Note>()) {
            note.words = note.title.split(separator: " ").count
          }
          try context.save()
        }),
    ]
  }
}

/// What Note becomes when it gets a property that old notes have no value for.
enum NotesV5: VersionedSchema {
  static let versionIdentifier = Schema.Version(5, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }
  @Model final class Note {
    var text: String
    var stars: Int
    var author: String
    init(text: String, stars: Int, author: String) {
      self.text = text
      self.stars = stars
      self.author = author
    }
  }
}

/// A stage that takes the old notes out and puts new ones in.
enum RewritingPlan: SchemaMigrationPlan {
  static let kept = Mutex<[(text: String, stars: Int)]>([])
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV5.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: NotesV1.self, toVersion: NotesV5.self,
        willMigrate: { context in
          let notes = try context.fetch(FetchDescriptor<NotesV1.Note>())
          kept.withLock { $0 = notes.map { ($0.text, $0.stars) } }
          for note in notes { context.delete(note) }
          try context.save()
        },
        didMigrate: { context in
          for (text, stars) in kept.withLock({ $0 }) {
            context.insert(NotesV5.Note(text: text, stars: stars, author: "nobody"))
          }
          try context.save()
        })
    ]
  }
}

/// A stage whose code fails. It is a static property, as plans have them.
enum FailingPlan: SchemaMigrationPlan {
  struct Stop: Error {}
  static let failsBefore = Mutex(true)
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
  static var stages: [MigrationStage] { [toV2] }
  static let toV2 = MigrationStage.custom(
    fromVersion: NotesV1.self, toVersion: NotesV2.self,
    willMigrate: { context in
      try context.fetch(FetchDescriptor<NotesV1.Note>()).first?.text = "changed"
      if failsBefore.withLock({ $0 }) { throw Stop() }
    },
    didMigrate: { _ in throw Stop() })
}

/// Versions that count how often their models are asked for.
enum CountedV1: VersionedSchema {
  nonisolated(unsafe) static var asked = 0
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] {
    asked += 1
    return [NotesV1.Note.self]
  }
}

enum CountedPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [CountedV1.self, NotesV2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: CountedV1.self, toVersion: NotesV2.self),
      .lightweight(fromVersion: NotesV2.self, toVersion: NotesV3.self),
    ]
  }
}

/// Two versions of Pet with one Owner, who is declared with the later one.
enum Pets {
  @Model final class Owner {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \After.Pet.owner) var pets: [After.Pet] = []
    init(name: String) { self.name = name }
  }
  enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Owner.self, Pet.self] }
    @Model final class Pet {
      var name: String
      var owner: Owner?
      init(name: String, owner: Owner) {
        self.name = name
        self.owner = owner
      }
    }
  }
  enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Owner.self, Pet.self] }
    @Model final class Pet {
      var name: String
      var age = 0
      var owner: Owner?
      init(name: String) { self.name = name }
    }
  }
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: Before.self, toVersion: After.self,
          willMigrate: { context in
            for pet in try context.fetch(FetchDescriptor<Before.Pet>()) { pet.name += " of \(pet.owner?.name ?? "")" }
            try context.save()
          },
          didMigrate: { context in
            for owner in try context.fetch(FetchDescriptor<Owner>()) { for pet in owner.pets { pet.age = 1 } }
            try context.save()
          })
      ]
    }
  }
}

/// Begins with the second version.
enum LaterPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV2.self, NotesV3.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: NotesV2.self, toVersion: NotesV3.self)] }
}

/// Takes a store back to the version before.
enum DowngradePlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV0.self, NotesV1.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: NotesV1.self, toVersion: NotesV0.self,
        willMigrate: { context in
          for note in try context.fetch(FetchDescriptor<NotesV1.Note>()) { note.text += " \(note.stars)" }
          try context.save()
        }, didMigrate: nil)
    ]
  }
}

enum CircularPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [NotesV1.self, NotesV2.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: NotesV1.self, toVersion: NotesV2.self),
      .lightweight(fromVersion: NotesV2.self, toVersion: NotesV1.self),
    ]
  }
}

/// Two versions whose number nobody has raised.
enum SameNumber {
  enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [NotesV1.Note.self] }
  }
  enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [NotesV2.Note.self] }
  }
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Before.self, toVersion: After.self)] }
  }
}

/// What Note becomes when it gets a struct and a case.
enum NotesV4 {
  enum Kind: String, Codable {
    case plain
    case rich
  }
  struct Place: Codable, Equatable {
    var x: Int
    var y: Int?
  }
  @Model final class Note {
    var text: String
    var stars: Int
    var kind = Kind.rich
    var place = Place(x: 3, y: nil)
    var tags: [String] = []
    var places: Set<Int> = [1]
    var zone = TimeZone.gmt
    init(text: String, stars: Int) {
      self.text = text
      self.stars = stars
    }
  }
}

/// What Note becomes when it gets values for transformers.
enum NotesV6 {
  @Model final class Note {
    var text: String
    var stars: Int
    @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var tags: [String] = ["old"]
    @Attribute(.transformable(by: ColourTransformer.self)) var colour: Colour = Colour(red: 7)
    init(text: String, stars: Int) {
      self.text = text
      self.stars = stars
    }
  }
}

/// The same with a transformer that nothing has registered.
enum NotesV7 {
  @Model final class Note {
    var text: String
    var stars: Int
    @Attribute(.transformable(by: "NoSuchTransformer")) var tags: [String] = ["old"]
    init(text: String, stars: Int) {
      self.text = text
      self.stars = stars
    }
  }
}

/// A lamp whose enumerations get other names, beside what keeps its name.
enum LampsV1 {
  @Model final class Lamp {
    var state = State.off
    var former: State?
    var place = Place(room: "hall")
    init() {}
  }
  enum State: String, Codable {
    case on
    case off
  }
  struct Place: Codable { var room: String }
}

enum LampsV2 {
  @Model final class Lamp {
    @Attribute(originalName: "state") var light = State.off
    @Attribute(originalName: "former") var before: State?
    @Attribute(originalName: "place") var spot = Place(room: "")
    init() {}
  }
  enum State: String, Codable {
    case on
    case off
    case broken
  }
  struct Place: Codable {
    var room: String
    var floor: Int?
  }
}

/// A parcel whose enumerations get cases, and whose structs get properties.
enum ParcelsV1 {
  enum Size: Codable, Equatable {
    case small
    case long(Int)
  }
  enum Colour: String, Codable { case red }
  struct Place: Codable, Equatable {
    var room: String
    var size = Size.small
  }
  @Model final class Parcel {
    var name: String
    var size = Size.small
    var other: Size?
    var later: Size?
    var colour: Colour?
    var place: Place? = Place(room: "hall")
    init(name: String) { self.name = name }
  }
}

enum ParcelsV2 {
  enum Size: Codable, Equatable {
    case small
    case long(Int)
    case wide
    case heavy(kilos: Int)
  }
  enum Colour: String, Codable {
    case red
    case blue
  }
  struct Place: Codable, Equatable {
    var room: String
    var size = Size.wide
    var floor = 0
  }
  @Model final class Parcel {
    var name: String
    var size = Size.wide
    var other: Size? = Size.heavy(kilos: 2)
    var later = Size.wide
    var colour = Colour.blue
    var place: Place? = Place(room: "cellar")
    init(name: String) { self.name = name }
  }
}

/// Two stores: what is in them has other names in the last version, or is gone.
enum DrawersV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Sheet.self, Scrap.self, Pen.self] }
  @Model final class Sheet {
    var text: String
    init(text: String) { self.text = text }
  }
  @Model final class Scrap {
    var text: String
    init(text: String) { self.text = text }
  }
  @Model final class Pen {
    var ink: String
    init(ink: String) { self.ink = ink }
  }
}

enum DrawersV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Sheet.self, Scrap.self, Pen.self] }
  @Model final class Sheet {
    var text: String
    var length: Int?
    init(text: String) { self.text = text }
  }
  @Model final class Scrap {
    var text: String
    var length: Int?
    init(text: String) { self.text = text }
  }
  @Model final class Pen {
    var ink: String
    var width = 1
    init(ink: String) { self.ink = ink }
  }
}

enum DrawersV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Sheet.self, Pen.self] }
  @Model final class Sheet {
    var text: String
    var length: Int?
    var scraps: [String] = []
    init(text: String) { self.text = text }
  }
  @Model final class Pen {
    var ink: String
    var width = 1
    var isNew = false
    init(ink: String) { self.ink = ink }
  }
}

enum DrawersPlan: SchemaMigrationPlan {
  static let scraps = Mutex<[String]>([])
  static var schemas: [any VersionedSchema.Type] { [DrawersV1.self, DrawersV2.self, DrawersV3.self] }
  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: DrawersV1.self, toVersion: DrawersV2.self),
      .custom(
        fromVersion: DrawersV2.self, toVersion: DrawersV3.self,
        willMigrate: { context in
          // A store of this plan has sheets and scraps, or pens.
          guard let found = try? context.fetch(FetchDescriptor<DrawersV2.Scrap>()), !found.isEmpty else { return }
          scraps.withLock { $0 = found.map(\.text) }
        },
        didMigrate: { context in
          for sheet in (try? context.fetch(FetchDescriptor<DrawersV3.Sheet>())) ?? [] {
            sheet.scraps = scraps.withLock { $0 }
          }
          try context.save()
        }),
    ]
  }
}

@Suite("Stores of earlier versions")
struct MigrationTests {
  private func first(_ folder: TemporaryFolder) throws {
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV1.self), configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    for (text, stars) in [("a b", 1), ("a b", 2), ("c", 3)] { context.insert(NotesV1.Note(text: text, stars: stars)) }
    try context.save()
  }

  @Test("A plan's versions are made once, however often it names them")
  func madeOnce() throws {
    let folder = TemporaryFolder()
    let before = CountedV1.asked
    _ = try ModelContainer(
      for: Schema(versionedSchema: NotesV2.self), migrationPlan: CountedPlan.self,
      configurations: ModelConfiguration(url: folder.file()))
    #expect(CountedV1.asked == before + 1)
  }

  @Test("A renamed and a new property follow without a plan")
  func lightweight() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV2.self), configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let notes = try context.fetch(FetchDescriptor<NotesV2.Note>(sortBy: [SortDescriptor(\.stars)]))
    #expect(notes.map(\.title) == ["a b", "a b", "c"] && notes.allSatisfy(\.isRead))
  }

  @Test("A plan's stages run one after the other, with code before and after")
  func staged() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV3.self), migrationPlan: NotesPlan.self,
      configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let notes = try context.fetch(FetchDescriptor<NotesV3.Note>(sortBy: [SortDescriptor(\.stars)]))
    #expect(notes.map(\.title) == ["a b", "c"] && notes.map(\.words) == [2, 1] && notes.map(\.stars) == [1, 3])
  }

  @Test("A stage that takes the objects out may add a property without an initial value, and puts new objects in")
  func rewritten() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let configuration = ModelConfiguration(url: folder.file())
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: NotesV5.Note.self, configurations: configuration)
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV5.self), migrationPlan: RewritingPlan.self, configurations: configuration)
    let context = ModelContext(container)
    let notes = try context.fetch(FetchDescriptor<NotesV5.Note>(sortBy: [SortDescriptor(\.stars)]))
    #expect(notes.map(\.text) == ["a b", "a b", "c"] && notes.allSatisfy { $0.author == "nobody" })
  }

  @Test("New structs, cases and collections have their initial value in old rows")
  func newComposites() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let container = try ModelContainer(for: NotesV4.Note.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let notes = try context.fetch(FetchDescriptor<NotesV4.Note>())
    #expect(notes.count == 3 && notes.allSatisfy { $0.kind == .rich && $0.place == NotesV4.Place(x: 3, y: nil) })
    #expect(notes.allSatisfy { $0.tags == [] && $0.places == [1] && $0.zone == .gmt })
    notes[0].tags.append("new")
    try context.save()
    #expect(notes.filter { $0.tags == ["new"] }.count == 1)
  }

  @Test("So do new properties with a transformer, if that is there")
  func newTransformables() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let configuration = ModelConfiguration(url: folder.file())
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: NotesV7.Note.self, configurations: configuration)
    }
    let context = ModelContext(try ModelContainer(for: NotesV6.Note.self, configurations: configuration))
    let notes = try context.fetch(FetchDescriptor<NotesV6.Note>())
    #expect(notes.count == 3 && notes.allSatisfy { $0.tags == ["old"] && $0.colour == Colour(red: 7) })
    notes[0].tags.append("new")
    context.insert(NotesV6.Note(text: "d", stars: 4))
    try context.save()
    let other = ModelContext(context.container)
    let tags = try other.fetch(FetchDescriptor<NotesV6.Note>()).map(\.tags)
    #expect(tags.count == 4 && tags.filter { $0 == ["old"] }.count == 3 && tags.contains(["old", "new"]))
  }

  @Test("A plan that does not fit is refused")
  func plans() throws {
    let folder = TemporaryFolder()
    #expect(throws: SwiftDataError.backwardMigration) {
      try ModelContainer(
        for: Schema(versionedSchema: NotesV1.self), migrationPlan: CircularPlan.self,
        configurations: ModelConfiguration(url: folder.file()))
    }
    #expect(throws: SwiftDataError.unknownSchema) {
      try ModelContainer(
        for: Book.self, migrationPlan: NotesPlan.self, configurations: ModelConfiguration(url: folder.file()))
    }
  }

  @Test("A plan may lead to an earlier version")
  func downgrade() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV0.self), migrationPlan: DowngradePlan.self,
      configurations: ModelConfiguration(url: folder.file()))
    let notes = try ModelContext(container).fetch(FetchDescriptor<NotesV0.Note>(sortBy: [SortDescriptor(\.text)]))
    #expect(notes.map(\.text) == ["a b 1", "a b 2", "c 3"])
  }

  @Test("Versions of one number are migrated as well")
  func sameNumber() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let container = try ModelContainer(
      for: Schema(versionedSchema: SameNumber.After.self), migrationPlan: SameNumber.Plan.self,
      configurations: ModelConfiguration(url: folder.file()))
    let notes = try ModelContext(container).fetch(FetchDescriptor<NotesV2.Note>(sortBy: [SortDescriptor(\.stars)]))
    #expect(notes.map(\.title) == ["a b", "a b", "c"])
  }

  @Test("A store that is further than the schema, in the order of a plan's stages, is refused and stays as it is")
  func backward() throws {
    let folder = TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.file())
    do {
      let later = try ModelContainer(for: Schema(versionedSchema: NotesV2.self), configurations: configuration)
      let context = ModelContext(later)
      context.insert(NotesV2.Note(title: "a", stars: 1))
      try context.save()
    }
    let refusal = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema(versionedSchema: NotesV1.self), migrationPlan: NotesPlan.self, configurations: configuration)
    }
    let error = try #require(refusal)
    #expect(error == .backwardMigration && error.description.contains(folder.file().path))
    let reason = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(reason.code == 134506)
    let again = try ModelContainer(for: Schema(versionedSchema: NotesV2.self), configurations: configuration)
    #expect(try ModelContext(again).fetch(FetchDescriptor<NotesV2.Note>()).map(\.title) == ["a"])
  }

  @Test("Versions may share a class that leads to one of another version: its name decides")
  func sharedClass() throws {
    let folder = TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.file())
    let before = Schema(versionedSchema: Pets.Before.self)
    #expect(before.entity(for: Pets.Before.Pet.self) != nil && before.entity(for: Pets.After.Pet.self) == nil)
    #expect(before.entitiesByName["Owner"]?.relationshipsByName["pets"]?.inverseName == "owner")
    do {
      let context = ModelContext(try ModelContainer(for: before, configurations: configuration))
      context.insert(Pets.Before.Pet(name: "Rex", owner: Pets.Owner(name: "Ann")))
      try context.save()
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: Pets.After.self), migrationPlan: Pets.Plan.self, configurations: configuration)
    let context = ModelContext(container)
    let ann = try #require(try context.fetch(FetchDescriptor<Pets.Owner>()).first)
    #expect(ann.pets.map(\.name) == ["Rex of Ann"] && ann.pets.map(\.age) == [1])
    context.delete(ann)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Pets.After.Pet>()) == 0)
  }

  @Test("A store whose version is in no stage of the plan is refused with Core Data's error, and stays as it is")
  func unknownVersion() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let before = try Data(contentsOf: folder.file())
    let refusal = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema(versionedSchema: NotesV3.self), migrationPlan: LaterPlan.self,
        configurations: ModelConfiguration(url: folder.file()))
    }
    let error = try #require(refusal)
    #expect(error == .loadIssueModelContainer)
    let reason = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(reason.domain == NSCocoaErrorDomain && reason.code == 134504)
    #expect(error.description.contains("Cannot use staged migration with an unknown model version."))
    #expect(try Data(contentsOf: folder.file()) == before)
  }

  @Test("A property that a class does not have any more leaves the file with its values, if the file may be written")
  func lessProperties() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let before = try Data(contentsOf: folder.file())
    let readOnly = ModelConfiguration(url: folder.file(), allowsSave: false)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: NotesV0.Note.self, configurations: readOnly)
    }
    #expect(error == .loadIssueModelContainer && error?.description.contains("Note") == true)
    #expect(try Data(contentsOf: folder.file()) == before)
    let container = try ModelContainer(for: NotesV0.Note.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    #expect(try context.fetch(FetchDescriptor<NotesV0.Note>()).map(\.text).sorted() == ["a b", "a b", "c"])
    #expect(
      try SQLiteText.rows(folder.file(), "SELECT name FROM pragma_table_info('ZNOTE') WHERE name = 'ZSTARS'") == [])
  }

  @Test("A store that has none of the schema's models is refused, and stays as it is; with one of them it is migrated")
  func otherSchema() throws {
    let folder = TemporaryFolder()
    try first(folder)
    let before = try Data(contentsOf: folder.file())
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    }
    #expect(error == .loadIssueModelContainer)
    let text = try #require(error).description
    #expect(text.contains("has none of the schema's models. It has Note, and the schema Author, Book."))
    #expect(try Data(contentsOf: folder.file()) == before)
    let both = try ModelContainer(
      for: NotesV1.Note.self, Shelf.self, configurations: ModelConfiguration(url: folder.file()))
    #expect(try ModelContext(both).fetchCount(FetchDescriptor<NotesV1.Note>()) == 3)
  }

  @Test("Code of a stage that throws stops the migration, and the file is as before", arguments: [true, false])
  func failingStage(before: Bool) throws {
    let folder = TemporaryFolder()
    try first(folder)
    FailingPlan.failsBefore.withLock { $0 = before }
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema(versionedSchema: NotesV2.self), migrationPlan: FailingPlan.self,
        configurations: ModelConfiguration(url: folder.file()))
    }
    #expect(error == .loadIssueModelContainer)
    let container = try ModelContainer(
      for: Schema(versionedSchema: NotesV1.self), configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let notes = try context.fetch(FetchDescriptor<NotesV1.Note>(sortBy: [SortDescriptor(\.stars)]))
    #expect(notes.map(\.text) == ["a b", "a b", "c"])
  }

  @Test("A store of another program's models is an error, and stays as it is")
  func otherModels() throws {
    let folder = TemporaryFolder()
    try first(folder)
    // A file that may not be written cannot become another version.
    #expect(throws: (any Error).self) {
      try ModelContainer(
        for: NotesV2.Note.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
    }
    try Data("no database".utf8).write(to: folder.file("text"))
    #expect(throws: (any Error).self) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file("text")))
    }
    #expect(try SQLiteText.rows(folder.file(), "SELECT count(*) FROM ZNOTE") == ["3"])
  }

  @Test("Enumerations and structs that are renamed keep their values, also when the file is opened again")
  func renamedParts() throws {
    let folder = TemporaryFolder()
    func context(_ type: any PersistentModel.Type) throws -> ModelContext {
      ModelContext(try ModelContainer(for: Schema([type]), configurations: ModelConfiguration(url: folder.file())))
    }
    do {
      let context = try context(LampsV1.Lamp.self)
      let lamp = LampsV1.Lamp()
      (lamp.state, lamp.former) = (.on, .off)
      context.insert(lamp)
      try context.save()
    }
    for _ in 1...2 {
      let context = try context(LampsV2.Lamp.self)
      let lamp = try #require(try context.fetch(FetchDescriptor<LampsV2.Lamp>()).first)
      #expect(lamp.light == .on && lamp.before == .off && lamp.spot.room == "hall" && lamp.spot.floor == nil)
    }
  }

  @Test("Values of enumerations and optional structs stay as they are, whatever cases and properties come")
  func grownParts() throws {
    let folder = TemporaryFolder()
    do {
      let context = ModelContext(
        try ModelContainer(for: ParcelsV1.Parcel.self, configurations: ModelConfiguration(url: folder.file())))
      let (a, b) = (ParcelsV1.Parcel(name: "a"), ParcelsV1.Parcel(name: "b"))
      (a.size, a.other, a.later, a.colour) = (.long(3), .small, .small, .red)
      b.place = nil
      context.insert(a)
      context.insert(b)
      try context.save()
    }
    let context = ModelContext(
      try ModelContainer(for: ParcelsV2.Parcel.self, configurations: ModelConfiguration(url: folder.file())))
    let parcels = try context.fetch(FetchDescriptor<ParcelsV2.Parcel>(sortBy: [SortDescriptor(\.name)]))
    #expect(parcels.map(\.size) == [.long(3), .small])
    #expect(parcels.map(\.other) == [.small, nil])
    #expect(parcels.map(\.later) == [.small, .wide])
    #expect(parcels.map(\.colour) == [.red, .blue])
    #expect(parcels.map(\.place) == [ParcelsV2.Place(room: "hall", size: .small, floor: 0), nil])
  }

  @Test("A plan migrates each of several stores, with what a store has besides in earlier versions")
  func severalStores() throws {
    let folder = TemporaryFolder()
    func container(_ version: any VersionedSchema.Type, _ first: Schema, _ second: Schema) throws -> ModelContainer {
      try ModelContainer(
        for: Schema(versionedSchema: version),
        migrationPlan: version == DrawersV3.self ? DrawersPlan.self : nil,
        configurations: ModelConfiguration("First", schema: first, url: folder.file("first.store")),
        ModelConfiguration("Second", schema: second, url: folder.file("second.store")))
    }
    do {
      let context = ModelContext(
        try container(
          DrawersV1.self, Schema([DrawersV1.Sheet.self, DrawersV1.Scrap.self]), Schema([DrawersV1.Pen.self])))
      context.insert(DrawersV1.Sheet(text: "letter"))
      context.insert(DrawersV1.Scrap(text: "list"))
      context.insert(DrawersV1.Pen(ink: "blue"))
      try context.save()
    }
    let context = ModelContext(
      try container(DrawersV3.self, Schema([DrawersV3.Sheet.self]), Schema([DrawersV3.Pen.self])))
    let sheets = try context.fetch(FetchDescriptor<DrawersV3.Sheet>())
    #expect(sheets.map(\.text) == ["letter"] && sheets.map(\.scraps) == [["list"]])
    let pens = try context.fetch(FetchDescriptor<DrawersV3.Pen>())
    #expect(pens.map(\.ink) == ["blue"] && pens.map(\.width) == [1] && pens.map(\.isNew) == [false])
  }
}
