import BookText
import Foundation
import Inspection
import Testing

@Suite("The error codes")
struct ErrorCodeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func source(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("Each code of Core Data's that the module throws is explained, under its right name")
  func complete() throws {
    let thrown =
      try source("Sources/CoreData/Errors/Failure+NSError.swift")
      + source("Sources/CoreData/Model/AttributeLimits.swift")
    let declared = try source("Sources/CoreData/Errors/ErrorCodes.swift").matches(
      of: #/let (NS\w+Error): Int = ([0-9]+)/#)
    #expect(declared.count > 40)
    for match in declared where thrown.contains("\(match.1)") && !thrown.contains("\(match.1)Key") {
      let code = try #require(Int(match.2))
      #expect(ErrorCode.find(code)?.constant == String(match.1), "\(code)")
    }
  }

  @Test("Each of Cocoa's codes for files that the module throws is explained")
  func files() throws {
    let codes: [CocoaError.Code] = [
      .fileReadUnknown, .fileReadNoPermission, .fileReadInvalidFileName, .fileReadCorruptFile, .fileReadNoSuchFile,
      .fileReadTooLarge, .fileWriteUnknown, .fileWriteNoPermission, .fileWriteFileExists, .fileWriteOutOfSpace,
      .fileWriteVolumeReadOnly, .userCancelled,
    ]
    for code in codes { #expect(ErrorCode.find(code.rawValue) != nil, "\(code.rawValue)") }
    let sources = try ["Failure+NSError", "ExternalFileProblem"].map {
      try source("Sources/CoreData/Errors/\($0).swift")
    }
    let named = sources.joined().matches(of: #/\.((?:fileRead|fileWrite)\w+|userCancelled)/#).map { String($0.1) }
    #expect(Set(named).count == codes.count, "\(Set(named).sorted())")
  }

  @Test("No code is explained twice, and they stand in order within their part")
  func unique() {
    let codes = ErrorCode.all.map(\.code)
    #expect(Set(codes).count == codes.count)
  }

  @Test(
    "The book's page has a section for each code, with the same words and a section that breaks it, or says that none does"
  )
  func page() throws {
    let page = try source("Chapters/G-ErrorCodes/README.md")
    let sections = page.components(separatedBy: "\n### ").dropFirst()
    #expect(sections.map { String($0.prefix { $0.isNumber }) } == ErrorCode.all.map { "\($0.code)" })
    for (section, code) in zip(sections, ErrorCode.all) {
      let words = section.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing("`", with: "")
      #expect(
        words.contains(code.constant) && words.contains(code.meaning) && words.contains(code.remedy), "\(code.code)")
      #expect(words.contains("**See it:**"), "\(code.code)")
    }
  }

  @Test("A section that the book's page names for a code speaks of that code")
  func sections() throws {
    let page = try source("Chapters/G-ErrorCodes/README.md")
    var count = 0
    for (section, code) in zip(page.components(separatedBy: "\n### ").dropFirst(), ErrorCode.all) {
      let words = section.components(separatedBy: "\n## ")[0].split(whereSeparator: \.isWhitespace).joined(
        separator: " ")
      let place = try #require(words.components(separatedBy: "**See it:**").dropFirst().first, "\(code.code)")
      let links = MarkdownText(place).links.map(\.target)
      #expect(links.isEmpty == place.contains("no chapter provokes this one"), "\(code.code)")
      for link in links {
        #expect(
          try linkedText(link).matches(of: #/[0-9]+/#).contains { $0.0 == "\(code.code)" }, "\(code.code) at \(link)")
      }
      count += links.count
    }
    #expect(count > 20)
  }

  /// The section that a link from the page of codes leads to; of a link to a whole chapter, what stands before its
  /// first section.
  private func linkedText(_ link: String) throws -> String {
    let parts = link.components(separatedBy: "#")
    let text = MarkdownText(try source("Chapters/G-ErrorCodes/" + parts[0]))
    let headings = text.headings
    let index = parts.count == 1 ? 0 : try #require(headings.firstIndex { $0.anchor == parts[1] }, "\(link)")
    let level = parts.count == 1 ? 2 : headings[index].level
    let end = headings[(index + 1)...].first { $0.level <= level }?.line ?? text.lines.count + 1
    return text.lines[(headings[index].line - 1)..<(end - 1)].joined(separator: "\n")
  }
}
