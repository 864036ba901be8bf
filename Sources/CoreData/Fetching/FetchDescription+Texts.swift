import Synchronization

/// Comparisons that no row can meet, because they compare a text with something else.
extension FetchDescription {
  /// Comparisons already reported, so that each is reported once.
  private static let reported = Mutex<Set<String>>([])

  /// Call this for a fetch without results. If such a comparison is the reason, this reports it, once for each
  /// comparison.
  func warnOfTexts() {
    predicate?.forEachComparison { comparison in
      guard let (path, text) = comparison.attributeAndText, let property = layout.attribute(path),
        let kind = property.nameBesideText(text)
      else { return }
      let place = "\(layout.name).\(path.joined(separator: "."))"
      if !FetchDescription.reported.withLock({ $0.insert("\(place) \(comparison.comparator)").inserted }) { return }
      warn(
        MisuseReport(
          "A fetch compares \(place), which is \(kind), with the text \(PredicateLiteral.quoted(text)): no value equals "
            + "it.",
          facts: [("Predicate", PredicatePrinter.print(.comparison(comparison)))],
          how: property.kind == .uuid || property.kind == .binary || property.kind == .boolean || property.kind == .date
            ? "A text equals only texts." : "A text equals only texts, unless all of it is a number, as in \"42\".",
          remedy: "Pass the value itself for %@, not its text."))
    }
  }
}

extension Comparison {
  /// The key path and the text, if this compares an attribute with a text for equality.
  fileprivate var attributeAndText: (path: [String], text: String)? {
    switch (comparator, left, right) {
    case (.equalTo, .keyPath(let path), .constant(.string(let text))),
      (.equalTo, .constant(.string(let text)), .keyPath(let path)):
      return (path, text)
    case (.in, .keyPath(let path), .constant(.collection(let members))):
      for case .string(let text) in members { return (path, text) }
      return nil
    default: return nil
    }
  }
}

extension PredicateNode {
  /// Calls `body` with the comparisons that must, or may, hold for the predicate to hold. Comparisons below a NOT are
  /// left out.
  fileprivate func forEachComparison(_ body: (Comparison) -> Void) {
    switch self {
    case .and(let parts), .or(let parts): parts.forEach { $0.forEachComparison(body) }
    case .comparison(let comparison): body(comparison)
    case .constant, .not, .block: break
    }
  }
}

extension EntityLayout {
  /// The attribute at the end of a key path; nil if there is none.
  func attribute(_ path: [String]) -> LayoutProperty? {
    var layout = self
    for key in path.dropLast() {
      guard let property = layout.property(named: key), property.isRelationship else { return nil }
      layout = layout.model.layouts[property.destination]
    }
    return path.last.flatMap { layout.property(named: $0) }
  }
}

extension LayoutProperty {
  /// A word for the attribute's type, if no value of it can equal a text.
  fileprivate func nameBesideText(_ text: String) -> String? {
    let noun = kind.nounBesideText
    if noun.utf8CodeUnitCount == 0 { return nil }
    // Numbers, and dates, which are stored as numbers, equal a text that spells the same number.
    let isNumeric = form == .integer || form == .real || form == .decimal
    return isNumeric && ValueComparison.numericValue(of: .string(text)) != nil ? nil : "\(noun)"
  }
}
