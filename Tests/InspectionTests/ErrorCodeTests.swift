import Foundation
import Testing

@testable import Inspection

@Suite("The error codes")
struct ErrorCodeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func source(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("Each code of Core Data's that the module throws is explained, under its right name")
  func complete() throws {
    let thrown = try source("Sources/CoreData/Errors/Failure+NSError.swift") + source("Sources/CoreData/Model/AttributeLimits.swift")
    let declared = try source("Sources/CoreData/Errors/ErrorCodes.swift").matches(of: #/let (NS\w+Error): Int = ([0-9]+)/#)
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
    let sources = try ["Failure+NSError", "ExternalFileProblem"].map { try source("Sources/CoreData/Errors/\($0).swift") }
    let named = sources.joined().matches(of: #/\.((?:fileRead|fileWrite)\w+|userCancelled)/#).map { String($0.1) }
    #expect(Set(named).count == codes.count, "\(Set(named).sorted())")
  }

  @Test("No code is explained twice, and they stand in order within their part")
  func unique() {
    let codes = ErrorCode.all.map(\.code)
    #expect(Set(codes).count == codes.count)
  }

  @Test("The book's page has a section for each code, with the same words and a section that breaks it, or says that none does")
  func page() throws {
    let page = try source("Chapters/G-ErrorCodes/README.md")
    let sections = page.components(separatedBy: "\n### ").dropFirst()
    #expect(sections.map { String($0.prefix { $0.isNumber }) } == ErrorCode.all.map { "\($0.code)" })
    for (section, code) in zip(sections, ErrorCode.all) {
      let words = section.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacing("`", with: "")
      #expect(words.contains(code.constant) && words.contains(code.meaning) && words.contains(code.remedy), "\(code.code)")
      #expect(words.contains("**See it:**"), "\(code.code)")
    }
  }
}
