import CoreData
import Foundation

extension TypicalSQLTests.Case {
  // AUTHOR* and BOOK* stand for all columns of an author and of a book.
  static let all: [TypicalSQLTests.Case] = plain + conditions + related + toMany + lists + results + dictionaries

  private static let plain: [TypicalSQLTests.Case] = [
    .init("All objects", "Author", "SELECT AUTHOR* FROM ZAUTHOR t0"),
    .init(
      "Sorted, the first twenty", "Book",
      "SELECT BOOK* FROM ZBOOK t0 ORDER BY t0.ZTITLE, t0.ZPAGES DESC LIMIT 20"
    ) {
      $0.sort("title", "-pages")
      $0.fetchLimit = 20
    },
    .init(
      "A page in the middle", "Book",
      "SELECT BOOK* FROM ZBOOK t0 ORDER BY t0.ZTITLE LIMIT 20 OFFSET 40"
    ) {
      $0.sort("title")
      $0.fetchLimit = 20
      $0.fetchOffset = 40
    },
    .init("All but the first", "Book", "SELECT BOOK* FROM ZBOOK t0 LIMIT -1 OFFSET 1") { $0.fetchOffset = 1 },
    .init(
      "Sorted as people sort", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 ORDER BY t0.ZNAME COLLATE NSCollateLocaleSensitive"
    ) {
      $0.sort("name", selector: "localizedStandardCompare:")
    },
    .init(
      "Sorted without case", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 ORDER BY t0.ZNAME COLLATE NSCollateNoCase DESC"
    ) {
      $0.sort("-name", selector: "caseInsensitiveCompare:")
    },
    .init(
      "A kind with its own kinds", "Item",
      "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTRACKS, t0.ZDISCS FROM ZITEM t0"),
    .init(
      "A part of a hierarchy", "Disc",
      "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTRACKS, t0.ZDISCS FROM ZITEM t0 WHERE  t0.Z_ENT IN (?,?)",
      "(int64)5, (int64)6"),
    .init(
      "One kind only", "Disc",
      "SELECT t0.Z_ENT, t0.Z_PK, t0.Z_OPT, t0.ZLABEL, t0.ZTRACKS FROM ZITEM t0 WHERE ( t0.ZTRACKS > ? AND  t0.Z_ENT = ?)",
      "(int64)3, (int64)5"
    ) {
      $0.includesSubentities = false
      $0.predicate = NSPredicate(format: "tracks > 3")
    },
  ]

  private static let conditions: [TypicalSQLTests.Case] = [
    .init(
      "One object by a key of its own", "Book", "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.ZISBN = ? LIMIT 1",
      "\"978\""
    ) {
      $0.predicate = NSPredicate(format: "isbn == %@", "978")
      $0.fetchLimit = 1
    },
    .init("A missing value", "Book", "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.ZISBN IS NULL") {
      $0.predicate = NSPredicate(format: "isbn == nil")
    },
    .init(
      "Another value, or none", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE ( t0.ZTITLE <> ? OR t0.ZTITLE IS NULL)", "\"x\""
    ) {
      $0.predicate = NSPredicate(format: "title != 'x'")
    },
    .init(
      "A range", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.ZPAGES BETWEEN ? AND ?", "(int64)100, (int64)200"
    ) {
      $0.predicate = NSPredicate(format: "pages BETWEEN {100, 200}")
    },
    .init(
      "Several conditions", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE (( t0.ZPAGES > ? AND  t0.ZPAGES < ?) AND ( t0.ZTITLE = ? OR  t0.ZISBN = ?))",
      "(int64)1, (int64)9, \"a\", \"b\""
    ) {
      $0.predicate = NSPredicate(format: "pages > 1 AND pages < 9 AND (title == 'a' OR isbn == 'b')")
    },
    .init(
      "A denial", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  NOT IFNULL(( t0.ZPAGES > ?), 0)", "(int64)5"
    ) {
      $0.predicate = NSPredicate(format: "NOT pages > 5")
    },
    .init(
      "The beginning of a text", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE ( t0.ZTITLE >= ? AND t0.ZTITLE < ?)",
      "\"Ab\", \"Ac\""
    ) {
      $0.predicate = NSPredicate(format: "title BEGINSWITH %@", "Ab")
    },
    .init(
      "A search field", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  NSCoreDataStringSearch( t0.ZTITLE,  ?, 385, 0)",
      "\"caf\""
    ) {
      $0.predicate = NSPredicate(format: "title CONTAINS[cd] %@", "caf")
    },
    .init(
      "Equal without case", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  NSCoreDataStringCompare( t0.ZTITLE, ?, 257, 0) = 0", "\"x\""
    ) {
      $0.predicate = NSPredicate(format: "title ==[c] %@", "x")
    },
    .init(
      "A pattern", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  NSCoreDataLike( t0.ZTITLE,  ?, 257)", "\"a*\""
    ) {
      $0.predicate = NSPredicate(format: "title LIKE[c] 'a*'")
    },
    .init("A date", "Author", "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  t0.ZBORN < ?", "(double)86400.0") {
      $0.predicate = NSPredicate(format: "born < %@", Date(timeIntervalSinceReferenceDate: 86400) as NSDate)
    },
    .init(
      "Arithmetic", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  ( t0.ZPAGES + ?) > ?", "(int64)1, (int64)100"
    ) {
      $0.predicate = NSPredicate(format: "pages + 1 > 100")
    },
    .init(
      "A choice", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  CASE WHEN t0.ZPAGES > ? THEN t0.ZTITLE ELSE t0.ZISBN END = ?",
      "(int64)5, \"a\""
    ) {
      $0.predicate = NSPredicate(format: "TERNARY(pages > 5, title, isbn) == 'a'")
    },
  ]

