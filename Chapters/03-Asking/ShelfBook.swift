import Foundation

/// A book before it is one: what the shelf is filled with.
public struct ShelfBook {
  let title: String
  let writer: (name: String, born: Int16)?
  let published: Date?
  let pages: Int32
  let price: String
  let tags: [String]
  let reviews: KeyValuePairs<String, Int16>

  /// Dates in this chapter mean days in London, whatever the clock of your machine says.
  public static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: "UTC")!
    return calendar
  }()

  static func day(_ year: Int, _ month: Int, _ day: Int) -> Date {
    calendar.date(from: DateComponents(year: year, month: month, day: day))!
  }

  static let all = [
    ShelfBook(
      title: "Beowulf", writer: nil, published: nil, pages: 213, price: "9.00",
      tags: ["monster"], reviews: [:]),
    ShelfBook(
      title: "Gulliver's Travels", writer: ("Jonathan Swift", 1667), published: day(1726, 10, 28),
      pages: 306, price: "5.00", tags: ["sea"], reviews: ["Grace": 5]),
    ShelfBook(
      title: "Émile", writer: ("Jean-Jacques Rousseau", 1712), published: day(1762, 5, 22), pages: 520,
      price: "15.00", tags: ["school"], reviews: [:]),
    ShelfBook(
      title: "Emma", writer: ("Jane Austen", 1775), published: day(1815, 12, 23), pages: 474,
      price: "7.50", tags: ["romance"], reviews: ["Ada": 5, "Grace": 4]),
    ShelfBook(
      title: "Persuasion", writer: ("Jane Austen", 1775), published: day(1817, 12, 20), pages: 249,
      price: "6.00", tags: ["romance", "sea"], reviews: [:]),
    ShelfBook(
      title: "Frankenstein", writer: ("Mary Shelley", 1797), published: day(1818, 1, 1), pages: 280,
      price: "7.50", tags: ["gothic", "monster"], reviews: ["Ada": 5, "Grace": 2]),
    ShelfBook(
      title: "Jane Eyre", writer: ("Charlotte Brontë", 1816), published: day(1847, 10, 19), pages: 525,
      price: "9.00", tags: ["gothic", "romance"], reviews: ["Ada": 4]),
    ShelfBook(
      title: "Wuthering Heights", writer: ("Emily Brontë", 1818), published: day(1847, 11, 24), pages: 416,
      price: "8.00", tags: ["gothic", "romance"], reviews: [:]),
    ShelfBook(
      title: "Moby-Dick", writer: ("Herman Melville", 1819), published: day(1851, 10, 18), pages: 636,
      price: "12.50", tags: ["monster", "sea"], reviews: ["Alan": 1, "Grace": 5]),
    ShelfBook(
      title: "Villette", writer: ("Charlotte Brontë", 1816), published: day(1853, 1, 28), pages: 573,
      price: "9.50", tags: ["gothic", "school"], reviews: [:]),
    ShelfBook(
      title: "Middlemarch", writer: ("George Eliot", 1819), published: day(1871, 12, 1), pages: 880,
      price: "14.00", tags: [], reviews: ["Ada": 5]),
    ShelfBook(
      title: "Dracula", writer: ("Bram Stoker", 1847), published: day(1897, 5, 26), pages: 418,
      price: "8.50", tags: ["gothic", "monster"], reviews: ["Alan": 3]),
  ]
}
