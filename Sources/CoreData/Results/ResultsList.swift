/// A section of a list; only the one of a list without section names may be empty.
final class ResultsSection {
  let name: String
  var objects: ContiguousArray<NSManagedObject>

  init(_ name: String, _ objects: ContiguousArray<NSManagedObject> = []) {
    self.name = name
    self.objects = objects
  }
}

/// Objects in sections. A class: reading values while it is changed may lead back to it.
final class ResultsList {
  var sections: [ResultsSection]
  let hasSectionNames: Bool
  /// The section of every object; made when it is first needed.
  private var sectionsByObject: [ObjectIdentifier: ResultsSection]?

  /// Cuts a sorted result into sections. Throws if the order scatters the objects of a section.
  init(_ objects: [NSManagedObject], _ criteria: ResultsCriteria) throws {
    hasSectionNames = criteria.sectionNameKeyPath != nil
    guard hasSectionNames else {
      sections = [ResultsSection("", ContiguousArray(objects))]
      return
    }
    sections = []
    var names: Set<String> = []
    for (index, object) in objects.enumerated() {
      let name = try criteria.sectionName(of: object)
      if sections.last?.name != name {
        guard names.insert(name).inserted else {
          throw Failure.malformedFetchRequest(
            entity: criteria.description.layout.name,
            what:
              "The fetched object at index \(index) has the section name \"\(name)\", as objects before another "
              + "section have: the first sort descriptor, by "
              + "\"\(criteria.description.sort.first?.path.joined(separator: ".") ?? "nothing")\", must keep together "
              + "what \"\(criteria.sectionNameKeyPath ?? "")\" gives one name."
          ).nsError
        }
        sections.append(ResultsSection(name))
      }
      sections[sections.count - 1].objects.append(object)
    }
  }

  private init(copying other: ResultsList) {
    sections = other.sections.map { ResultsSection($0.name, $0.objects) }
    hasSectionNames = other.hasSectionNames
  }

  /// One that keeps what this one has, whatever is changed in this one.
  func copy() -> ResultsList {
    ResultsList(copying: self)
  }

  var objects: [NSManagedObject] { sections.flatMap(\.objects) }

  /// The section that an object is in; nil if it is not in the list.
  func section(of object: NSManagedObject) -> ResultsSection? {
    if sectionsByObject == nil {
      var all: [ObjectIdentifier: ResultsSection] = [:]
      for section in sections { for object in section.objects { all[ObjectIdentifier(object)] = section } }
      sectionsByObject = all
    }
    return sectionsByObject?[ObjectIdentifier(object)]
  }

  func setSection(_ section: ResultsSection?, of object: NSManagedObject) {
    sectionsByObject?[ObjectIdentifier(object)] = section
  }

  /// Where objects are; those that are not in the list are left out.
  func places(of objects: some Sequence<NSManagedObject>) -> [ObjectIdentifier: ResultsPlace] {
    var wanted: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
    for object in objects {
      guard let section = section(of: object) else { continue }
      wanted[ObjectIdentifier(section), default: []].insert(ObjectIdentifier(object))
    }
    var places: [ObjectIdentifier: ResultsPlace] = [:]
    for (index, section) in sections.enumerated() where !wanted.isEmpty {
      guard var missing = wanted.removeValue(forKey: ObjectIdentifier(section)) else { continue }
      for (item, object) in section.objects.enumerated() {
        guard missing.remove(ObjectIdentifier(object)) != nil else { continue }
        places[ObjectIdentifier(object)] = ResultsPlace(section: index, item: item)
        if missing.isEmpty { break }
      }
    }
    return places
  }
}

/// An index path without its allocation.
struct ResultsPlace: Comparable {
  var section: Int
  var item: Int

  var indexPath: IndexPath { IndexPath(item: item, section: section) }

  static func < (a: ResultsPlace, b: ResultsPlace) -> Bool { (a.section, a.item) < (b.section, b.item) }
}
