import Foundation

/// Finds the page numbers, from 1, of the named destinations in a PDF.
///
/// It reads the form that Chromium writes: objects in plain text, each at the beginning of a line; a tree of pages; and
/// a table of destinations, `/01-manual-stack [33 0 R /XYZ 0 841 0]`. A file of another form has no destinations.
struct PrintedPages {
  let numbers: [String: Int]

  init(_ pdf: Data) {
    let file = File(data: pdf)
    var order: [Int: Int] = [:]
    if let root = file.entry(#/\/Pages ([0-9]+) 0 R/#) {
      for (index, page) in file.leaves(below: root, depth: 0).enumerated() { order[page] = index + 1 }
    }
    var numbers: [String: Int] = [:]
    if let table = file.entry(#/\/Dests ([0-9]+) 0 R/#).map(file.object) {
      for match in table.matches(of: #/\/(\S+) \[([0-9]+) 0 R/#) {
        guard let page = Int(match.2), let number = order[page] else { continue }
        numbers[Self.decoded(String(match.1))] = number
      }
    }
    self.numbers = numbers
  }

  /// Decodes a name, in which `#` and two hexadecimal digits stand for a special character.
  private static func decoded(_ name: String) -> String {
    name.replacing(#/#([0-9A-Fa-f]{2})/#) { match in
      UInt8(match.1, radix: 16).map { String(UnicodeScalar($0)) } ?? String(match.0)
    }
  }

  private struct File {
    let data: Data

    /// The text of an object, without the content of a stream.
    func object(_ number: Int) -> String {
      guard let start = data.range(of: Data("\n\(number) 0 obj\n".utf8)),
        let end = data.range(of: Data("\nendobj".utf8), in: start.upperBound..<data.endIndex)
      else { return "" }
      return String(decoding: data[start.upperBound..<end.lowerBound], as: UTF8.self)
    }

    /// The object that an entry of the catalog refers to.
    func entry(_ entry: Regex<(Substring, Substring)>) -> Int? {
      guard let catalog = data.range(of: Data("<</Type /Catalog".utf8)),
        let end = data.range(of: Data("\nendobj".utf8), in: catalog.upperBound..<data.endIndex)
      else { return nil }
      let text = String(decoding: data[catalog.lowerBound..<end.lowerBound], as: UTF8.self)
      return text.firstMatch(of: entry).flatMap { Int($0.1) }
    }

    func leaves(below number: Int, depth: Int) -> [Int] {
      let text = object(number)
      guard depth < 20, let kids = text.firstMatch(of: #/\/Kids \[([^\]]*)\]/#)?.1 else { return [number] }
      return kids.matches(of: #/([0-9]+) 0 R/#).compactMap { Int($0.1) }.flatMap { leaves(below: $0, depth: depth + 1) }
    }
  }
}
