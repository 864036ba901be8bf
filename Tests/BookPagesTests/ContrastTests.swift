import Foundation
import Testing

@testable import BookPages

/// Text is readable when its contrast with what is behind it is at least 4.5, marks when it is at least 3 (WCAG 2, AA).
@Suite("Colours") struct ContrastTests {
  @Test("All text of the pages can be read in both themes", arguments: ["light", "dark"])
  func text(theme: String) throws {
    let colors = try Self.colors(of: try Resource.text("book.css"), theme: theme)
    let onPaper = ["ink", "quiet", "link", "accent"]
    let onCode = [
      "code-ink", "code-quiet", "keyword", "type", "string", "number", "comment", "attribute", "failure",
    ]
    let pairs =
      onPaper.map { ($0, "paper") } + onCode.map { ($0, "code-paper") }
      + onCode.flatMap { [($0, "inserted-paper"), ($0, "deleted-paper")] } + [("ink", "mark")]
      + ["diagram-ink", "diagram-quiet"].flatMap { name in
        ["diagram-paper", "diagram-fill", "diagram-accent"].map { (name, $0) }
      }
    for (ink, paper) in pairs {
      let contrast = try Self.contrast(#require(colors[ink], "\(ink)"), #require(colors[paper], "\(paper)"))
      #expect(contrast >= 4.5, "\(ink) on \(paper), \(theme): \(contrast)")
    }
  }

  @Test("Bars, borders of fields and lines of diagrams can be seen in both themes", arguments: ["light", "dark"])
  func marks(theme: String) throws {
    let colors = try Self.colors(of: try Resource.text("book.css"), theme: theme)
    let pairs = [
      ("accent", "code-paper"), ("accent", "paper"), ("quiet", "paper"), ("diagram-line", "diagram-paper"),
      ("diagram-line", "diagram-fill"), ("diagram-strong", "diagram-accent"), ("diagram-strong", "diagram-paper"),
    ]
    for (mark, paper) in pairs {
      let contrast = try Self.contrast(#require(colors[mark]), #require(colors[paper]))
      #expect(contrast >= 3, "\(mark) on \(paper), \(theme): \(contrast)")
    }
  }

  @Test("Words and lines of steppers can be read and seen in both themes", arguments: ["light", "dark"])
  func steppers(theme: String) throws {
    let page = try Self.colors(of: try Resource.text("book.css"), theme: theme)
    let paper = try #require(page["paper"])
    #expect(try Self.contrast(#require(page["ink"]), #require(page["part-change"])) >= 4.5)
    for part in ["part-object", "part-context", "part-sql"] {
      #expect(try Self.contrast(#require(page[part]), paper) >= 4.5, "\(part), \(theme)")
    }
  }

  @Test func `The style sheet names each colour once, as a variable`() throws {
    let css = try Resource.text("book.css")
    for line in css.split(separator: "\n") where line.contains(#/#[0-9a-f]{3,8}\b/#) {
      #expect(line.trimmingPrefix(while: \.isWhitespace).hasPrefix("--") || line.contains("--paper:"), "\(line)")
    }
  }

  @Test("Diagrams can be read by themselves, in both themes", arguments: DiagramTests.names)
  func diagram(name: String) throws {
    let svg = try DiagramTests.text(name)
    for theme in ["light", "dark"] {
      let colors = try Self.colors(of: svg, theme: theme)
      for (ink, paper) in ["ink", "quiet"].flatMap({ ink in ["paper", "fill", "accent"].map { (ink, $0) } }) {
        let contrast = try Self.contrast(#require(colors["\(name)-\(ink)"]), #require(colors["\(name)-\(paper)"]))
        #expect(contrast >= 4.5, "\(name), \(ink) on \(paper), \(theme): \(contrast)")
      }
    }
  }

  @Test func `Black on white has the contrast 21`() {
    #expect(abs(Self.contrast("#000000", "#ffffff") - 21) < 0.001)
  }

  /// The variables of a theme: those before the dark part, with those of the dark part over them.
  private static func colors(of css: String, theme: String) throws -> [String: String] {
    let dark = try #require(css.firstRange(of: #/@media [a-z ]*\(prefers-color-scheme: dark\)/#))
    // The dark part ends where its braces do.
    var depth = 0
    let end = css[dark.upperBound...].indices.first { index in
      if css[index] == "{" { depth += 1 }
      if css[index] == "}" { depth -= 1 }
      return css[index] == "}" && depth == 0
    }
    let parts = [css[..<dark.lowerBound]] + (theme == "dark" ? [css[dark.upperBound..<(try #require(end))]] : [])
    var colors: [String: String] = [:]
    for part in parts {
      for match in part.matches(of: #/--([a-z-]+): (#[0-9a-f]{6});/#) { colors[String(match.1)] = String(match.2) }
    }
    return colors
  }

  private static func contrast(_ one: String, _ other: String) -> Double {
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  private static func luminance(_ color: String) -> Double {
    let value = Int(color.dropFirst(), radix: 16) ?? 0
    let parts = [value >> 16, value >> 8 & 255, value & 255].map { part in
      let part = Double(part) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}
