import Foundation
import SwiftData
import TestFiles
import Testing

private indirect enum Rule: Codable, Equatable {
  case exactly(Int)
  case both(Rule, Rule)
}

private struct Journey: Codable {
  var zone: TimeZone?
  var rule = Rule.exactly(0)
}

private struct Draught: Codable {
  enum CodingKeys: CodingKey { case text }
  var text: String
  var opened = 0
}

private final class Jacket: Codable {
  var colour = "red"
}

private struct Empty: Codable {}

@Model private final class Almanac {
  var zone: TimeZone
  var locale: Locale?
  var due = DateComponents(year: 1815, month: 12)
  var rule: Rule
  var journey = Journey()
  var path: IndexPath = [1, 2]
  var cover = Jacket()
  var length: Measurement<UnitLength>? = Measurement(value: 2, unit: UnitLength.meters)
  var book: PersistentIdentifier?
  var nothing: Empty? = Empty()
  var draft = Draught(text: "")
  var shelf: Book?
  init(zone: TimeZone, rule: Rule, book: PersistentIdentifier?) {
    self.zone = zone
    self.rule = rule
    self.book = book
  }
}

@Model private final class Gauge {
  var narrow: UInt8
  var medium: UInt16
  var wide: UInt32
  var widest: UInt64
  var whole: UInt
  var maybe: UInt64?
  init<I: FixedWidthInteger>(_ value: I) {
    narrow = UInt8(truncatingIfNeeded: value)
    medium = UInt16(truncatingIfNeeded: value)
    wide = UInt32(truncatingIfNeeded: value)
    widest = UInt64(truncatingIfNeeded: value)
    whole = UInt(truncatingIfNeeded: value)
    maybe = value == 0 ? nil : UInt64(truncatingIfNeeded: value)
  }
}

@Model private final class Banner {
  struct Edge: Codable { var breadth: CGFloat }
  var width: CGFloat
  var height: CGFloat?
  var edge: Edge
  init(_ width: CGFloat) {
    self.width = width
    height = width > 2 ? width : nil
    edge = Edge(breadth: width)
  }
}

private struct Sample: Codable, Equatable {
  var values: [Float] = []
}

@Model private final class Probe {
  var value: Double
  var small: Float
  var maybe: Double?
  var series: [Double] = []
  var list: [Float]?
  var table: [String: Double] = ["least": -Double.infinity]
  var sample = Sample()
  init(_ value: Double) {
    self.value = value
    small = Float(value)
    maybe = value
  }
}

/// Keys that a server's JSON has other names for, two of them with each other's.
private struct Address: Codable, Equatable {
  enum Delivery: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
      case byPost = "post"
      case toShop = "shop"
      case none
    }
    enum ByPostCodingKeys: String, CodingKey { case days = "within" }
    case byPost(days: Int)
    case toShop(String)
    case none
  }
  enum CodingKeys: String, CodingKey {
    case street = "line_1"
    case city = "town"
    case town = "city"
    case zip
    case delivery = "how"
  }
  var street: String
  var city: String
  var town: String?
  var zip: Int?
  var delivery = Delivery.none
}

@Model private final class Customer {
  var home: Address
  var work: Address? = Address(street: "Main", city: "Bern", town: "Köniz")
  init(home: Address) { self.home = home }
}

extension ModelContext {
  /// A model, saved.
  fileprivate func inserted<M: PersistentModel>(_ model: M) throws -> M? {
    insert(model)
    try save()
    return model
  }
}

