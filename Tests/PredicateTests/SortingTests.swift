import Foundation
import Testing

@testable import CoreData

@Suite("Sorting")
struct SortingTests {
  class Writer: NSObject {
    var name: String? { "n" }
    dynamic var born: Date? { nil }
  }

  final class Volume: NSObject {
    var title: String
    var pages: Int?
    var writer: Writer?
    dynamic var isLong: Bool { (pages ?? 0) > 100 }
    init(_ title: String, _ pages: Int?) {
      self.title = title
      self.pages = pages
    }
  }

  private let volumes = [Volume("b", 2), Volume("B", nil), Volume("a10", 3), Volume("a9", 1), Volume("ä", 2)]

  private func titles(_ descriptors: NSSortDescriptor...) -> [String] {
    (volumes as NSArray).sortedArray(using: descriptors).map { ($0 as! Volume).title }
  }

  @Test("Descriptors by a key path and by its name are equal, and so are their hashes")
  func equality() {
    let byPath = NSSortDescriptor(keyPath: \Volume.writer?.name, ascending: true)
    let byName = NSSortDescriptor(key: "writer.name", ascending: true)
    #expect(byPath == byName && byPath.hash == byName.hash)
    #expect(byPath != NSSortDescriptor(key: "writer.name", ascending: false))
    #expect(byPath != NSSortDescriptor(key: "title", ascending: true))
    #expect(byPath != NSSortDescriptor(key: "writer.name", ascending: true, selector: Selector("localizedCompare:")))
  }

