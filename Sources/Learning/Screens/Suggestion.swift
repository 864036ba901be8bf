/// Suggests what a person may have meant by a mistyped word.
package enum Suggestion {
  /// The candidates that are nearest to a word, if they differ from it in only a few letters or begin with it. Upper
  /// and lower case don't matter.
  package static func nearest(to word: String, among candidates: [String]) -> [String] {
    let typed = Array(word.lowercased())
    // One letter may differ in a short word, one more for each further three letters, at most three.
    let limit = min(3, max(1, (typed.count + 1) / 3))
    let near = candidates.map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }
      .filter { $0.distance <= limit || (typed.count > 2 && $0.name.lowercased().hasPrefix(word.lowercased())) }
    guard let least = near.map(\.distance).min() else { return [] }
    return near.filter { $0.distance == least }.map(\.name)
  }

  /// ` Did you mean hint?`, or "" if nothing is near.
  package static func question(_ word: String, among candidates: [String]) -> String {
    let names = nearest(to: word, among: candidates)
    return names.isEmpty ? "" : " Did you mean \(names.prefix(3).joined(separator: " or "))?"
  }

  /// The number of letters that have to be changed, added, removed, or swapped with their neighbour.
  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before: [Int] = []
    var row = Array(0...b.count)
    for i in 1...a.count {
      var next = [i] + row.dropFirst()
      for j in 1...b.count {
        next[j] = min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { next[j] = min(next[j], before[j - 2] + 1) }
      }
      (before, row) = (row, next)
    }
    return row[b.count]
  }
}
