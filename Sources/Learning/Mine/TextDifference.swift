/// The unified difference of two texts.
package enum TextDifference {
  /// Lines as of `diff -u`, with three lines around each change; empty if the texts are the same.
  package static func unified(from old: String, named oldName: String, to new: String, named newName: String)
    -> [String]
  {
    let all = lines(old, new)
    let changed = all.indices.filter { all[$0].sign != " " }
    guard !changed.isEmpty else { return [] }
    var result = ["--- \(oldName)", "+++ \(newName)"]
    for hunk in hunks(around: changed, count: all.count) {
      let before = all[..<hunk.lowerBound]
      let (oldStart, newStart) = (before.count { $0.sign != "+" }, before.count { $0.sign != "-" })
      let (oldCount, newCount) = (all[hunk].count { $0.sign != "+" }, all[hunk].count { $0.sign != "-" })
      result.append("@@ -\(oldStart + 1),\(oldCount) +\(newStart + 1),\(newCount) @@")
      result += all[hunk].map { $0.sign + $0.text }
    }
    return result
  }

  private static func hunks(around changed: [Int], count: Int) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for index in changed {
      let hunk = max(0, index - 3)..<min(count, index + 4)
      if let last = hunks.last, last.upperBound >= hunk.lowerBound {
        hunks[hunks.count - 1] = last.lowerBound..<hunk.upperBound
      } else {
        hunks.append(hunk)
      }
    }
    return hunks
  }

  private static func lines(_ old: String, _ new: String) -> [(sign: String, text: String)] {
    let (left, right) = (split(old), split(new))
    var removed = Set<Int>()
    var added = Set<Int>()
    for change in right.difference(from: left) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var lines: [(String, String)] = []
    var (i, j) = (0, 0)
    while i < left.count || j < right.count {
      if i < left.count, removed.contains(i) {
        lines.append(("-", left[i]))
        i += 1
      } else if j < right.count, added.contains(j) {
        lines.append(("+", right[j]))
        j += 1
      } else {
        lines.append((" ", right[j]))
        i += 1
        j += 1
      }
    }
    return lines
  }

  private static func split(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
