import Foundation
import SwiftData
import TestFiles
import Testing

final class Colour: Equatable {
  let red: UInt8
  init(red: UInt8) { self.red = red }
  static func == (left: Colour, right: Colour) -> Bool { left.red == right.red }
}

final class ColourTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? Colour).map { Data([$0.red]) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data)?.first.map { Colour(red: $0) }
  }
}

@Model final class Painting {
  @Attribute(.transformable(by: ColourTransformer.self)) var colour: Colour?
  @Attribute(.externalStorage) var image: Data?
  @Attribute(hashModifier: "2") var name: String = ""
  @Relationship(deleteRule: .deny, inverse: \Frame.painting) var frame: Frame?
  init() {}
}

@Model final class Frame {
  var painting: Painting?
  init() {}
}

@Model final class Window {
  var name: String
  @Attribute(.ephemeral) var isOpen = false
  @Attribute(.ephemeral) var width: Double?
  init(name: String) { self.name = name }
}

/// One sheet of a size in each window.
@Model final class Sheet {
  #Unique<Sheet>([\.window, \.size])

  var window: Window?
  var size: Int
  var note = ""
  init(window: Window?, size: Int) {
    self.window = window
    self.size = size
  }
}

@Model final class Pane {
  @Attribute(.ephemeral) var size: Size?
  init() {}
}

enum Form: String, Codable {
  case round
  case square
}

@Model final class Tile {
  #Unique<Tile>([\.form, \.number])
  #Index<Tile>([\.form], [\.place, \.form])
  var form: Form
  var number: Int
  var place = Corner.Place(x: 0, y: 0)
  init(_ form: Form, _ number: Int) {
    self.form = form
    self.number = number
  }
}

@Model final class Corner {
  struct Place: Codable, Hashable {
    var x: Int
    var y: Int
  }
  @Attribute(.unique) var form: Form
  #Unique<Corner>([\.place])
  var place: Place
  init(_ form: Form, _ place: Place) {
    self.form = form
    self.place = place
  }
}

@Model final class Room {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Chair.room) var chairs: [Chair] = []
  init(name: String) { self.name = name }
}

@Model final class Chair {
  #Unique<Chair>([\.room, \.number])
  var room: Room?
  var number: Int
  var note: String
  init(room: Room, number: Int, note: String) {
    self.room = room
    self.number = number
    self.note = note
  }
}

@Model final class Chest {
  @Attribute(.unique) var location: Location
  init(location: Location) { self.location = location }
}

@Model final class Market {
  @Relationship(.unique, deleteRule: .cascade, inverse: \Stall.market) var stalls: [Stall] = []
  init() {}
}

@Model final class Stall {
  var market: Market?
  init() {}
}

@Model final class Club {
  #Unique<Club>([\.guests])
  var guests: [Guest] = []
  init() {}
}

@Model final class Guest {
  var club: Club?
  init() {}
}

/// Key paths with a `?` at their end.
@Model final class Meal {
  #Index<Meal>([\.hour?, \.name])
  @Relationship(deleteRule: .cascade, inverse: \Drink.meal?) var drinks: [Drink] = []
  var hour: Int?
  var name = ""
  init() {}
}

@Model final class Drink {
  #Unique<Drink>([\.meal?, \.number])
  var meal: Meal?
  // Another way to a meal, so that only `inverse:` tells which one leads back.
  var former: Meal?
  var number: Int
  init(_ number: Int) { self.number = number }
}