  private static let related: [TypicalSQLTests.Case] = [
    .init(
      "By a related object's value", "Book",
      "SELECT BOOK* FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK WHERE  t1.ZNAME = ?", "\"Ann\""
    ) {
      $0.predicate = NSPredicate(format: "author.name == 'Ann'")
    },
    .init(
      "Sorted by a related object's value", "Book",
      "SELECT BOOK* FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK ORDER BY t1.ZNAME, t0.ZTITLE"
    ) {
      $0.sort("author.name", "title")
    },
    .init(
      "Condition and order share a join", "Book",
      "SELECT BOOK* FROM ZBOOK t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK "
        + "LEFT OUTER JOIN ZAUTHOR t2 ON t1.ZMENTOR = t2.Z_PK WHERE  t1.ZNAME = ? ORDER BY t2.ZNAME", "\"Ann\""
    ) {
      $0.predicate = NSPredicate(format: "author.name == 'Ann'")
      $0.sort("author.mentor.name")
    },
    .init("Sorted by the related object", "Book", "SELECT BOOK* FROM ZBOOK t0 ORDER BY t0.ZAUTHOR") {
      $0.sort("author")
    },
    .init("Without a related object", "Book", "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.ZAUTHOR IS NULL") {
      $0.predicate = NSPredicate(format: "author == nil")
    },
    .init(
      "Two values of one object", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZMENTOR = t1.Z_PK WHERE  t0.ZNAME IS t1.ZNAME"
    ) {
      $0.predicate = NSPredicate(format: "name == mentor.name")
    },
  ]

