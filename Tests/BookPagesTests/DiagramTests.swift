import Foundation
import Testing

@testable import BookPages

@Suite("Pictures") struct DiagramTests {
  static let folder = projectRoot.appendingPathComponent("Chapters/Diagrams")
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".svg") }.map { String($0.dropLast(4)) }.sorted()

  static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent("\(name).svg"), encoding: .utf8)
  }

  @Test func `The book has its five diagrams`() {
    #expect(Set(Self.names).isSuperset(of: ["fault", "queues", "save", "stack", "tables"]))
  }

  @Test("A diagram has a title and a description, which it names", arguments: names)
  func isDescribed(name: String) throws {
    let tags = Self.tags(try Self.text(name))
    #expect(tags.first?["role"] == "img")
    #expect(tags.first?["aria-labelledby"] == "\(name)-title \(name)-desc")
    #expect(tags.contains { $0.name == "title" && $0["id"] == "\(name)-title" })
    #expect(tags.contains { $0.name == "desc" && $0["id"] == "\(name)-desc" })
  }

  @Test("Names in a diagram begin with its file's name, so that several can stand in a page", arguments: names)
  func namesAreItsOwn(name: String) throws {
    let svg = try Self.text(name)
    for tag in Self.tags(svg) {
      for value in [tag["id"], tag["class"]].compactMap({ $0 }) { #expect(value.hasPrefix("\(name)-"), "\(value)") }
    }
    for match in svg.matches(of: #/\n\s*\.([a-z-]+)/#) { #expect(match.1.hasPrefix("\(name)-")) }
  }

  @Test("No text is smaller than 13 pixels where the diagram is 640 wide", arguments: names)
  func textIsLarge(name: String) throws {
    let svg = try Self.text(name)
    let width = try #require(svg.firstMatch(of: #/viewBox="0 0 (\d+) /#).flatMap { Double($0.1) })
    for match in svg.matches(of: #/([0-9.]+)px/#) {
      #expect((Double(match.1) ?? 0) * 640 / width >= 13)
    }
  }

  @Test("A diagram's tags are closed", arguments: names)
  func isBalanced(name: String) throws {
    #expect(unbalanced(try Self.text(name)) == nil)
  }

  private static func tags(_ svg: String) -> [HTMLTag] {
    HTMLPiece.pieces(of: svg).compactMap { if case .tag(let tag) = $0, !tag.isEnd { tag } else { nil } }
  }
}

/// The first place where tags don't match; nil if all do.
func unbalanced(_ html: String) -> String? {
  var open: [String] = []
  for piece in HTMLPiece.pieces(of: html) {
    guard case .tag(let tag) = piece, !tag.isVoid else { continue }
    if !tag.isEnd {
      open.append(tag.name)
    } else if open.popLast() != tag.name {
      return "</\(tag.name)> closes no <\(tag.name)>"
    }
  }
  return open.last.map { "<\($0)> is never closed" }
}
