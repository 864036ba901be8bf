/// The results of a fetch for something else than objects: dictionaries, ids, a count. They stay as they were fetched.
final class FixedResults {
  let objects: [AnyObject]
  let sections: [(name: String, items: Range<Int>)]

  /// Divides dictionaries into sections by their column of the section key path's name. Throws an error if the order
  /// separates the rows of a section.
  init(_ objects: [AnyObject], _ criteria: ResultsCriteria) throws {
    self.objects = objects
    guard let column = criteria.sectionNameKeyPath else {
      sections = [("", objects.indices)]
      return
    }
    var sections: [(name: String, items: Range<Int>)] = []
    // By their bytes; see `ResultsList`.
    var names: Set<BinaryText> = []
    for (index, object) in objects.enumerated() {
      let name = ResultsCriteria.text((object as? NSDictionary)?[column])
      if let last = sections.last, last.name == name {
        sections[sections.count - 1].items = last.items.lowerBound..<index + 1
        continue
      }
      guard names.insert(BinaryText(text: name)).inserted else { throw criteria.outOfOrder(index, section: name) }
      sections.append((name, index..<index + 1))
    }
    self.sections = sections
  }

  func object(at indexPath: IndexPath) -> AnyObject? {
    guard sections.indices.contains(indexPath.section) else { return nil }
    let items = sections[indexPath.section].items
    return indexPath.item >= 0 && indexPath.item < items.count ? objects[items.lowerBound + indexPath.item] : nil
  }

  func indexPath(of object: AnyObject) -> IndexPath? {
    guard let index = objects.firstIndex(where: { ($0 as? NSObject)?.isEqual(object) ?? false }),
      let section = sections.firstIndex(where: { $0.items.contains(index) })
    else { return nil }
    return IndexPath(item: index - sections[section].items.lowerBound, section: section)
  }
}