/// An enumeration that knows what to do with a case of a later version.
enum Rank: String, Codable {
  case low, high, unknown
  init(from decoder: any Decoder) throws {
    self = Rank(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .unknown
  }
}
struct Standing: Codable, Hashable { var rank: Rank }

@Model final class Player {
  var rank: Rank
  var best: Rank?
  var standing: Standing
  init(_ rank: Rank) {
    self.rank = rank
    best = rank
    standing = Standing(rank: rank)
  }
}

@Suite("Values of models, stored and read again")
struct StoredValueTests {
  @Test("Every kind of value comes back from a file")
  func everyKind() throws {
    let folder = TemporaryFolder()
    let size = Size(
      width: 1.5, height: 2, unit: Size.Unit(name: "cm", factor: nil), marks: ["a", "b"], genre: .essay)
    let id = UUID()
    do {
      let context = try library(folder.file())
      let book = Book(isbn: "1", title: "Emma", pages: 474)
      book.price = Decimal(string: "12.34")
      book.cover = Data([1, 2, 3])
      book.token = id
      book.page = URL(string: "https://example.org/emma")
      book.genre = .essay
      book.location = .lent(to: "Anna", since: nil)
      book.size = size
      book.remark = Remark(text: "good", stars: nil)
      book.tags = ["old", "red"]
      book.numbers = [3, -1]
      book.counts = ["a": 1]
      book.sizes = [size, size]
      book.default = 7
      book.hide(42)
      context.insert(book)
      try context.save()
    }
    let context = try library(folder.file())
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    #expect(book.title == "Emma" && book.pages == 474 && book.isbn == "1")
    #expect(book.price == Decimal(string: "12.34") && book.weight == 0.5 && book.isRead == false)
    #expect(book.added == Date(timeIntervalSinceReferenceDate: 0) && book.cover == Data([1, 2, 3]))
    #expect(book.token == id && book.page?.absoluteString == "https://example.org/emma")
    #expect(book.genre == .essay && book.secondGenre == nil)
    #expect(book.location == .lent(to: "Anna", since: nil))
    #expect(book.size == size)
    #expect(book.remark == Remark(text: "good", stars: nil))
    #expect(book.tags == ["old", "red"] && book.numbers == [3, -1])
    #expect(book.counts == ["a": 1] && book.sizes == [size, size])
    #expect(book.default == 7 && book.secret == 42)
    #expect(book.summary == "Emma, 474 pages")
  }

  @Test(
    "Every form of an enumeration's case comes back",
    arguments: [
      Location.shelf(row: 3), .lent(to: "B", since: Date(timeIntervalSinceReferenceDate: 5)), .box("x", 2), .lost,
      .sold,
    ])
  func cases(_ location: Location) throws {
    let folder = TemporaryFolder()
    do {
      let context = try library(folder.file())
      let book = Book(isbn: "1", title: "Emma")
      book.location = .lost
      context.insert(book)
      try context.save()
      book.location = location
      try context.save()
    }
    let context = try library(folder.file())
    #expect(try context.fetch(FetchDescriptor<Book>()).first?.location == location)
  }

