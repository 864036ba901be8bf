/// What became of the elements of a composite attribute. They are matched as the attributes of an entity are.
struct ElementMatch {
  struct Element {
    let attribute: NSAttributeDescription
    /// nil if it is new.
    let former: NSAttributeDescription?
    /// Keys behind the names of the two attributes, as `place.city`.
    let path: String
    let formerPath: String?
  }

  /// All elements of the destination, composites before the elements that they have.
  private(set) var elements: [Element] = []

  /// - Parameter sameVersion: whether the two are defined alike. Then renaming identifiers may be about older versions.
  /// - Throws: `RenamingMatch.Tie`.
  init(
    from source: NSCompositeAttributeDescription, to destination: NSCompositeAttributeDescription, sameVersion: Bool
  ) throws {
    let formers = try RenamingMatch.sources(of: destination.elements, among: source.elements, sameVersion: sameVersion)
    for (attribute, former) in zip(destination.elements, formers) {
      let (name, formerName) = (attribute.storedName, former?.storedName)
      elements.append(Element(attribute: attribute, former: former, path: name, formerPath: formerName))
      guard let group = attribute as? NSCompositeAttributeDescription,
        let formerGroup = former as? NSCompositeAttributeDescription
      else { continue }
      elements += try ElementMatch(from: formerGroup, to: group, sameVersion: sameVersion).elements.map { inner in
        Element(
          attribute: inner.attribute, former: inner.former, path: "\(name).\(inner.path)",
          formerPath: inner.formerPath.map { "\(formerGroup.storedName).\($0)" })
      }
    }
  }

  /// The former path of each kept element, by its path.
  var formerPaths: [String: String] {
    Dictionary(elements.compactMap { element in element.formerPath.map { (element.path, $0) } }) { first, _ in first }
  }
}

extension RenamingMatch {
  /// The source of each destination; nil for a new one.
  ///
  /// - Parameter sameVersion: whether names alone match, since the renaming identifiers may be about older versions.
  /// - Throws: `Tie`.
  static func sources<Property: NSPropertyDescription>(
    of to: [Property], among from: [Property], sameVersion: Bool
  ) throws -> [Property?] {
    func item(_ property: Property) -> Item {
      Item(
        name: property.storedName, identifier: sameVersion ? nil : property.storedRenamingIdentifier,
        mayShare: (property as? NSAttributeDescription)?.mayShareFormerValues == true)
    }
    return try RenamingMatch(from: from.map(item), to: to.map(item)).sources.map { $0.map { from[$0] } }
  }
}
