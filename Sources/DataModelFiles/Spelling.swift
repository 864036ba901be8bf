/// Which of the known names a misspelt one was probably meant to be.
package enum Spelling {
  /// The one of `names` that is most like the misspelt one, if at most a third of its letters differ; case is ignored.
  /// Among equals the first by name, so that a message is the same each time.
  package static func nearest(to word: String, among names: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased().prefix(64))
    let near = names.lazy.filter { $0 != word }.map {
      (distance: distance(wanted, Array($0.lowercased().prefix(64))), name: $0)
    }
    .filter { $0.distance <= max(1, min(wanted.count, $0.name.count) / 3) }
    return near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
  }

  /// ` Did you mean "title"?`, or nothing.
  package static func suggestion(for word: String, among names: some Sequence<String>) -> String {
    nearest(to: word, among: names).map { " Did you mean \"\($0)\"?" } ?? ""
  }

  /// How many letters to add, drop or replace to get from one word to the other. Swapping two neighbours counts as one.
  package static func distance(_ one: String, _ other: String) -> Int { distance(Array(one), Array(other)) }

  private static func distance(_ a: [Character], _ b: [Character]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i]
      for j in 1...b.count {
        var best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, beforeLast[j - 2] + 1) }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
