/// A section of a list. Only the section of a list without section names may be empty.
final class ResultsSection {
  let name: String
  /// Its position among the sections of its list.
  fileprivate(set) var index: Int
  var objects: ContiguousArray<NSManagedObject> {
    didSet { ids = nil }
  }
  /// The ids of the objects, for snapshots. They are kept only if they can't change.
  private var ids: [NSManagedObjectID]?

  init(_ name: String, _ objects: ContiguousArray<NSManagedObject> = [], index: Int = 0) {
    self.name = name
    self.objects = objects
    self.index = index
  }

  func objectIDs() -> [NSManagedObjectID] {
    if let ids { return ids }
    let made = objects.map(\.objectID)
    if !made.contains(where: \.isTemporaryID) { ids = made }
    return made
  }
}

/// Objects in sections. A class, because reading values while the list is changed may lead back to it.
final class ResultsList {
  private(set) var sections: [ResultsSection] = []
  let hasSectionNames: Bool
  /// The section of every object, and the item where it was last seen. Made when it is first needed.
  private var homes: [ObjectIdentifier: Home]?

  private struct Home {
    let section: ResultsSection
    var item: Int
  }

  /// Divides a sorted result into sections. Throws an error if the order separates the objects of a section.
  init(_ objects: [NSManagedObject], _ criteria: ResultsCriteria) throws {
    hasSectionNames = criteria.sectionNameKeyPath != nil
    guard hasSectionNames else {
      sections = [ResultsSection("", ContiguousArray(objects))]
      return
    }
    // By their bytes, as stores order texts: to Swift é in one scalar is the same name as é in two, which may be far
    // apart.
    var names: Set<BinaryText> = []
    for (index, object) in objects.enumerated() {
      let name = try criteria.sectionName(of: object)
      if sections.last?.name != name {
        guard names.insert(BinaryText(text: name)).inserted else { throw criteria.outOfOrder(index, section: name) }
        sections.append(ResultsSection(name, index: sections.count))
      }
      sections[sections.count - 1].objects.append(object)
    }
  }

  /// Divides a result into known sections, which together have as many objects.
  init(_ objects: [NSManagedObject], _ known: [(name: String, count: Int)]) {
    hasSectionNames = true
    var start = 0
    for (name, count) in known {
      let members = ContiguousArray(objects[start..<start + count])
      sections.append(ResultsSection(name, members, index: sections.count))
      start += count
    }
  }

  private init(copying other: ResultsList) {
    sections = other.sections.map { ResultsSection($0.name, $0.objects, index: $0.index) }
    hasSectionNames = other.hasSectionNames
  }

  /// A copy that is independent of later changes.
  func copy() -> ResultsList {
    ResultsList(copying: self)
  }

  var objects: [NSManagedObject] { sections.flatMap(\.objects) }

  func removeSection(at index: Int) {
    sections.remove(at: index)
    number(from: index)
  }

  func insert(_ section: ResultsSection, at index: Int) {
    sections.insert(section, at: index)
    number(from: index)
  }

  private func number(from first: Int) {
    for index in first..<sections.count { sections[index].index = index }
  }

  private func makeHomes() {
    var all: [ObjectIdentifier: Home] = [:]
    all.reserveCapacity(sections.reduce(0) { $0 + $1.objects.count })
    for section in sections {
      for (item, object) in section.objects.enumerated() {
        all[ObjectIdentifier(object)] = Home(section: section, item: item)
      }
    }
    homes = all
  }

  func contains(_ object: NSManagedObject) -> Bool {
    if homes == nil { makeHomes() }
    return homes![ObjectIdentifier(object)] != nil
  }

  /// Records that an object is now in a section, at an item or near it; without a section, that it is in none.
  func setHome(_ section: ResultsSection?, near item: Int, of object: NSManagedObject) {
    homes?[ObjectIdentifier(object)] = section.map { Home(section: $0, item: item) }
  }

  /// The place of an object; nil if it is not in the list.
  ///
  /// The search starts where the object was last seen, and goes further and further away: it is as far off as
  /// insertions and removals since have pushed it.
  func place(of object: AnyObject) -> ResultsPlace? {
    if homes == nil { makeHomes() }
    guard let home = homes![ObjectIdentifier(object)] else { return nil }
    let item = home.section.objects.withUnsafeBufferPointer { objects -> Int in
      if objects.indices.contains(home.item), objects[home.item] === object { return home.item }
      var (low, high) = (min(home.item - 1, objects.count - 1), max(home.item + 1, 0))
      while low >= 0 || high < objects.count {
        if low >= 0 {
          if objects[low] === object { return low }
          low -= 1
        }
        if high < objects.count {
          if objects[high] === object { return high }
          high += 1
        }
      }
      preconditionFailure("An object is not in the section that the list has for it.")
    }
    if item != home.item { homes![ObjectIdentifier(object)]!.item = item }
    return ResultsPlace(section: home.section.index, item: item)
  }

  /// The list as a snapshot. Updated and moved objects are among those to reload.
  func snapshot(reloading report: ResultsReport?) -> NSDiffableDataSourceSnapshotReference {
    NSDiffableDataSourceSnapshotReference(
      NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(
        sections: sections.map { .init(identifier: $0.name, items: $0.objectIDs()) },
        reloaded: reloaded(report)))
  }

  /// The list as a snapshot that is made at its first use, but has the present content. It is
  /// for delegates that may never look at it.
  func latentSnapshot(reloading report: ResultsReport?) -> NSDiffableDataSourceSnapshotReference {
    let sections = sections.map { (name: $0.name, objects: $0.objects) }
    return NSDiffableDataSourceSnapshotReference { [self] in
      NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(
        sections: sections.map { .init(identifier: $0.name, items: $0.objects.map(\.objectID)) },
        reloaded: reloaded(report))
    }
  }

  private func reloaded(_ report: ResultsReport?) -> [NSManagedObjectID] {
    report?.objects.filter { $0.type == .update || $0.type == .move }.map(\.object.objectID) ?? []
  }
}

/// An index path without its allocation.
struct ResultsPlace: Comparable {
  var section: Int
  var item: Int

  var indexPath: IndexPath { IndexPath(item: item, section: section) }

  static func < (a: ResultsPlace, b: ResultsPlace) -> Bool { (a.section, a.item) < (b.section, b.item) }
}