  @Test(
    "Numbers that are infinite or none at all come back, alone and in lists",
    arguments: [Double.nan, .infinity, -.infinity])
  func numbersWithoutDigits(_ value: Double) throws {
    let folder = TemporaryFolder()
    func opened() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Probe.self, configurations: ModelConfiguration(url: folder.file())))
    }
    func isSame(_ other: some BinaryFloatingPoint) -> Bool { value.isNaN ? other.isNaN : Double(other) == value }
    do {
      let probe = Probe(value)
      (probe.series, probe.list) = ([1, value], [Float(value)])
      probe.sample.values = [Float(value), 2]
      let context = try opened()
      _ = try context.inserted(probe)
      #expect(isSame(probe.value) && isSame(probe.small))
    }
    let reader = try opened()
    let probe = try #require(try reader.fetch(FetchDescriptor<Probe>()).first)
    #expect(isSame(probe.value) && isSame(probe.small))
    #expect(value.isNaN ? probe.maybe == nil : probe.maybe == value)
    #expect(probe.series.count == 2 && probe.series[0] == 1 && isSame(probe.series[1]))
    #expect(isSame(try #require(probe.list?.first)) && isSame(probe.sample.values[0]) && probe.sample.values[1] == 2)
    #expect(probe.table == ["least": -.infinity])
    probe.value = 3
    #expect(probe.value == 3)
  }

  @Test("What cannot be taken apart into columns is kept as JSON, alone and in a struct")
  func documents() throws {
    let folder = TemporaryFolder()
    let zone = try #require(TimeZone(identifier: "Europe/Paris"))
    let rule = Rule.both(.exactly(1), .both(.exactly(2), .exactly(3)))
    let container = try ModelContainer(for: Almanac.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let book = try #require(try context.inserted(Book(isbn: "1", title: "Emma")))
    let almanac = Almanac(zone: zone, rule: rule, book: book.persistentModelID)
    context.insert(almanac)
    almanac.journey.zone = zone
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Almanac>()).first)
    #expect(found.zone == zone && found.locale == nil && found.due == DateComponents(year: 1815, month: 12))
    #expect(found.rule == rule && found.journey.zone == zone && found.journey.rule == .exactly(0))
    #expect(found.path == [1, 2] && found.cover.colour == "red" && found.book == book.persistentModelID)
    #expect(found.length == Measurement(value: 2, unit: UnitLength.meters) && found.nothing != nil)
  }

  @Test("A struct whose Codable conformance leaves a stored property out is stored without it")
  func leftOut() throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Almanac.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let almanac = try #require(try context.inserted(Almanac(zone: .gmt, rule: .exactly(1), book: nil)))
    almanac.draft = Draught(text: "x", opened: 7)
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Almanac>()).first)
    #expect(found.draft.text == "x" && found.draft.opened == 0)
  }

  @Test("Keys may have other texts than the properties' names: columns and key paths are called like the properties")
  func renamedKeys() throws {
    let folder = TemporaryFolder()
    let addresses = [
      Address(street: "Rue 1", city: "Bex", zip: 1880, delivery: .byPost(days: 2)),
      Address(street: "Via 2", city: "Chur", town: "Ems", delivery: .toShop("Coop")),
      Address(street: "Gasse 3", city: "Ems", town: "Chur"),
    ]
    func open() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Customer.self, configurations: ModelConfiguration(url: folder.file())))
    }
    do {
      let context = try open()
      for address in addresses { context.insert(Customer(home: address)) }
      try context.save()
    }
    let context = try open()
    let found = try context.fetch(FetchDescriptor<Customer>(sortBy: [SortDescriptor(\.persistentModelID)]))
    #expect(found.map(\.home) == addresses)
    #expect(found.map(\.work?.town) == ["Köniz", "Köniz", "Köniz"])
    let inChur = FetchDescriptor<Customer>(predicate: #Predicate { $0.home.city == "Chur" })
    #expect(try context.fetch(inChur).map(\.home.street) == ["Via 2"])
    let columns = try SQLiteText.rows(folder.file(), "SELECT name FROM pragma_table_info('ZCUSTOMER')")
    #expect(columns.contains("ZSTREET") && columns.contains("ZDAYS") && !columns.contains("ZLINE_1"), "\(columns)")
  }

  @Test("A raw value that is no case's is what the enumeration's own init(from:) makes of it")
  func unknownCases() throws {
    let folder = TemporaryFolder()
    func open() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Player.self, configurations: ModelConfiguration(url: folder.file())))
    }
    do {
      let context = try open()
      context.insert(Player(.high))
      try context.save()
    }
    let columns = try SQLiteText.rows(folder.file(), "SELECT name FROM pragma_table_info('ZPLAYER')")
    let ranks = columns.filter { !$0.hasPrefix("Z_") }
    #expect(ranks.count == 3)
    for column in ranks { _ = try SQLiteText.rows(folder.file(), "UPDATE ZPLAYER SET \(column) = 'highest'") }
    let context = try open()
    let player = try #require(try context.fetch(FetchDescriptor<Player>()).first)
    #expect(player.rank == .unknown && player.best == .unknown && player.standing.rank == .unknown)
  }

  @Test("A model of which values cannot be read may be deleted, and keeps the others")
  func deletionOfUnreadable() throws {
    let folder = TemporaryFolder()
    do {
      let context = try library(folder.file())
      for (isbn, title) in [("1", "Emma"), ("2", "Persuasion")] {
        let book = Book(isbn: isbn, title: title)
        book.size = Size(width: 1, height: 1, unit: Size.Unit(name: "cm"))
        context.insert(book)
      }
      try context.save()
    }
    _ = try SQLiteText.rows(folder.file(), "UPDATE ZBOOK SET ZGENRE = 'poem', ZMARKS = x'7B61' WHERE ZISBN = '1'")
    let context = try library(folder.file())
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)]))
    context.delete(books[0])
    try context.save()
    #expect(books[0].modelContext == nil && books[0].title == "Emma" && books[0].tags.isEmpty)
    #expect(try library(folder.file()).fetch(FetchDescriptor<Book>()).map(\.title) == ["Persuasion"])
  }

  @Test("Every value of an unsigned type fits")
  func unsigned() throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Gauge.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    _ = try context.inserted(Gauge(1 as UInt64))
    _ = try context.inserted(Gauge(UInt64.max))
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Gauge>(sortBy: [SortDescriptor(\.medium), SortDescriptor(\.wide)]))
    #expect(found.map(\.narrow) == [1, .max] && found.map(\.medium) == [1, .max] && found.map(\.wide) == [1, .max])
    #expect(found.map(\.widest) == [1, .max])
  }

  @Test(
    "Unsigned integers of 64 bits are found by their value and by their order, saved or not", arguments: [true, false])
  func unsignedPredicates(saved: Bool) throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Gauge.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    let values: [UInt64] = [0, 5, 1 << 62, 1 << 63, .max - 1, .max]
    for value in values { context.insert(Gauge(value)) }
    if saved { try context.save() }
    func found(_ predicate: Predicate<Gauge>) throws -> [UInt64] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.widest).sorted()
    }
    for bound in values {
      let whole = UInt(bound)
      #expect(try found(#Predicate { $0.widest == bound }) == [bound])
      #expect(try found(#Predicate { $0.whole == whole }) == [bound])
      #expect(try found(#Predicate { $0.maybe == bound }) == values.filter { $0 == bound && $0 != 0 })
      #expect(try found(#Predicate { $0.widest != bound }) == values.filter { $0 != bound })
      #expect(try found(#Predicate { $0.widest < bound }) == values.filter { $0 < bound })
      #expect(try found(#Predicate { $0.widest <= bound }) == values.filter { $0 <= bound })
      #expect(try found(#Predicate { $0.widest > bound }) == values.filter { $0 > bound })
      #expect(try found(#Predicate { $0.whole >= whole }) == values.filter { $0 >= bound })
      #expect(try found(#Predicate { bound < $0.widest }) == values.filter { bound < $0 })
      let range = 5...max(bound, 5)
      #expect(try found(#Predicate { range.contains($0.widest) }) == values.filter { range.contains($0) })
    }
    let (list, set): ([UInt64], Set<UInt>) = ([5, .max], [5, .max])
    #expect(try found(#Predicate { list.contains($0.widest) }) == list)
    #expect(try found(#Predicate { set.contains($0.whole) }) == list)
  }

  @Test("A CGFloat is sorted and asked for as the number that it is, also in a struct", arguments: [true, false])
  func graphicNumbers(saved: Bool) throws {
    let folder = TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(for: Banner.self, configurations: ModelConfiguration(url: folder.file())))
    for width in [2.5, 10, 1] as [CGFloat] { context.insert(Banner(width)) }
    if saved { try context.save() }
    func widths(_ predicate: Predicate<Banner>? = nil, by order: SortDescriptor<Banner>) throws -> [CGFloat] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [order])).map(\.width)
    }
    let limit: CGFloat = 2
    #expect(try widths(by: SortDescriptor(\.width)) == [1, 2.5, 10])
    #expect(try widths(by: SortDescriptor(\.height, order: .reverse)) == [10, 2.5, 1])
    #expect(try widths(by: SortDescriptor(\.edge.breadth)) == [1, 2.5, 10])
    #expect(try widths(#Predicate { $0.width > limit }, by: SortDescriptor(\.width)) == [2.5, 10])
    #expect(try widths(#Predicate { $0.height == nil }, by: SortDescriptor(\.width)) == [1])
    #expect(try widths(#Predicate { $0.edge.breadth < limit }, by: SortDescriptor(\.width)) == [1])
  }

  @Test("A struct all of whose parts are nil is a value")
  func emptyStruct() throws {
    let folder = TemporaryFolder()
    do {
      let context = try library(folder.file())
      context.insert(Book(isbn: "1", title: "Emma"))
      try context.save()
    }
    let context = try library(folder.file())
    #expect(try context.fetch(FetchDescriptor<Book>()).first?.remark == Remark())
  }

  @Test("A model has its values before it is inserted")
  func detached() {
    let author = Author(name: "Jane")
    let book = Book(isbn: "1", title: "Emma", author: author)
    #expect(book.title == "Emma" && book.author === author && book.tags == [] && book.size == nil)
    #expect(book.modelContext == nil && author.books == [])
    book.pages += 3
    #expect(book.pages == 3 && !book.hasChanges)
  }

  @Test("What was set of a model that is not inserted is freed when it is set again, and with the model")
  func keptValues() throws {
    nonisolated(unsafe) weak var first: Author?
    nonisolated(unsafe) weak var second: Author?
    do {
      let book = Book(isbn: "1", title: String(repeating: "Emma", count: 20))
      do {
        let (jane, mary) = (Author(name: "Jane"), Author(name: "Mary"))
        (first, second) = (jane, mary)
        book.author = jane
        book.author = mary
      }
      book.tags = ["old"]
      book.tags = ["red", "new"]
      book.size = nil
      #expect(first == nil && second != nil && book.author === second && book.tags == ["red", "new"])
    }
    #expect(second == nil)
  }

  @Test("A model whose class no macro has written is fetched by its init(backingData:), which finds the values")
  func handmade() throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(
      for: HandmadeNote.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    context.insert(HandmadeNote(text: "Emma"))
    try context.save()
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<HandmadeNote>()).first)
    withExtendedLifetime(other) { #expect(found.text == "Emma" && found.textAtFirst == "Emma") }
  }

  @Test("A change is observed")
  func observation() throws {
    let context = try memory(Book.self)
    let book = Book(isbn: "1", title: "Emma")
    context.insert(book)
    nonisolated(unsafe) var changes = 0
    withObservationTracking {
      _ = book.title
    } onChange: {
      changes += 1
    }
    book.pages = 3
    #expect(changes == 0)
    book.title = "Persuasion"
    #expect(changes == 1)
  }
}

/// A model without the macro, whose initializer looks at the values that it is made of.
private final class HandmadeNote: PersistentModel {
  var persistentBackingData: any BackingData<HandmadeNote> = HandmadeNote.createBackingData()
  let textAtFirst: String

  var text: String {
    get { getValue(forKey: \.text) }
    set { setValue(forKey: \.text, to: newValue) }
  }

  init(text: String) {
    textAtFirst = text
    self.text = text
  }

  init(backingData: any BackingData<HandmadeNote>) {
    textAtFirst = backingData.getValue(forKey: \.text)
    persistentBackingData = backingData
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [Schema.PropertyMetadata(name: "text", keypath: \HandmadeNote.text, defaultValue: nil, metadata: nil)]
  }
}
