import CoreData
import Foundation
import Testing

/// What `#Predicate` is about: stored properties of a class.
private final class Volume: NSObject {
  var title = "Dune"
  var pages = 412
  var price = 9.5
  var isRead = true
  var subtitle: String?
  var tags = ["sand", "spice"]
  var date = Date(timeIntervalSinceReferenceDate: 100)
  var sequel: Volume?
  var parts: [Volume] = []
}

/// A relationship to many that is declared as optional, as Xcode declares each.
private final class Album: NSManagedObject {
  var tracks: Set<Track>?
}

private final class Track: NSManagedObject {
  var album: Album?
}

@Suite("Predicates that #Predicate makes")
struct PredicateConversionTests {
  private func check(
    _ predicate: Predicate<Volume>, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let converted = try #require(NSPredicate(predicate), sourceLocation: sourceLocation)
    #expect(converted.predicateFormat == text, sourceLocation: sourceLocation)
    let plain = Volume()
    let rich = Volume()
    rich.sequel = plain
    rich.subtitle = "Part one"
    rich.parts = [plain, Volume()]
    rich.parts[1].pages = 7
    rich.isRead = false
    for volume in [plain, rich] {
      #expect(
        converted.evaluate(with: volume) == (try predicate.evaluate(volume)), "\(text)",
        sourceLocation: sourceLocation)
    }
  }

  @Test("Comparisons, logic and arithmetic become the format language's, and answer the same")
  func comparisons() throws {
    let limit = 400
    try check(#Predicate { $0.pages > limit }, "pages > 400")
    try check(
      #Predicate { $0.title == "Dune" && $0.pages <= 500 && $0.isRead },
      "title == \"Dune\" AND pages <= 500 AND isRead == 1")
    try check(#Predicate { $0.title != "Dune" || !$0.isRead }, "title != \"Dune\" OR (NOT isRead == 1)")
    try check(#Predicate { $0.pages + 1 == 413 }, "pages + 1 == 413")
    try check(#Predicate { $0.pages % 2 == 0 }, "modulus:by:(pages, 2) == 0")
    try check(#Predicate { $0.price / 2.0 < 5.0 }, "price / 2 < 5")
    try check(#Predicate { -$0.pages < 0 }, "-1 * pages < 0")
    try check(#Predicate { (100...412).contains($0.pages) }, "pages BETWEEN {100, 412}")
    try check(#Predicate { (100..<412).contains($0.pages) }, "pages >= 100 AND pages < 412")
    let date = Date(timeIntervalSinceReferenceDate: 50)
    try check(#Predicate { $0.date >= date }, "date >= CAST(50.000000, \"NSDate\")")
    try check(#Predicate { _ in true }, "TRUEPREDICATE")
    try check(#Predicate { (0...$0.pages).contains(412) }, "412 >= 0 AND 412 <= pages")
  }

  @Test("nil, optionals and conditions")
  func optionals() throws {
    try check(#Predicate { $0.subtitle == nil }, "subtitle == nil")
    try check(#Predicate { $0.sequel != nil }, "sequel != nil")
    try check(
      #Predicate { ($0.subtitle ?? "none") == "none" },
      "TERNARY(subtitle != nil, subtitle, \"none\") == \"none\"")
    try check(
      #Predicate { $0.subtitle?.contains("one") == true },
      "TERNARY(subtitle != nil, TERNARY(subtitle CONTAINS \"one\", 1, 0), nil) == 1")
    try check(#Predicate { $0.pages > 400 ? $0.isRead : false }, "TERNARY(pages > 400, isRead, 0) == 1")
  }

  @Test("Texts are searched and compared as a person reads them, with CoreData alone")
  func standardTexts() throws {
    let (same, before, name) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending, "DUNE")
    try check(#Predicate { $0.title.localizedStandardContains("ÚN") }, "title CONTAINS[cd] \"ÚN\"")
    try check(
      #Predicate { $0.subtitle?.localizedStandardContains("ONE") == true },
      "TERNARY(subtitle != nil, TERNARY(subtitle CONTAINS[cd] \"ONE\", 1, 0), nil) == 1")
    try check(#Predicate { $0.title.caseInsensitiveCompare(name) == same }, "title ==[c] \"DUNE\"")
    try check(#Predicate { $0.title.localizedCompare("Emma") == before }, "title <[l] \"Emma\"")
  }

  @Test("A relationship's members are never nil, but what leads to them may be")
  func optionalMembers() {
    func text<Object: NSManagedObject>(_ predicate: Predicate<Object>) -> String? {
      NSPredicate(predicate)?.predicateFormat
    }
    #expect(text(#Predicate<Album> { $0.tracks?.isEmpty == true }) == "TERNARY(tracks.@count == 0, 1, 0) == 1")
    #expect(text(#Predicate<Album> { $0.tracks?.count == 0 }) == "tracks.@count == 0")
    #expect(text(#Predicate<Album> { $0.tracks?.isEmpty ?? false }) == "tracks.@count == 0")
    #expect(
      text(#Predicate<Track> { $0.album?.tracks?.isEmpty == true })
        == "TERNARY(album != nil, TERNARY(album.tracks.@count == 0, 1, 0), nil) == 1")
  }

  @Test("Texts and collections")
  func collections() throws {
    try check(#Predicate { $0.title.contains("un") }, "title CONTAINS \"un\"")
    try check(#Predicate { $0.title.starts(with: "D") }, "title BEGINSWITH \"D\"")
    try check(#Predicate { $0.tags.contains("sand") }, "\"sand\" IN tags")
    let titles = ["Dune", "Emma"]
    try check(#Predicate { titles.contains($0.title) }, "title IN {\"Dune\", \"Emma\"}")
    try check(#Predicate { $0.tags.count == 2 }, "tags.@count == 2")
    try check(#Predicate { $0.parts.isEmpty }, "parts.@count == 0")
    try check(
      #Predicate { $0.parts.contains { $0.pages < 10 } }, "SUBQUERY(parts, $v1, $v1.pages < 10).@count > 0")
    try check(
      #Predicate { $0.parts.allSatisfy { $0.pages > 10 } },
      "SUBQUERY(parts, $v1, NOT $v1.pages > 10).@count == 0")
    try check(
      #Predicate { book in book.parts.filter { $0.pages < book.pages }.count == 1 },
      "SUBQUERY(parts, $v1, $v1.pages < pages).@count == 1")
  }

  @Test("A collection of the program's is no subquery: the object is asked about each of its members")
  func capturedCollections() throws {
    let (words, none, lengths) = (["un", "D"], [String](), 411...413)
    try check(
      #Predicate { volume in words.allSatisfy { volume.title.contains($0) } },
      "title CONTAINS \"un\" AND title CONTAINS \"D\"")
    try check(
      #Predicate { volume in words.contains { $0 == volume.title || volume.tags.contains($0) } },
      "(\"un\" == title OR \"un\" IN tags) OR (\"D\" == title OR \"D\" IN tags)")
    try check(
      #Predicate { volume in lengths.contains { $0 == volume.pages } }, "411 == pages OR 412 == pages OR 413 == pages")
    try check(#Predicate { volume in none.allSatisfy { $0 == volume.title } }, "TRUEPREDICATE")
    try check(#Predicate { volume in none.contains { $0 == volume.title } }, "FALSEPREDICATE")
    try check(
      #Predicate { volume in volume.parts.contains { part in words.contains { part.title.starts(with: $0) } } },
      "SUBQUERY(parts, $v1, $v1.title BEGINSWITH \"un\" OR $v1.title BEGINSWITH \"D\").@count > 0")
  }

  @Test("What the format language has no words for gives nil")
  func unsupported() {
    #expect(NSPredicate(#Predicate<Volume> { ($0.sequel as? Volume) != nil }) == nil)
  }
}
