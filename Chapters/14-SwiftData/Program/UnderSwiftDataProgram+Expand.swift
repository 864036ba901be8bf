import ChapterSupport
import Foundation

/// `--expand`: what the compiler gets for `@Model`, from the program that it asks.
extension UnderSwiftDataProgram {
  func showExpansion() throws {
    let source = try studentSource()
    let plugin = try MacroPlugin()
    let properties = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.contains("public var ") }

    Output.heading("What @Model puts in front of each property")
    for property in properties {
      show(try plugin.expansion(of: "PersistentModelMacro", as: "memberAttribute", of: property) + " " + property)
    }

    Output.heading("What that makes of the second")
    show(properties[1])
    show(try plugin.expansion(of: "PersistedPropertyMacro", as: "accessor", of: properties[1]))
    show(try plugin.expansion(of: "PersistedPropertyMacro", as: "peer", of: properties[1]))

    Output.heading("What @Model puts into the class")
    show(try plugin.expansion(of: "PersistentModelMacro", as: "member", of: source, conforming: "PersistentModel"))

    Output.heading("What @Model puts beside the class")
    show(
      try plugin.expansion(
        of: "PersistentModelMacro", as: "extension", of: source, conforming: "PersistentModel, Observable"))
  }

  /// The class as the chapter has it: what stands between its marks.
  private func studentSource() throws -> String {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let url = folder.appendingPathComponent("Student.swift")
    guard let text = try? String(contentsOf: url, encoding: .utf8),
      let begin = text.range(of: "//> student\n"), let end = text.range(of: "//< student")
    else {
      throw ChapterFailure("The program shows what becomes of its own source, and \(url.path) is not there.")
    }
    return String(text[begin.upperBound..<end.lowerBound])
  }

  /// Long lines are broken, for the page.
  private func show(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let indentation = String(line.prefix { $0 == " " }) + "  "
      var rest = Substring(line)
      while rest.count > 92, let end = rest.prefix(91).lastIndex(of: " "), end > rest.startIndex {
        Output.line(String(rest[..<end]))
        rest = Substring(indentation + rest[rest.index(after: end)...])
      }
      Output.line(String(rest))
    }
  }
}
