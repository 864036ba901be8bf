import Foundation

/// The content of an exercise's `Guide.md`.
package struct Guide: Sendable {
  package var title = ""
  /// What the learner has to make true, in one sentence.
  package var goal = ""
  package var chapter = ChapterLink(folder: "", anchor: "")
  /// The exercise's data model: the name of the shared one, or `ownModel`.
  package var model = ""
  package var minutes = 0
  /// The hints, from a first question to nearly the whole answer.
  package var hints: [String] = []
  /// Violations of the guide's form. The rest can still be used.
  package var problems: [String] = []

  /// The value of `Model:` for an exercise that builds its own model.
  package static let ownModel = "its own, in the file"

  /// A section of a chapter: `01-ManualStack#four-properties`.
  package struct ChapterLink: Hashable, Sendable, CustomStringConvertible {
    package var folder: String
    package var anchor: String

    package init(folder: String, anchor: String) {
      self.folder = folder
      self.anchor = anchor
    }

    package init?(_ text: String) {
      let parts = text.components(separatedBy: "#")
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
      self.init(folder: parts[0], anchor: parts[1])
    }

    package var description: String { "\(folder)#\(anchor)" }
  }

  package init(_ text: String) {
    let lines = text.components(separatedBy: "\n")
    let firstHint = lines.firstIndex { $0.hasPrefix("## ") } ?? lines.count
    readHead(lines[..<firstHint])
    readHints(lines[firstHint...])
    checkFields()
  }

  private mutating func readHead(_ lines: ArraySlice<String>) {
    var fields: [String: String] = [:]
    var field: String?
    for line in lines {
      if line.hasPrefix("# ") {
        title = line.dropFirst(2).trimmingCharacters(in: .whitespaces)
        field = nil
      } else if let match = line.wholeMatch(of: #/(Goal|Chapter|Model|Minutes): *(.*)/#) {
        field = String(match.1)
        fields[String(match.1)] = match.2.trimmingCharacters(in: .whitespaces)
      } else if line.trimmingCharacters(in: .whitespaces).isEmpty {
        field = nil
      } else if let field {
        // A long sentence continues on the next line.
        fields[field]! += " " + line.trimmingCharacters(in: .whitespaces)
      } else {
        problems.append("the guide has a line that belongs to nothing: \(line)")
      }
    }
    goal = fields["Goal"] ?? ""
    model = fields["Model"] ?? ""
    minutes = fields["Minutes"].flatMap(Int.init) ?? 0
    if let link = fields["Chapter"].flatMap(ChapterLink.init) { chapter = link }
  }

  private mutating func readHints(_ lines: ArraySlice<String>) {
    var parts: [(heading: String, body: [String])] = []
    for line in lines {
      if line.hasPrefix("## ") {
        parts.append((String(line.dropFirst(3)), []))
      } else {
        parts[parts.count - 1].body.append(line)
      }
    }
    for (index, part) in parts.enumerated() {
      if part.heading != "Hint \(index + 1)" {
        problems.append("the guide has \"## \(part.heading)\" where \"## Hint \(index + 1)\" belongs")
      }
      let body = part.body.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
      if body.isEmpty { problems.append("the guide's hint \(index + 1) is empty") }
      hints.append(body)
    }
  }

  private mutating func checkFields() {
    if title.isEmpty { problems.append("the guide has no title, \"# …\"") }
    if goal.isEmpty { problems.append("the guide has no \"Goal: …\"") }
    if chapter.folder.isEmpty { problems.append("the guide has no \"Chapter: FOLDER#anchor\"") }
    if model.isEmpty { problems.append("the guide has no \"Model: …\": the shared one's name, or \(Self.ownModel)") }
    if !(2...20).contains(minutes) { problems.append("the guide has no \"Minutes: …\" from 2 to 20") }
    if hints.count < 3 { problems.append("the guide has \(hints.count) hints; three are the least") }
  }
}
