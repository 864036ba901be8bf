import Foundation
import SwiftData
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

  @Test("An ephemeral property is part of its model, and of no row")
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
}