  @Test("By key, ascending and descending, nil first when ascending, equal ones by the next descriptor")
  func byKey() {
    #expect(titles(NSSortDescriptor(key: "title", ascending: true)) == ["B", "a10", "a9", "b", "ä"])
    #expect(
      titles(
        NSSortDescriptor(key: "pages", ascending: true), NSSortDescriptor(key: "title", ascending: false))
        == ["B", "a9", "ä", "b", "a10"])
    #expect(
      titles(
        NSSortDescriptor(key: "pages", ascending: false), NSSortDescriptor(key: "title", ascending: true))
        == ["a10", "b", "ä", "a9", "B"])
    #expect(
      titles(
        NSSortDescriptor(keyPath: \Volume.pages, ascending: true),
        NSSortDescriptor(keyPath: \Volume.title, ascending: true)
      ).first == "B")
  }

  @Test("Selectors choose the collation")
  func selectors() {
    func sorted(_ selector: Selector) -> [String] {
      titles(NSSortDescriptor(key: "title", ascending: true, selector: selector))
    }
    #expect(sorted("compare:") == ["B", "a10", "a9", "b", "ä"])
    #expect(sorted("caseInsensitiveCompare:") == ["a10", "a9", "b", "B", "ä"])
    #expect(Array(sorted("localizedStandardCompare:").filter { $0.hasPrefix("a") }) == ["a9", "a10"])
    #expect(
      sorted("localizedCaseInsensitiveCompare:").firstIndex(of: "ä")! < sorted(
        "localizedCaseInsensitiveCompare:"
      ).firstIndex(of: "b")!)
  }

  @Test("A comparator of the program's is used, and refused where it would have to be translated")
  func comparator() {
    let byLength = NSSortDescriptor(key: "title", ascending: false) {
      ($0 as! String).count < ($1 as! String).count ? .orderedAscending : .orderedSame
    }
    #expect(titles(byLength).first == "a10")
    let failure = #expect(throws: Failure.self) { try SortKey(byLength).checkTranslatable(entity: "Book") }
    #expect(failure?.description.contains("comparator blocks are not supported") == true)
    let odd = #expect(throws: NSError.self) {
      try SortKey(NSSortDescriptor(key: "a", ascending: true, selector: "oddCompare:"))
    }
    #expect(odd?.localizedDescription.contains("unsupported NSSortDescriptor selector: oddCompare:") == true)
  }

  @Test("A comparator beside a Swift key path is used, and refused where it would have to be translated")
  func comparatorOfKeyPath() throws {
    let byLength = NSSortDescriptor(keyPath: \Volume.title, ascending: true) {
      let (a, b) = (($0 as! String).count, ($1 as! String).count)
      return a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
    }
    let key = try SortKey(byLength)
    #expect(key.path == ["title"])
    #expect(
      key.compare(.constant(.string("bb")), .constant(.string("a"))) == .orderedDescending
        && key.compare(.constant(.string("b")), .constant(.string("aa"))) == .orderedAscending)
    #expect(throws: Failure.self) { try key.checkTranslatable(entity: "Book") }
    #expect(try SortKey(NSSortDescriptor(keyPath: \Volume.title, ascending: true)).comparison == nil)
  }

  @Test("A descriptor that is reversed, and reversed again, keeps its comparator")
  func reversedComparator() throws {
    func reversed(_ descriptor: NSSortDescriptor) -> NSSortDescriptor {
      descriptor.reversedSortDescriptor as! NSSortDescriptor
    }
    let byLength: Comparator = {
      let (a, b) = (($0 as! String).count, ($1 as! String).count)
      return a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
    }
    let descriptors = [
      NSSortDescriptor(keyPath: \Volume.title, ascending: true, comparator: byLength),
      NSSortDescriptor(key: "title", ascending: true, comparator: byLength),
    ]
    for descriptor in descriptors {
      let (once, twice) = (reversed(descriptor), reversed(reversed(descriptor)))
      #expect(!once.ascending && twice.ascending)
      #expect(once.key == "title" && twice.key == "title")
      #expect(titles(once) == ["a10", "a9", "b", "B", "ä"])
      #expect(titles(twice) == ["b", "B", "ä", "a9", "a10"])
      for descriptor in [once, twice] {
        let failure = #expect(throws: Failure.self) { try SortKey(descriptor).checkTranslatable(entity: "Book") }
        #expect(failure?.description.contains("comparator blocks are not supported") == true)
      }
    }
    let plain = reversed(NSSortDescriptor(keyPath: \Volume.title, ascending: true))
    #expect(try SortKey(plain) == SortKey(path: ["title"], ascending: false))
  }

  @Test("The comparator of a descriptor compares values, whichever way it was made")
  func comparatorProperty() {
    #expect(NSSortDescriptor(key: "title", ascending: true).comparator("a", "b") == .orderedAscending)
    let reversed = NSSortDescriptor(key: "title", ascending: false, selector: "caseInsensitiveCompare:")
    #expect(reversed.comparator("B", "b") == .orderedSame)
  }

  @Test("Sort keys are read out of descriptors of every kind")
  func sortKeys() throws {
    #expect(
      try SortKey(NSSortDescriptor(key: "a.b", ascending: false))
        == SortKey(path: ["a", "b"], ascending: false))
    #expect(
      try SortKey(NSSortDescriptor(key: "a", ascending: true, selector: "localizedCompare:"))
        == SortKey(path: ["a"], collation: .localized))
    #expect(
      try SortKey(NSSortDescriptor(key: "a", ascending: true).reversedSortDescriptor as! NSSortDescriptor)
        == SortKey(path: ["a"], ascending: false))
    let descriptor = NSSortDescriptor(key: "a", ascending: true)
    #expect(descriptor.key == "a")
    #expect(descriptor.selector == "compare:")
    #expect(descriptor == NSSortDescriptor(key: "a", ascending: true))
    #expect(descriptor != NSSortDescriptor(key: "a", ascending: false))
  }

  @Test("Swift key paths give their names: stored, computed, dynamic, through optionals")
  func keyPathNames() throws {
    #expect(try SortKey(NSSortDescriptor(keyPath: \Volume.title, ascending: true)).path == ["title"])
    #expect(
      try SortKey(NSSortDescriptor(keyPath: \Volume.isLong, ascending: false))
        == SortKey(path: ["isLong"], ascending: false))
    #expect(
      try SortKey(NSSortDescriptor(keyPath: \Volume.writer?.born, ascending: true)).path == [
        "writer", "born",
      ])
    #expect(NSSortDescriptor(keyPath: \Volume.writer?.name, ascending: true).key == "writer.name")
    #expect(NSSortDescriptor(keyPath: \Volume.writer!.name, ascending: true).key == "writer.name")
    #expect(throws: Failure.self) { try KeyPathNames.path(of: \[Int].[3]) }
  }

  @Test("Foundation's SortDescriptor becomes a sort descriptor")
  func sortDescriptor() throws {
    let descriptor = NSSortDescriptor(SortDescriptor(\Volume.title, comparator: .lexical, order: .reverse))
    #expect(try SortKey(descriptor) == SortKey(path: ["title"], ascending: false))
    #expect(titles(descriptor) == ["ä", "b", "a9", "a10", "B"])
  }

  @Test("Texts of Foundation's SortDescriptor compare as file managers do, unless bytes are asked for")
  func standardOrder() throws {
    let sorts = [
      SortDescriptor(\Volume.title), SortDescriptor(\Volume.title, comparator: .localizedStandard),
      SortDescriptor(\.title, order: .forward),
    ]
    for sort in sorts {
      #expect(volumes.sorted(using: sort).map(\.title) == ["ä", "a9", "a10", "b", "B"])
      #expect(titles(NSSortDescriptor(sort)) == ["ä", "a9", "a10", "b", "B"])
      #expect(
        try SortKey(NSSortDescriptor(sort)) == SortKey(path: ["title"], ascending: true, collation: .localizedStandard))
    }
    #expect(NSSortDescriptor(SortDescriptor(\Volume.title)).key == "title")
    let byWriter = SortDescriptor(\Volume.writer?.name, order: .reverse)
    #expect(try SortKey(NSSortDescriptor(byWriter)).path == ["writer", "name"])
    volumes[3].writer = Writer()
    #expect(volumes.sorted(using: byWriter).first?.title == "a9")
    #expect(try SortKey(NSSortDescriptor(SortDescriptor(\Volume.pages))) == SortKey(path: ["pages"]))
  }

  @Test("With the comparator .localized they compare as localizedCompare does")
  func localizedOrder() throws {
    let expected = volumes.map(\.title).sorted { $0.localizedCompare($1) == .orderedAscending }
    let sort = SortDescriptor(\Volume.title, comparator: .localized)
    #expect(volumes.sorted(using: sort).map(\.title) == expected)
    #expect(titles(NSSortDescriptor(sort)) == expected)
    #expect(try SortKey(NSSortDescriptor(sort)) == SortKey(path: ["title"], ascending: true, collation: .localized))
    let byWriter = SortDescriptor(\Volume.writer?.name, comparator: .localized, order: .reverse)
    let key = SortKey(path: ["writer", "name"], ascending: false, collation: .localized)
    #expect(try SortKey(NSSortDescriptor(byWriter)) == key)
  }

  @Test("Texts are in the order of Foundation's comparison, whether or not it has to be asked")
  func standardComparison() {
    let letters = "aAbB09 -é".map(String.init)
    var texts = [""] + letters
    for first in letters { texts += letters.map { first + $0 } }
    texts += [
      "a9", "a10", "a010", "Aa", "aA", "item 2", "Item 10", "e\u{301}a", "ea", "9\u{301}", "99", "straße", "strasse",
    ]
    let different = texts.flatMap { left in
      texts.filter { StandardOrder.order(left, $0).signum() != left.localizedStandardCompare($0).rawValue }
        .map { "\(left) \($0)" }
    }
    #expect(different == [])
  }

  @Test("A key path has the name that key-value coding calls it")
  func keyPathStrings() {
    #expect((\Volume.title)._kvcKeyPathString == "title")
    let paths: [PartialKeyPath<Volume>] = [\.pages, \.writer?.name]
    #expect(paths.map { $0._kvcKeyPathString! } == ["pages", "writer.name"])
    #expect((\[Int].[3])._kvcKeyPathString == nil)
    let predicate = NSPredicate(format: "%K == %@", (\Volume.title)._kvcKeyPathString!, "b")
    #expect(volumes.filter { predicate.evaluate(with: $0) }.map(\.title) == ["b"])
  }

  @Test("Constants sort as in SQLite: nil, numbers, texts by bytes, bytes")
  func constants() {
    let ascending: [PredicateConstant] = [
      .null, .double(-1), .bool(false), .int(1), .double(1.5), .date(Date(timeIntervalSinceReferenceDate: 2)),
      .string(""),
      .string("A"), .string("a"), .string("ab"), .string("z\u{e9}"), .string("é"), .data(Data([0])),
      .data(Data([0, 1])),
    ]
    let key = SortKey(path: ["x"])
    for (index, left) in ascending.enumerated() {
      for (other, right) in ascending.enumerated() {
        #expect(key.compare(left, right) == ComparisonResult(order: index - other), "\(left) \(right)")
      }
    }
  }
}
