import Foundation

/// Finds the code that the book's blocks quote.
///
/// One thread at a time may use it, because it keeps what it has read.
public final class Quoter {
  let book: Book
  private var files: [String: [String]] = [:]
  private var structures: [String: SwiftStructure] = [:]

  public init(book: Book) { self.book = book }

  /// The quotation of a block; nil if the block names no file.
  ///
  /// - Throws: `BookProblem` for the block's first line if there is no such file, region, symbol, element or line, or
  ///   if the name is ambiguous.
  public func quotation(of block: FencedBlock, on page: Page) throws -> Quotation? {
    guard let file = block["file"] else { return nil }
    do {
      let lines = try lines(of: file)
      let (name, range) = try range(of: block, in: file)
      let first = neighbour(of: range.lowerBound, step: -1, count: try number("before", of: block), in: lines)
      let last = neighbour(of: range.upperBound, step: 1, count: try number("after", of: block), in: lines)
      return Quotation(
        file: file, name: name,
        enclosing: file.hasSuffix(".swift") ? try structure(of: file).declaration(around: range)?.label : nil,
        lines: shown(first...last, of: lines, core: range))
    } catch let problem as BookProblem {
      throw page.problem(block.lines.lowerBound, problem.sentence)
    }
  }

  /// The two sides of a difference; nil if the block isn't a difference.
  public func difference(of block: FencedBlock, on page: Page) throws -> SourceDifference? {
    guard block["difference"] != nil else { return nil }
    do {
      guard let from = block["from"], let to = block["to"] else {
        throw BookProblem(file: page.path, "a difference names two places: from=FILE#NAME to=FILE#NAME")
      }
      return SourceDifference(from: try side(from), to: try side(to))
    } catch let problem as BookProblem {
      throw page.problem(block.lines.lowerBound, problem.sentence)
    }
  }

  /// Finds `FILE#NAME`, where the name is that of a region or a symbol.
  private func side(_ place: String) throws -> Quotation {
    let parts = place.split(separator: "#", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw BookProblem(file: place, "\"\(place)\" is not FILE#NAME") }
    let lines = try lines(of: parts[0])
    let range =
      try region(parts[1], in: parts[0]) ?? symbol(parts[1], in: parts[0], withDocumentation: false)
    return Quotation(
      file: parts[0], name: parts[1], enclosing: try structure(of: parts[0]).declaration(around: range)?.label,
      lines: shown(range, of: lines, core: range))
  }

  // MARK: Finding lines

  private func range(of block: FencedBlock, in file: String) throws -> (name: String?, ClosedRange<Int>) {
    if let name = block["region"] {
      guard let range = try region(name, in: file) else {
        throw BookProblem(file: file, "there is no region \"\(name)\" in \(file)")
      }
      return (name, range)
    }
    if let name = block["symbol"] {
      return (name, try symbol(name, in: file, withDocumentation: block["docs"] == "yes"))
    }
    if let name = block["element"] { return (name, try element(name, in: file)) }
    let count = try lines(of: file).count
    guard count > 0 else { throw BookProblem(file: file, "\(file) is empty") }
    guard let text = block["lines"] else { return (nil, 1...count) }
    let ends = text.split(separator: "-").compactMap { Int($0) }
    guard ends.count == 2, ends[0] >= 1, ends[0] <= ends[1], ends[1] <= count else {
      throw BookProblem(file: file, "lines=\(text) is not FIRST-LAST within the \(count) lines of \(file)")
    }
    return (text, ends[0]...ends[1])
  }

  private func region(_ name: String, in file: String) throws -> ClosedRange<Int>? {
    let text = try lines(of: file)
    let regions = SourceRegions(text.joined(separator: "\n"), file: file)
    guard let region = regions.regions.first(where: { $0.name == name }) else { return nil }
    guard region.marks.count > 2 else { throw BookProblem(file: file, "the region \"\(name)\" of \(file) is empty") }
    return (region.marks.lowerBound + 1)...(region.marks.upperBound - 1)
  }