  private static let toMany: [TypicalSQLTests.Case] = [
    .init(
      "Any of many", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 WHERE  t1.ZTITLE = ?)",
      "\"x\""
    ) {
      $0.predicate = NSPredicate(format: "ANY books.title == 'x'")
    },
    .init(
      "None of many", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  NOT EXISTS(SELECT 1 FROM ZBOOK t1 "
        + "WHERE ( t1.ZAUTHOR = t0.Z_PK AND  t1.ZTITLE = ?))", "\"x\""
    ) {
      $0.predicate = NSPredicate(format: "NONE books.title == 'x'")
    },
    .init(
      "Any, over a table of pairs", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.Z_PK IN (SELECT t2.Z_2BOOKS FROM ZTAG t1 "
        + "JOIN Z_2TAGS t2 ON t1.Z_PK = t2.Z_7TAGS WHERE  t1.ZNAME = ?)", "\"war\""
    ) {
      $0.predicate = NSPredicate(format: "ANY tags.name == 'war'")
    },
    .init(
      "Any, two relationships away", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 WHERE  t1.Z_PK IN "
        + "(SELECT t3.Z_2BOOKS FROM ZTAG t2 JOIN Z_2TAGS t3 ON t2.Z_PK = t3.Z_7TAGS WHERE  t2.ZNAME = ?))", "\"war\""
    ) {
      $0.predicate = NSPredicate(format: "ANY books.tags.name == 'war'")
    },
    .init(
      "Any, compared with the object itself", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  EXISTS(SELECT 1 FROM ZBOOK t1 "
        + "WHERE ( t1.ZAUTHOR = t0.Z_PK AND  t1.ZTITLE IS t0.ZNAME))"
    ) {
      $0.predicate = NSPredicate(format: "ANY books.title == name")
    },
    .init(
      "Any, the first few, no index leads there", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  EXISTS(SELECT 1 FROM ZBOOK t1 "
        + "WHERE ( t1.ZAUTHOR = t0.Z_PK AND  t1.ZPAGES > ?)) ORDER BY t0.ZNAME LIMIT 20", "(int64)5"
    ) {
      $0.predicate = NSPredicate(format: "ANY books.pages > 5")
      $0.sort("name")
      $0.fetchLimit = 20
    },
    .init(
      "Any, the first few, by an index", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 WHERE  t1.ZTITLE = ?) LIMIT 20",
      "\"x\""
    ) {
      $0.predicate = NSPredicate(format: "ANY books.title == 'x'")
      $0.fetchLimit = 20
    },
    .init(
      "Some at all", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  EXISTS(SELECT 1 FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)"
    ) {
      $0.predicate = NSPredicate(format: "books.@count > 0")
    },
    .init(
      "None at all", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  NOT EXISTS(SELECT 1 FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)"
    ) {
      $0.predicate = NSPredicate(format: "books.@count == 0")
    },
    .init(
      "More than a number", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  (SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)  > ?",
      "(int64)2"
    ) {
      $0.predicate = NSPredicate(format: "books.@count > 2")
    },
    .init(
      "The greatest of many", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  (SELECT MAX( t1.ZPAGES) FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)  > ?",
      "(int64)100"
    ) {
      $0.predicate = NSPredicate(format: "books.@max.pages > 100")
    },
    .init(
      "One of many that fulfils two conditions", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 "
        + "WHERE ( t1.ZPAGES > ? AND  t1.ZTITLE = ?))", "(int64)5, \"x\""
    ) {
      $0.predicate = NSPredicate(format: "SUBQUERY(books, $b, $b.pages > 5 AND $b.title == 'x').@count > 0")
    },
    .init(
      "How many fulfil a condition", "Author",
      "SELECT AUTHOR* FROM ZAUTHOR t0 WHERE  (SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 "
        + "WHERE ( t1.ZAUTHOR = t0.Z_PK AND  t1.ZPAGES > ?))  >= ?", "(int64)5, (int64)2"
    ) {
      $0.predicate = NSPredicate(format: "SUBQUERY(books, $b, $b.pages > 5).@count >= 2")
    },
  ]

  private static let lists: [TypicalSQLTests.Case] = [
    .init(
      "One of three", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.ZISBN IN (?,?,?)", "\"a\", \"b\", \"c\""
    ) {
      $0.predicate = NSPredicate(format: "isbn IN %@", ["a", "b", "c"])
    },
    .init(
      "One of five: as a list of eight", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.ZPAGES IN (?,?,?,?,?,?,?,?)",
      "(int64)1, (int64)2, (int64)3, (int64)4, (int64)5, (int64)5, (int64)5, (int64)5"
    ) {
      $0.predicate = NSPredicate(format: "pages IN %@", [1, 2, 3, 4, 5])
    },
    .init(
      "One of many: as one value", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  t0.ZISBN IN (SELECT value FROM json_each(?))",
      "\"[\(Array(repeating: "\"a\"", count: 300).joined(separator: ","))]\""
    ) {
      $0.predicate = NSPredicate(format: "isbn IN %@", Array(repeating: "a", count: 300))
    },
    .init("One of none", "Book", "SELECT BOOK* FROM ZBOOK t0 WHERE  1 = 0") {
      $0.predicate = NSPredicate(format: "isbn IN %@", [String]())
    },
    .init(
      "One of two without case", "Book",
      "SELECT BOOK* FROM ZBOOK t0 WHERE  NSCoreDataFold( t0.ZTITLE, 257) IN (?,?)", "\"a\", \"b\""
    ) {
      $0.predicate = NSPredicate(format: "title IN[c] {'A', 'B'}")
    },
  ]

  private static let results: [TypicalSQLTests.Case] = [
    .init(
      "Ids", "Book",
      "SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZPAGES > ? ORDER BY t0.ZTITLE", "(int64)5"
    ) {
      $0.resultType = .managedObjectIDResultType
      $0.predicate = NSPredicate(format: "pages > 5")
      $0.sort("title")
    },
    .init("Faults", "Book", "SELECT 0, t0.Z_PK FROM ZBOOK t0") { $0.includesPropertyValues = false },
    .init("A count", "Book", "SELECT COUNT(*) FROM ZBOOK t0 WHERE  t0.ZPAGES > ?", "(int64)5") {
      $0.resultType = .countResultType
      $0.predicate = NSPredicate(format: "pages > 5")
      $0.sort("title")
    },
    .init(
      "A count over a to-many relationship", "Author",
      "SELECT COUNT(*) FROM ZAUTHOR t0 WHERE  t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 WHERE  t1.ZPAGES > ?)",
      "(int64)5"
    ) {
      $0.resultType = .countResultType
      $0.predicate = NSPredicate(format: "ANY books.pages > 5")
    },
  ]

  private static let dictionaries: [TypicalSQLTests.Case] = [
    .init(
      "Some columns", "Book",
      "SELECT t0.ZTITLE, t1.ZNAME FROM ZBOOK t0 "
        + "LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZAUTHOR = t1.Z_PK"
    ) { $0.dictionaries("title", "author.name") },
    .init("Distinct values", "Book", "SELECT DISTINCT t0.ZTITLE FROM ZBOOK t0 ORDER BY t0.ZTITLE") {
      $0.dictionaries("title")
      $0.returnsDistinctResults = true
      $0.sort("title")
    },
    .init("An aggregate of all", "Book", "SELECT IFNULL(SUM( t0.ZPAGES), 0), COUNT( t0.Z_PK) FROM ZBOOK t0") {
      $0.dictionaries(column("total", "sum:(pages)"), column("count", "count:(SELF)"))
    },
    .init(
      "Groups", "Book",
      "SELECT t0.ZAUTHOR, COUNT( t0.Z_PK), AVG( t0.ZPAGES) FROM ZBOOK t0 GROUP BY  t0.ZAUTHOR HAVING  COUNT( t0.Z_PK) > ?",
      "(int64)2"
    ) {
      $0.dictionaries("author", column("count", "count:(SELF)"), column("average", "average:(pages)"))
      $0.propertiesToGroupBy = ["author"]
      $0.havingPredicate = NSPredicate(format: "count:(SELF) > 2")
    },
    .init(
      "An aggregate beside columns", "Book",
      "SELECT t0.ZTITLE, (SELECT MAX( t0.ZPAGES) FROM ZBOOK t0) FROM ZBOOK t0"
    ) {
      $0.dictionaries("title", column("most", "max:(pages)"))
    },
    .init(
      "A number of members", "Author",
      "SELECT t0.ZNAME, (SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)  FROM ZAUTHOR t0"
    ) {
      $0.dictionaries("name", column("count", "books.@count"))
    },
  ]

  private static func column(_ name: String, _ format: String) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = FoundationExpression(format: format)
    column.expressionResultType = .undefinedAttributeType
    return column
  }
}

extension NSFetchRequest {
  /// Keys; a minus in front is for descending.
  fileprivate func sort(_ keys: String..., selector: Selector? = nil) {
    sortDescriptors = keys.map { key in
      let isAscending = !key.hasPrefix("-")
      let name = isAscending ? key : String(key.dropFirst())
      return selector.map { NSSortDescriptor(key: name, ascending: isAscending, selector: $0) }
        ?? NSSortDescriptor(key: name, ascending: isAscending)
    }
  }

  fileprivate func dictionaries(_ columns: Any...) {
    resultType = .dictionaryResultType
    propertiesToFetch = columns
  }
}
