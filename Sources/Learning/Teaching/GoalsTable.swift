import Foundation

/// Writes the table of all exercises in their README, from the guides.
package struct GoalsTable {
  let course: Course

  package init(course: Course) { self.course = course }

  static let begin = "<!-- goals: written by `swift run learn goals` -->"
  static let end = "<!-- end of goals -->"

  package var rows: [String] {
    ["| | exercise | goal | section | minutes |", "|---|---|---|---|---|"]
      + course.exercises.map { exercise in
        let link = exercise.guide.chapter
        let heading = course.heading(link) ?? link.anchor
        // The chapter's number, or the letter of an appendix.
        let chapter = link.folder.prefix { $0 != "-" }.drop { $0 == "0" }
        return "| \(exercise.number) | \(cell(exercise.guide.title)) | \(cell(exercise.guide.goal)) "
          + "| [\(chapter): \(cell(heading))](../\(link.folder)/README.md#\(link.anchor)) | \(exercise.guide.minutes) |"
      }
  }

  private func cell(_ text: String) -> String { text.replacingOccurrences(of: "|", with: "\\|") }

  /// The README's text with the right table; nil if it has no place for one.
  package func written(into readme: String) -> String? {
    let lines = readme.components(separatedBy: "\n")
    guard let first = lines.firstIndex(of: Self.begin), let last = lines.firstIndex(of: Self.end), first < last else {
      return nil
    }
    return (lines[...first] + [""] + rows + [""] + lines[last...]).joined(separator: "\n")
  }

  /// The problems of the README's table.
  package func problems() -> [String] {
    let shown = course.shown(course.readme)
    guard let text = try? String(contentsOf: course.readme, encoding: .utf8) else { return ["there is no \(shown)"] }
    guard let right = written(into: text) else { return ["\(shown) has no place for the goals: \(Self.begin)"] }
    if right == text { return [] }
    let has = Set(text.components(separatedBy: "\n"))
    let missing = rows.dropFirst(2).filter { !has.contains($0) }.map { "\(shown) does not have the row \($0)" }
    return missing.isEmpty
      ? ["\(shown) has rows in its goals that no exercise has; write it again: swift run learn goals"] : missing
  }
}
