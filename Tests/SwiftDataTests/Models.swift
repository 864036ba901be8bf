import SwiftData

/// A library's models: relationships both ways, constraints, indexes, and every kind of value.
@Model final class Author {
  #Unique<Author>([\.name])

  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String) { self.name = name }
}

enum Genre: String, Codable, CaseIterable {
  case novel
  case essay
}

enum Location: Codable, Hashable {
  case shelf(row: Int)
  case lent(to: String, since: Date?)
  case box(String, Int)
  case lost
  case sold
}

struct Size: Codable, Hashable {
  struct Unit: Codable, Hashable {
    var name: String
    var factor: Double?
  }
  var width: Double
  var height: Double
  var unit: Unit
  var marks: [String] = []
  var genre: Genre?
}

struct Remark: Codable, Hashable {
  var text: String?
  var stars: Int?
}

@Model final class Book {
  #Index<Book>([\.title], [\.title, \.pages])

  @Attribute(.unique) var isbn: String
  var title: String  // a comment behind it
  var pages = 0
  var price: Decimal?
  var weight: Float = 0.5
  var added: Date = Date(timeIntervalSinceReferenceDate: 0)
  var cover: Data?
  var token: UUID?
  var page: URL?
  var isRead = false
  var genre: Genre = Genre.novel
  var secondGenre: Genre?
  var location: Location?
  var size: Size?
  var remark = Remark()
  var tags: [String] = []
  var numbers: [Int]?
  var counts: [String: Int] = [:]
  var sizes: [Size] = []
  var `default`: Int64 = 3
  private(set) var secret: Int? = nil {
    didSet { changes += 1 }
  }
  @Transient var changes = 0
  var author: Author?

  var summary: String { "\(title), \(pages) pages" }
  static let shared = 1

  init(isbn: String, title: String, pages: Int = 0, author: Author? = nil) {
    self.isbn = isbn
    self.title = title
    self.pages = pages
    self.author = author
  }

  func hide(_ number: Int) { secret = number }
}

@Model public class Shelf {
  public private(set) var name: String
  public var next: Shelf?
  @Relationship(inverse: \Shelf.next) var former: Shelf?

  public init(name: String) { self.name = name }
}

/// Models in a namespace.
enum Garden {
  @Model final class Plant {
    var name: String = "seed"
    @Relationship var bed: Bed?
    init() {}
  }
  @Model final class Bed {
    var number: Int
    var plants: [Plant]?
    init(number: Int) { self.number = number }
  }
}
