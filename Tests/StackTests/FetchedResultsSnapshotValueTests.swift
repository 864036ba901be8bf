import CoreData
import Testing

/// Snapshots as values and as objects.
@Suite("Diffable snapshots")
struct FetchedResultsSnapshotValueTests {
  typealias Snapshot = NSDiffableDataSourceSnapshot<String, Int>

  /// `a: 1 2 | b: 3`
  private func text(_ snapshot: Snapshot) -> String {
    let text = snapshot.sectionIdentifiers.map { section in
      ([section + ":"] + snapshot.itemIdentifiers(inSection: section).map { "\($0)" }).joined(separator: " ")
    }.joined(separator: " | ")
    // Every way to ask says the same.
    let all = snapshot.sectionIdentifiers.flatMap { snapshot.itemIdentifiers(inSection: $0) }
    #expect(snapshot.itemIdentifiers == all && snapshot.numberOfItems == all.count)
    for (index, item) in all.enumerated() {
      #expect(snapshot.indexOfItem(item) == index)
      let section = snapshot.sectionIdentifier(containingItem: item)
      #expect(section.map { snapshot.itemIdentifiers(inSection: $0).contains(item) } == true)
    }
    for (index, section) in snapshot.sectionIdentifiers.enumerated() {
      #expect(snapshot.indexOfSection(section) == index)
      #expect(
        snapshot.numberOfItems(inSection: section) == snapshot.itemIdentifiers(inSection: section).count)
    }
    return text
  }

  private func sample() -> Snapshot {
    var snapshot = Snapshot()
    snapshot.appendSections(["a", "b"])
    snapshot.appendItems([1, 2], toSection: "a")
    snapshot.appendItems([3])
    return snapshot
  }

  @Test("Items are put in, taken out and moved; those that are there already move")
  func items() {
    var snapshot = sample()
    #expect(text(snapshot) == "a: 1 2 | b: 3" && snapshot.numberOfSections == 2)
    snapshot.appendItems([4, 5], toSection: "a")
    #expect(text(snapshot) == "a: 1 2 4 5 | b: 3")
    snapshot.insertItems([6], beforeItem: 1)
    snapshot.insertItems([7, 8], afterItem: 3)
    #expect(text(snapshot) == "a: 6 1 2 4 5 | b: 3 7 8")
    snapshot.deleteItems([2, 8, 99])
    snapshot.moveItem(6, afterItem: 3)
    snapshot.moveItem(7, beforeItem: 1)
    snapshot.moveItem(4, beforeItem: 4)
    #expect(text(snapshot) == "a: 7 1 4 5 | b: 3 6")
    snapshot.appendItems([1, 9], toSection: "b")
    #expect(text(snapshot) == "a: 7 4 5 | b: 3 6 1 9")
    #expect(snapshot.indexOfItem(2) == nil && snapshot.sectionIdentifier(containingItem: 2) == nil)
    snapshot.deleteAllItems()
    #expect(text(snapshot) == "" && snapshot.numberOfSections == 0)
  }

  @Test("Sections are put in, taken out with their items, and moved")
  func sections() {
    var snapshot = sample()
    snapshot.insertSections(["c", "d"], beforeSection: "b")
    snapshot.insertSections(["e"], afterSection: "b")
    #expect(text(snapshot) == "a: 1 2 | c: | d: | b: 3 | e:")
    snapshot.moveSection("a", afterSection: "b")
    snapshot.moveSection("e", beforeSection: "c")
    snapshot.moveSection("d", beforeSection: "d")
    #expect(text(snapshot) == "e: | c: | d: | b: 3 | a: 1 2")
    snapshot.deleteSections(["a", "d", "x"])
    #expect(text(snapshot) == "e: | c: | b: 3" && snapshot.indexOfSection("a") == nil)
  }

  @Test("What is to be reloaded is noted once, and forgotten when it is taken out")
  func reloading() {
    var snapshot = sample()
    snapshot.reloadItems([3, 1])
    snapshot.reloadItems([1, 2])
    snapshot.reconfigureItems([2])
    snapshot.reloadSections(["b"])
    #expect(snapshot.reloadedItemIdentifiers == [3, 1, 2] && snapshot.reconfiguredItemIdentifiers == [2])
    #expect(snapshot.reloadedSectionIdentifiers == ["b"])
    snapshot.deleteItems([1])
    snapshot.deleteSections(["b"])
    #expect(snapshot.reloadedItemIdentifiers == [2] && snapshot.reloadedSectionIdentifiers == [])
  }

  @Test("A copy does not follow the original")
  func copies() {
    var snapshot = sample()
    _ = snapshot.indexOfItem(1)
    let copy = snapshot
    snapshot.appendItems([4])
    snapshot.appendSections(["c"])
    #expect(copy.indexOfItem(4) == nil && copy.indexOfSection("c") == nil)
    #expect(text(copy) == "a: 1 2 | b: 3" && text(snapshot) == "a: 1 2 | b: 3 4 | c:")
  }

  @Test("A value and an object become each other with as, as? and as!")
  func casts() throws {
    let object = sample() as NSDiffableDataSourceSnapshotReference
    #expect(object.itemIdentifiers as? [Int] == [1, 2, 3])
    #expect(text(object as NSDiffableDataSourceSnapshot<String, Int>) == "a: 1 2 | b: 3")
    let any: Any = object
    #expect(text(try #require(any as? Snapshot)) == "a: 1 2 | b: 3")
    #expect(text(any as! Snapshot) == "a: 1 2 | b: 3")
    #expect(any as? NSDiffableDataSourceSnapshot<Int, Int> == nil)
    #expect((any as? NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>)?.numberOfItems == 3)
    object.appendItems(withIdentifiers: [4])
    #expect(text(object as Snapshot) == "a: 1 2 | b: 3 4")
  }

  @Test("The object has the same methods, under the names that it has for Objective-C")
  func object() {
    let object = NSDiffableDataSourceSnapshotReference()
    object.appendSections(withIdentifiers: ["a"])
    object.insertSections(withIdentifiers: ["b"], afterSectionWithIdentifier: "a")
    object.insertSections(withIdentifiers: ["c"], beforeSectionWithIdentifier: "a")
    object.appendItems(withIdentifiers: [1, 2])
    object.appendItems(withIdentifiers: [3], intoSectionWithIdentifier: "a")
    object.insertItems(withIdentifiers: [4], beforeItemWithIdentifier: 3)
    object.insertItems(withIdentifiers: [5], afterItemWithIdentifier: 3)
    #expect(text(object as Snapshot) == "c: | a: 4 3 5 | b: 1 2")
    object.moveItem(withIdentifier: 1, beforeItemWithIdentifier: 3)
    object.moveItem(withIdentifier: 4, afterItemWithIdentifier: 2)
    object.moveSection(withIdentifier: "c", afterSectionWithIdentifier: "b")
    object.moveSection(withIdentifier: "b", beforeSectionWithIdentifier: "a")
    #expect(text(object as Snapshot) == "b: 2 4 | a: 1 3 5 | c:")
    object.reloadItems(withIdentifiers: [1])
    object.reconfigureItems(withIdentifiers: [2])
    object.reloadSections(withIdentifiers: ["a"])
    #expect(
      object.reloadedItemIdentifiers as? [Int] == [1] && object.reconfiguredItemIdentifiers as? [Int] == [2])
    #expect(object.reloadedSectionIdentifiers as? [String] == ["a"])
    #expect(
      object.numberOfItems == 5 && object.numberOfSections == 3 && object.numberOfItems(inSection: "a") == 3)
    #expect(object.itemIdentifiersInSection(withIdentifier: "b") as? [Int] == [2, 4])
    #expect(object.sectionIdentifier(forSectionContainingItemIdentifier: 5) as? String == "a")
    #expect(object.sectionIdentifier(forSectionContainingItemIdentifier: 9) == nil)
    #expect(object.index(ofItemIdentifier: 1) == 2 && object.index(ofItemIdentifier: 9) == NSNotFound)
    #expect(
      object.index(ofSectionIdentifier: "c") == 2 && object.index(ofSectionIdentifier: "x") == NSNotFound)
    let copy = object.copy() as! NSDiffableDataSourceSnapshotReference
    object.deleteItems(withIdentifiers: [1])
    object.deleteSections(withIdentifiers: ["b"])
    #expect(text(object as Snapshot) == "a: 3 5 | c:" && copy.numberOfItems == 5)
    object.deleteAllItems()
    #expect(object.numberOfSections == 0)
  }

  private func words(_ result: ExitTest.Result?) -> String {
    result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
  }

  @Test("What isn't there, what comes twice and what is of another type is a misuse, told by name")
  func misuse() async {
    let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
      snapshot.appendSections(["a"])
      snapshot.appendItems([7, 8, 7])
    }
    #expect(words(twice).contains("\"7\" was given to a snapshot twice"))
    let nowhere = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
      snapshot.appendItems([7])
    }
    #expect(words(nowhere).contains("snapshot without sections"))
    let missing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var snapshot = NSDiffableDataSourceSnapshot<String, Int>()
      snapshot.appendSections(["a"])
      snapshot.reloadItems([7])
    }
    #expect(words(missing).contains("no item with the identifier \"7\""))
    let other = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let object = NSDiffableDataSourceSnapshotReference()
      object.appendSections(withIdentifiers: ["a"])
      _ = object as NSDiffableDataSourceSnapshot<Int, Int>
    }
    #expect(words(other).contains("Int, Int") && words(other).contains("String, none"))
  }
}
