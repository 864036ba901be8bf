/// The changes that an edit made to a list, for the delegate.
struct ResultsReport {
  struct ObjectChange {
    let object: NSManagedObject
    let type: NSFetchedResultsChangeType
    let old: ResultsPlace?
    let new: ResultsPlace?
  }

  /// Removed sections, last one first; they are empty then.
  var removedSections: [(index: Int, section: ResultsSection)] = []
  /// Inserted sections, first one first.
  var insertedSections: [(index: Int, section: ResultsSection)] = []
  /// Objects that were removed, inserted, moved, updated.
  var objects: [ObjectChange] = []
  /// Objects that have another id than the delegate knows, with the id that it knows.
  var renamed: [(object: NSManagedObject, former: NSManagedObjectID, place: ResultsPlace)] = []

  /// The changes as a difference, for a list with one section.
  var difference: CollectionDifference<NSManagedObjectID> {
    var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
    for change in objects {
      let id = change.object.objectID
      if let old = change.old {
        changes.append(.remove(offset: old.item, element: id, associatedWith: change.new?.item))
      }
      if let new = change.new {
        changes.append(.insert(offset: new.item, element: id, associatedWith: change.old?.item))
      }
    }
    for (object, former, place) in renamed {
      changes.append(.remove(offset: place.item, element: former, associatedWith: nil))
      changes.append(.insert(offset: place.item, element: object.objectID, associatedWith: nil))
    }
    // Offsets are those of two lists, so none occurs twice.
    return CollectionDifference(changes)!
  }
}

extension ResultsList {
  /// Makes the changes.
  func apply(_ edit: ResultsEdit, _ criteria: ResultsCriteria) throws -> ResultsReport {
    var report = ResultsReport()
    let emptied = takeOut(edit.removed + edit.moved.map(\.member))
    let entries = Dictionary(grouping: edit.moved.map(\.entry) + edit.inserted, by: \.sectionName)
    // Sections that were emptied and get objects again may have another place.
    var former: [String: Int] = [:]
    if hasSectionNames {
      if emptied.contains(where: { entries[sections[$0].name] != nil }) {
        for section in sections { former[section.name] = section.index }
      }
      for index in emptied.sorted(by: >) {
        report.removedSections.append((index, ResultsSection(sections[index].name)))
        removeSection(at: index)
      }
    }
    let new = try putIn(entries, criteria)
    let unmoved = former.isEmpty ? [] : unmoved(former, refilled: Set(new.map(\.name)))
    report.removedSections.removeAll { unmoved.contains($0.section.name) }
    report.insertedSections = new.map { (index: $0.index, section: $0) }.sorted(on: \.index)
    report.insertedSections.removeAll { unmoved.contains($0.section.name) }
    reportSections(edit, in: &report)
    return report
  }

  /// Those of the refilled sections that still come after the same sections as before, so that nothing is told of them.
  private func unmoved(_ former: [String: Int], refilled: Set<String>) -> Set<String> {
    var unmoved: Set<String> = []
    // limits[i]: the former place of the next section, from i on, that has kept its objects.
    var limits = [Int](repeating: .max, count: sections.count + 1)
    for section in sections.reversed() {
      let isFixed = former[section.name] != nil && !refilled.contains(section.name)
      limits[section.index] = isFixed ? former[section.name]! : limits[section.index + 1]
    }
    var last = -1
    for section in sections {
      guard let place = former[section.name] else { continue }
      if !refilled.contains(section.name) {
        last = place
      } else if place > last, place < limits[section.index + 1] {
        unmoved.insert(section.name)
        last = place
      }
    }
    return unmoved
  }

  /// Removes objects from their sections. Returns the sections that are now empty.
  private func takeOut(_ members: [ResultsEdit.Member]) -> [Int] {
    var emptied: [Int] = []
    for (index, leaving) in Dictionary(grouping: members, by: \.place.section) {
      let section = sections[index]
      for member in leaving { setHome(nil, near: 0, of: member.object) }
      if leaving.count == section.objects.count {
        emptied.append(index)
        section.objects = []
      } else {
        section.objects.remove(at: leaving.map(\.place.item).sorted())
      }
    }
    return emptied
  }

  /// Inserts objects at their places, and makes the sections that they need. Returns the new sections.
  private func putIn(
    _ entries: [String: [ResultsEdit.Entry]], _ criteria: ResultsCriteria
  ) throws -> [ResultsSection] {
    if entries.isEmpty { return [] }
    var byName: [String: [ResultsSection]] = [:]
    for section in sections { byName[section.name, default: []].append(section) }
    let sorted = entries.mapValues { $0.sorted { $0.precedes($1, criteria) } }
    for (name, sorted) in sorted {
      guard let known = byName[name] else { continue }
      if known.count == 1 {
        try merge(sorted, into: known[0], criteria)
        continue
      }
      // Sections whose names differ in their scalars only.
      let homes = Dictionary(grouping: sorted) { entry in
        known.lastIndex { binaryEqual($0.name, entry.sectionName) } ?? known.count - 1
      }
      for (place, own) in homes { try merge(own, into: known[place], criteria) }
    }
    // No section is empty now, so the first object of each says where the section belongs.
    var new: [ResultsSection] = []
    for (name, sorted) in sorted where byName[name] == nil {
      let section = ResultsSection(name, ContiguousArray(sorted.map(\.object)))
      let index = try position(in: 0..<sections.count) {
        try criteria.order(sorted[0].keys, sections[$0].objects[0])
      }
      insert(section, at: index)
      new.append(section)
      for (item, entry) in sorted.enumerated() { setHome(section, near: item, of: entry.object) }
    }
    return new
  }

  private func merge(
    _ entries: [ResultsEdit.Entry], into section: ResultsSection, _ criteria: ResultsCriteria
  ) throws {
    var start = 0
    var positions: [Int] = []
    for (number, entry) in entries.enumerated() {
      start = try position(in: start..<section.objects.count) {
        try criteria.order(entry.keys, section.objects[$0])
      }
      positions.append(start)
      setHome(section, near: start + number, of: entry.object)
    }
    section.objects.insert(entries.map(\.object), at: positions)
  }

  /// Binary search for the place after all objects that don't come after the new one.
  private func position(
    in range: Range<Int>, _ order: (Int) throws -> ComparisonResult
  ) rethrows -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if try order(middle) == .orderedAscending { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func reportSections(_ edit: ResultsEdit, in report: inout ResultsReport) {
    func new(_ object: NSManagedObject) -> ResultsPlace? { place(of: object) }
    for member in edit.removed.reversed() {
      report.objects.append(.init(object: member.object, type: .delete, old: member.place, new: nil))
    }
    let inserted = edit.inserted.map {
      ResultsReport.ObjectChange(object: $0.object, type: .insert, old: nil, new: new($0.object))
    }
    report.objects += inserted.sorted { $0.new! < $1.new! }
    for (member, _) in edit.moved {
      report.objects.append(
        .init(object: member.object, type: .move, old: member.place, new: new(member.object)))
    }
    for member in edit.updated {
      report.objects.append(
        .init(object: member.object, type: .update, old: member.place, new: new(member.object)))
    }
  }
}
