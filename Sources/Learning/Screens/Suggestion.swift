import DataModelFiles

/// Suggests what a person may have meant by a mistyped word.
package enum Suggestion {
  /// The candidates that are nearest to a word, if they differ from it in only a few letters or begin with it. Upper
  /// and lower case don't matter.
  package static func nearest(to word: String, among candidates: [String]) -> [String] {
    let typed = word.lowercased()
    // One letter may differ in a short word, one more for each further three letters, at most three.
    let limit = min(3, max(1, (typed.count + 1) / 3))
    let near = candidates.map { (name: $0, distance: Spelling.distance(typed, $0.lowercased())) }
      .filter { $0.distance <= limit || (typed.count > 2 && $0.name.lowercased().hasPrefix(typed)) }
    guard let least = near.map(\.distance).min() else { return [] }
    return near.filter { $0.distance == least }.map(\.name)
  }

  /// ` Did you mean hint?`, or "" if nothing is near.
  package static func question(_ word: String, among candidates: [String]) -> String {
    let names = nearest(to: word, among: candidates)
    return names.isEmpty ? "" : " Did you mean \(names.prefix(3).joined(separator: " or "))?"
  }
}