  private func symbol(_ name: String, in file: String, withDocumentation: Bool) throws -> ClosedRange<Int> {
    let found = try structure(of: file).declarations(named: name)
    guard let declaration = found.first else {
      throw BookProblem(file: file, "there is no region and no symbol \"\(name)\" in \(file)")
    }
    guard found.count == 1 else {
      let names = Set(found.map(\.path)).sorted().joined(separator: ", ")
      throw BookProblem(file: file, "\"\(name)\" means \(found.count) declarations of \(file): \(names)")
    }
    var first = declaration.lines.lowerBound
    if withDocumentation {
      let lines = try lines(of: file)
      while first > 1, lines[first - 2].trimmingCharacters(in: .whitespaces).hasPrefix("///") { first -= 1 }
    }
    return first...declaration.lines.upperBound
  }

  /// The lines of the first element with this `name`. It expects elements to begin and end on lines of their own.
  private func element(_ name: String, in file: String) throws -> ClosedRange<Int> {
    let lines = try lines(of: file)
    guard let first = lines.firstIndex(where: { $0.contains(" name=\"\(name)\"") }),
      let tag = lines[first].firstMatch(of: #/<([A-Za-z]+)/#)?.1
    else { throw BookProblem(file: file, "there is no element named \"\(name)\" in \(file)") }
    let indent = lines[first].prefix { $0 == " " }
    let last =
      lines[first].hasSuffix("/>")
      ? first : lines[first...].firstIndex { $0.hasPrefix("\(indent)</\(tag)>") || $0 == "\(indent)/>" }
    guard let last else {
      throw BookProblem(file: file, "the element \"\(name)\" of \(file) has no end on a line of its own")
    }
    return (first + 1)...(last + 1)
  }

  private func number(_ name: String, of block: FencedBlock) throws -> Int {
    guard let text = block[name] else { return 0 }
    guard let number = Int(text), number >= 0 else {
      throw BookProblem(file: "", "\(name)=\(text) is not a number of lines")
    }
    return number
  }

  // MARK: Text

  /// The line that is `count` lines away, without counting marks of regions. It stops at the ends of the file.
  private func neighbour(of line: Int, step: Int, count: Int, in lines: [String]) -> Int {
    var (line, left) = (line, count)
    while left > 0, lines.indices.contains(line - 1 + step) {
      line += step
      if !SourceRegions.isMark(lines[line - 1]) { left -= 1 }
    }
    return line
  }

  /// The lines without marks of regions and without empty lines at both ends. Their common indentation is removed.
  private func shown(_ range: ClosedRange<Int>, of lines: [String], core: ClosedRange<Int>) -> [Quotation.Line] {
    var numbers = range.filter { !SourceRegions.isMark(lines[$0 - 1]) }
    while let last = numbers.last, lines[last - 1].allSatisfy(\.isWhitespace) { numbers.removeLast() }
    while let first = numbers.first, lines[first - 1].allSatisfy(\.isWhitespace) { numbers.removeFirst() }
    let indents = numbers.map { lines[$0 - 1] }.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
    let indent = indents.min() ?? 0
    return numbers.map {
      Quotation.Line(number: $0, text: String(lines[$0 - 1].dropFirst(indent)), isContext: !core.contains($0))
    }
  }

  private func lines(of file: String) throws -> [String] {
    if let lines = files[file] { return lines }
    var lines = try book.text(file).components(separatedBy: "\n")
    if lines.last == "" { lines.removeLast() }
    files[file] = lines
    return lines
  }

  private func structure(of file: String) throws -> SwiftStructure {
    if let structure = structures[file] { return structure }
    let structure = SwiftStructure(try lines(of: file).joined(separator: "\n"))
    structures[file] = structure
    return structure
  }
}
