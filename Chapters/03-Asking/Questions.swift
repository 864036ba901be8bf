import CoreData

/// The questions of the tour, section by section.
public enum Questions {
  //> comparisons
  public static let comparisons = [
    Question("Older than 1850", "year < %d", 1850),
    Question("Of 1847", "year == %d", 1847),
    Question("Not of 1847", "year != %d", 1847),
    Question("Of the years 1800 to 1850", "year BETWEEN %@", [1800, 1850]),
    Question("Of one of these years", "year IN %@", [1815, 1847, 1851]),
    Question("Of no known year", "year == nil"),
    Question("Cheaper than 8", "price < %@", NSDecimalNumber(value: 8)),
  ]
  //< comparisons

  public static let texts = [
    Question("Called emma", "title == 'emma'"),
    Question("Called emma, in any case", "title ==[c] 'emma'"),
    Question("Beginning with Em", "title BEGINSWITH 'Em'"),
    Question("Beginning with em, in any case", "title BEGINSWITH[c] 'em'"),
    Question("Beginning with Em, with any accent", "title BEGINSWITH[d] 'Em'"),
    Question("Beginning with em, in any case, with any accent", "title BEGINSWITH[cd] 'em'"),
    Question("With an i in it", "title CONTAINS[c] 'i'"),
    Question("Ending in a", "title ENDSWITH 'a'"),
    Question("Any letter, an m, anything", "title LIKE '?m*'"),
    Question("Two words, parted by a blank or a hyphen", #"title MATCHES '\\w+[ -]\\w+'"#),
  ]

  public static let compounds = [
    Question("Long and cheap", "pages > 400 AND price < 9"),
    Question("Long or cheap", "pages > 600 OR price < 6"),
    Question("AND binds first", "year == 1847 OR year == 1851 AND price < 9"),
    Question("Unless you say so", "(year == 1847 OR year == 1851) AND price < 9"),
    Question("Not older than 1850", "NOT year < 1850"),
  ]

  //> to-one
  /// - Parameters:
  ///   - austen: The author whose books the second question asks for.
  ///   - ids: The ids of the books that the last one asks for.
  public static func toOne(_ austen: Author, _ ids: [NSManagedObjectID]) -> [Question] {
    [
      Question("By name", "author.name == %@", "Jane Austen"),
      Question("By object", "author == %@", austen),
      Question("By no one", "author == nil"),
      Question("By a Brontë, on any keyboard", "author.name ENDSWITH[cd] %@", "bronte"),
      Question("By an author under 30", "year - author.born < 30"),
      Question("Those whose ids I have", "SELF IN %@", ids),
    ]
  }
  //< to-one

  public static let toMany = [
    Question("Five stars from anyone", "ANY reviews.stars == 5"),
    Question("Below three from no one", "NONE reviews.stars < 3"),
    Question("Of the sea or of school", "ANY tags.name IN {'sea', 'school'}"),
    Question("Without a tag", "tags.@count == 0"),
    Question("With several reviews", "reviews.@count > 1"),
    Question("Well liked", "reviews.@avg.stars >= 4.5"),
  ]

  public static let sameReview = [
    Question(
      "Five stars, and a review by Grace",
      "ANY reviews.stars == 5 AND ANY reviews.reviewer == 'Grace'"),
    Question(
      "Five stars by Grace",
      "SUBQUERY(reviews, $r, $r.stars == 5 AND $r.reviewer == 'Grace').@count > 0"),
  ]

  public static let all = Question("At least four from everyone", "ALL reviews.stars >= 4")
  public static let insteadOfAll = [
    Question("Nothing below four", "NONE reviews.stars < 4"),
    Question("Nothing below four, and reviewed", "NONE reviews.stars < 4 AND reviews.@count > 0"),
  ]

  //> dates
  public static func published(in month: Int, of year: Int) -> Question {
    let calendar = ShelfBook.calendar
    let first = calendar.date(from: DateComponents(year: year, month: month))!
    let next = calendar.date(byAdding: .month, value: 1, to: first)!
    return Question(
      "Published in month \(month) of \(year)", "published >= %@ AND published < %@", first, next)
  }
  //< dates

  //> swift-predicate
  public static var swift: Question {
    let extreme = #Predicate<Book> { $0.pages > 600 || $0.pages < 220 }
    return Question("Very long or very short", NSPredicate(extreme)!)
  }
  //< swift-predicate

  //> block
  /// A block is your own code. It can look at anything, and SQLite can't read it.
  public static let palindrome = Question(
    "With pages that read the same backwards",
    NSPredicate { book, _ in
      let digits = "\((book as? Book)?.pages ?? 0)"
      return digits == String(digits.reversed())
    })
  //< block

  /// Some that an index serves, and some that it can't.
  public static let planned = [
    Question("", "year BETWEEN {1800, 1850}"),
    Question("", "year == 1847"),
    Question("", "title BEGINSWITH 'Em'"),
    Question("", "title BEGINSWITH[c] 'em'"),
    Question("", "title CONTAINS 'mm'"),
    Question("", "pages > 500"),
    Question("", "author.name == 'Jane Austen'"),
  ]

  /// Each question that SQLite can answer and that needs no object.
  public static var answerable: [Question] {
    comparisons + texts + compounds + toMany + sameReview + insteadOfAll
      + [published(in: 12, of: 1815), swift]
  }
}
