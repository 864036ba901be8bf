import CoreData
import Foundation
import Testing

/// `mutableSetValue(forKey:)` and its kin are sets to Foundation, too.
@Suite("Mutable sets of relationships")
struct MutableSetTests {
  private func title(_ chapter: Any) -> String { (chapter as! NSManagedObject).string("title") ?? "" }

  @Test("Such a set is printed with its members", arguments: StoreKind.allCases)
  func printed(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book")
      let tags = book.mutableSetValue(forKey: "tags")
      let chapters = book.mutableOrderedSetValue(forKey: "chapters")
      for name in ["new", "old"] {
        tags.add(context.new("Tag", ["name": name]))
        chapters.add(context.new("Chapter", ["title": name]))
      }
      let held = book.primitiveMembers(ManagedKey("tags"))
      for text in ["\(tags)", tags.description(withLocale: nil), held.description] {
        #expect(text.hasPrefix("{(") && text.split(separator: "\n").count >= 4)
        #expect(tags.allObjects.allSatisfy { text.contains("\($0)") })
      }
      #expect("\(chapters)" == NSOrderedSet(array: chapters.array).description)
      context.new("Chapter", ["title": "later", "book": book])
      #expect(chapters.description.contains("later"))
    }
  }

  @Test(
    "Such a set equals itself and every set with the same members, from either side", arguments: StoreKind.allCases)
  func equal(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (book, other) = (context.new("Book"), context.new("Book"))
      let tags = ["a", "b"].map { context.new("Tag", ["name": $0]) }
      book["tags"] = Set(tags)
      let set = book.mutableSetValue(forKey: "tags")
      #expect((set == set) == true)
      #expect((set == book.mutableSetValue(forKey: "tags")) == true)
      let plain = NSSet(array: tags)
      #expect((set == plain) == true && (plain == set) == true && set.hash == plain.hash)
      #expect(set.isEqual(Set(tags)) && set.isEqual(to: Set(tags)))
      #expect(!set.isEqual(NSSet(object: tags[0])) && !set.isEqual(nil) && !set.isEqual("a"))
      let otherSet = other.mutableSetValue(forKey: "tags")
      #expect((set == otherSet) == false && (NSSet() == otherSet) == true)
      otherSet.add(tags[0])
      #expect((set == otherSet) == false)
      otherSet.add(tags[1])
      #expect((set == otherSet) == true)
      #expect((book.primitiveMembers(ManagedKey("tags")) == set) == true)
    }
  }

  @Test("An ordered set that is held walks over what the relationship has now", arguments: StoreKind.allCases)
  func walks(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book")
      let chapters = book.mutableOrderedSetValue(forKey: "chapters")
      func add(_ title: String) { context.new("Chapter", ["title": title, "book": book]) }
      add("c")
      var seen: [String] = []
      chapters.enumerateObjects { chapter, _, _ in seen.append(title(chapter)) }
      #expect(seen == ["c"])
      add("b")
      seen = []
      chapters.enumerateObjects(at: IndexSet(0..<2)) { chapter, _, _ in seen.append(title(chapter)) }
      #expect(seen == ["c", "b"])
      func isB(_ chapter: Any, _ place: Int, _ stop: UnsafeMutablePointer<ObjCBool>) -> Bool {
        title(chapter) < "c"
      }
      #expect(chapters.index(ofObjectAt: IndexSet(0..<2), passingTest: isB) == 1)
      add("a")
      #expect(chapters.indexes(ofObjectsAt: IndexSet(0..<3), passingTest: isB) == IndexSet(1...2))
      add("d")
      let sorted = chapters.sortedArray { one, other in
        title(one) < title(other) ? .orderedAscending : .orderedDescending
      }
      #expect(sorted.map(title) == ["a", "b", "c", "d"])
    }
  }
}