@Suite("Options of properties")
struct OptionTests {
  private func gallery(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Painting.self, configurations: ModelConfiguration(url: folder.file())))
  }

  @Test("A transformer makes data of a value, and large data lie in a file of their own")
  func transformerAndFile() throws {
    let folder = TemporaryFolder()
    let image = Data(repeating: 7, count: 300_000)
    do {
      let context = try gallery(folder)
      let painting = Painting()
      painting.colour = Colour(red: 9)
      painting.image = image
      context.insert(painting)
      try context.save()
    }
    let context = try gallery(folder)
    let painting = try #require(try context.fetch(FetchDescriptor<Painting>()).first)
    #expect(painting.colour == Colour(red: 9) && painting.image == image)
    #expect(try SQLiteText.rows(folder.file(), "SELECT hex(ZCOLOUR) FROM ZPAINTING") == ["09"])
    #expect(try SQLiteText.rows(folder.file(), "SELECT length(ZIMAGE) < 100 FROM ZPAINTING") == ["1"])
  }

  @Test("Models that nobody has are deleted without a look at their data in files of their own")
  func deletedUnread() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = TemporaryFolder()
      let configuration = ModelConfiguration(url: folder.file())
      do {
        let context = ModelContext(try ModelContainer(for: Painting.self, configurations: configuration))
        for number in 1...2 {
          let painting = Painting()
          painting.image = Data(repeating: UInt8(number), count: 300_000)
          context.insert(painting)
        }
        try context.save()
      }
      let place = folder.file(".Test_SUPPORT/_EXTERNAL_DATA")
      let files = try FileManager.default.contentsOfDirectory(atPath: place.path).filter { UUID(uuidString: $0) != nil }
      if files.count != 2 { exit(1) }
      // What is gone could not be read without a word.
      for file in files { try FileManager.default.removeItem(at: place.appendingPathComponent(file)) }
      let context = ModelContext(try ModelContainer(for: Painting.self, configurations: configuration))
      try context.delete(model: Painting.self)
      try context.save()
      if try context.fetchCount(FetchDescriptor<Painting>()) != 0 { exit(2) }
    }
    #expect(result != nil)
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("can't be read"), "\(text)")
  }

  @Test("A program that imports SwiftData alone registers a transformer under a name")
  func registered() {
    let name = NSValueTransformerName("OptionTests.Colour")
    ValueTransformer.setValueTransformer(ColourTransformer(), forName: name)
    #expect(ValueTransformer(forName: name) is ColourTransformer)
    #expect(NSSecureUnarchiveFromDataTransformer.allowsReverseTransformation())
  }

  @Test("A relationship may forbid the deletion")
  func deny() throws {
    let folder = TemporaryFolder()
    let context = try gallery(folder)
    let painting = Painting()
    painting.frame = Frame()
    context.insert(painting)
    try context.save()
    context.delete(painting)
    #expect(throws: (any Error).self) { try context.save() }
    painting.frame?.painting = nil
    context.rollback()
    #expect(!painting.isDeleted && painting.frame != nil)
  }

  @Test("An ephemeral property is part of its model, and of no row", keepsRows)
  func ephemeral() throws {
    let folder = TemporaryFolder()
    let configuration = ModelConfiguration(url: folder.file())
    let context = ModelContext(try ModelContainer(for: Window.self, configurations: configuration))
    let window = Window(name: "w")
    window.isOpen = true
    window.width = 3
    context.insert(window)
    #expect(window.isOpen && window.width == 3)
    try context.save()
    #expect(window.isOpen && window.width == 3)
    window.width = 4
    #expect(window.width == 4)
    let other = ModelContext(context.container)
    let read = try #require(try other.fetch(FetchDescriptor<Window>()).first)
    #expect(!read.isOpen && read.width == nil && read.name == "w")
    let columns = try SQLiteText.rows(folder.file(), "SELECT name FROM pragma_table_info('ZWINDOW') ORDER BY name")
    #expect(columns == ["ZNAME", "Z_ENT", "Z_OPT", "Z_PK"])
    #expect(context.container.schema.entity(for: Window.self)?.attributesByName["isOpen"]?.isTransient == true)
  }

  @Test("What several columns keep cannot be ephemeral")
  func ephemeralStruct() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Schema([Pane.self])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Pane.size cannot be ephemeral."))
  }

  @Test("A schema tells its entities and their properties")
  func schema() throws {
    let schema = Schema([Painting.self], version: Schema.Version(1, 2, 3))
    #expect(schema.entities.map(\.name) == ["Frame", "Painting"])
    let entity = try #require(schema.entity(for: Painting.self))
    #expect(entity.attributesByName["name"]?.hashModifier == "2")
    #expect(entity.attributesByName["colour"]?.isTransformable == true)
    #expect(entity.relationshipsByName["frame"]?.destination == "Frame")
    #expect(entity.relationshipsByName["frame"]?.deleteRule == .deny)
    #expect(schema == Schema([Painting.self], version: Schema.Version(1, 2, 3)))
    #expect(schema != Schema([Painting.self]) && schema.version.description == "1.2.3")
  }

  @Test(
    "A model that updates a stored one by a constraint with a relationship stands for it", arguments: [true, false])
  func uniqueWithRelationship(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(
      for: Sheet.self, Window.self,
      configurations: inFile
        ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true))
    do {
      let first = ModelContext(container)
      first.insert(Sheet(window: Window(name: "east"), size: 1))
      try first.save()
    }
    let context = ModelContext(container)
    let window = try #require(context.fetch(FetchDescriptor<Window>()).first)
    let sheet = Sheet(window: window, size: 1)
    context.insert(sheet)
    try context.save()
    #expect(sheet.modelContext == context)
    sheet.note = "clean"
    try context.save()
    let other = ModelContext(container)
    let notes = try other.fetch(FetchDescriptor<Sheet>()).map(\.note)
    #expect(notes == ["clean"])
  }

  @Test(
    "New models at both ends of a constraint's relationship stand for the stored ones that they update",
    arguments: [true, false])
  func uniqueOnBothEnds(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(
      for: Room.self, Chair.self,
      configurations: inFile
        ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true))
    func furnish(_ note: String) throws -> (ModelContext, Chair) {
      let context = ModelContext(container)
      let chair = Chair(room: Room(name: "hall"), number: 1, note: note)
      context.insert(chair)
      try context.save()
      return (context, chair)
    }
    _ = try furnish("old")
    let (context, chair) = try furnish("new")
    #expect(chair.modelContext == context && chair.room?.modelContext == context)
    #expect(chair.room?.name == "hall" && chair.room?.chairs == [chair])
    chair.note = "newest"
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Chair>()).map(\.note) == ["newest"])
    #expect(try other.fetchCount(FetchDescriptor<Room>()) == 1)
  }

  @Test(
    "Enumerations with raw values, and structs, are unique and indexed as simple values are", arguments: [true, false])
  func uniqueParts(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Tile.self, Corner.self,
        configurations: inFile
          ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true)))
    for _ in 1...2 {
      for tile in [Tile(.round, 1), Tile(.round, 2), Tile(.square, 1)] { context.insert(tile) }
      for y in 1...2 { context.insert(Corner(.square, Corner.Place(x: 1, y: y))) }
      try context.save()
    }
    #expect(try context.fetchCount(FetchDescriptor<Tile>()) == 3)
    // The second one took the first one's shape.
    #expect(try context.fetch(FetchDescriptor<Corner>()).map(\.place) == [Corner.Place(x: 1, y: 2)])
    let corner = Corner(.round, Corner.Place(x: 1, y: 2))
    context.insert(corner)
    try context.save()
    corner.form = .square
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Corner>()).map(\.form) == [.square])
    guard inFile else { return }
    let indexes = try SQLiteText.rows(
      folder.file(), "SELECT group_concat(name) FROM pragma_index_info('Z_Tile_SwiftDataIndexOnBinaryplaceform')")
    #expect(indexes == ["ZX,ZY,ZFORM"])
  }

  @Test("An enumeration without raw values cannot be unique, since all but one of its columns are nil")
  func uniqueCases() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Schema([Chest.self])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Chest.location cannot be unique."))
  }

  @Test("An array of models that is declared unique is not, and a warning says so")
  func uniqueArray() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let context = try memory(Market.self)
      for _ in 1...2 { context.insert(Market()) }
      try context.save()
      if try context.fetchCount(FetchDescriptor<Market>()) != 2 { exit(1) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(result != nil && text.contains("Market.stalls gets no uniqueness constraint."))
  }

  @Test("A constraint over an array of models is an error where the container is made")
  func uniqueArrayStated() throws {
    let refusal = #expect(throws: SwiftDataError.self) { try memory(Club.self) }
    let error = try #require(refusal)
    #expect(error == .loadIssueModelContainer && error.description.contains("the uniqueness constraint (guests)"))
    #expect((error as NSError).userInfo[NSUnderlyingErrorKey] is NSError)
  }

  @Test("A key path with a ? at its end names the property before that")
  func optionalKeyPaths() throws {
    let context = try memory(Meal.self)
    let meal = Meal()
    context.insert(meal)
    let drink = Drink(1)
    drink.meal = meal
    #expect(meal.drinks == [drink])
    let schema = context.container.schema
    #expect(schema.entity(for: Meal.self)?.relationshipsByName["drinks"]?.inverseName == "meal")
    #expect(schema.entity(for: Meal.self)?.indices == [["hour", "name"]])
    #expect(schema.entity(for: Drink.self)?.uniquenessConstraints == [["meal", "number"]])
  }
}
