/// The one deliberate mistake in a solution's `//= ` comment. With it, the tests must fail.
package enum Mutation {
  /// The lines of the mark, from 0, without gaps.
  package static func marks(in source: String) -> [ClosedRange<Int>] {
    var marks: [ClosedRange<Int>] = []
    for (index, line) in source.components(separatedBy: "\n").enumerated() where isMark(line) {
      if let last = marks.last, last.upperBound == index - 1 {
        marks[marks.count - 1] = last.lowerBound...index
      } else {
        marks.append(index...index)
      }
    }
    return marks
  }

  /// Returns a source without its marks, as a learner sees it.
  package static func unmarked(_ source: String) -> String {
    source.components(separatedBy: "\n").filter { !isMark($0) }.joined(separator: "\n")
  }

  /// Returns a source with the marked text instead of the line below it; nil unless there is exactly one mark, with a
  /// line below.
  package static func mutated(_ source: String) -> String? {
    var lines = source.components(separatedBy: "\n")
    let marks = marks(in: source)
    guard marks.count == 1, let mark = marks.first, lines.indices.contains(mark.upperBound + 1),
      !lines[mark.upperBound + 1].allSatisfy(\.isWhitespace)
    else { return nil }
    let replacement = lines[mark].map { line in
      let margin = line.prefix { $0 == " " }
      return margin + line.dropFirst(margin.count + 3).drop { $0 == " " }
    }
    lines.replaceSubrange(mark.lowerBound...(mark.upperBound + 1), with: replacement.map(String.init))
    return lines.joined(separator: "\n")
  }

  private static func isMark(_ line: String) -> Bool { line.drop { $0 == " " }.hasPrefix("//=") }
}
