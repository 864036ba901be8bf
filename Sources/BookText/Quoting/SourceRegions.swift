import Foundation

/// The regions of a Swift file: the lines between `//> name` and `//< name`. A region may contain others.
///
/// If no text shows a region, its mark says so: `//> name hidden`.
public struct SourceRegions: Sendable {
  public struct Region: Sendable {
    public let name: String
    public let isHidden: Bool
    /// The lines of the two marks, counted from 1.
    public let marks: ClosedRange<Int>
  }

  public let regions: [Region]
  public let problems: [BookProblem]

  public init(_ source: String, file: String) {
    var open: [(name: String, isHidden: Bool, line: Int)] = []
    var regions: [Region] = []
    var problems: [BookProblem] = []
    for (index, text) in source.components(separatedBy: "\n").enumerated() {
      let line = index + 1
      if let words = Self.mark("//>", text) {
        guard let name = words.first, words.count == 1 || words == [name, "hidden"] else {
          problems.append(BookProblem(file: file, line: line, "a region's mark is `//> name` or `//> name hidden`"))
          continue
        }
        if regions.contains(where: { $0.name == name }) || open.contains(where: { $0.name == name }) {
          problems.append(BookProblem(file: file, line: line, "there is a second region \"\(name)\""))
        }
        open.append((name, words.count == 2, line))
      } else if let words = Self.mark("//<", text) {
        guard let last = open.last, words == [last.name] else {
          let wanted = open.last.map { ", the innermost open region is \"\($0.name)\"" } ?? ", none is open"
          problems.append(
            BookProblem(file: file, line: line, "`//< \(words.joined(separator: " "))` closes no region\(wanted)"))
          continue
        }
        open.removeLast()
        regions.append(Region(name: last.name, isHidden: last.isHidden, marks: last.line...line))
      }
    }
    problems += open.map { BookProblem(file: file, line: $0.line, "the region \"\($0.name)\" is never closed") }
    self.regions = regions
    self.problems = problems
  }

  /// Whether the line marks the beginning or end of a region.
  public static func isMark(_ line: String) -> Bool { mark("//>", line) != nil || mark("//<", line) != nil }

  private static func mark(_ sign: String, _ line: String) -> [String]? {
    let line = line.trimmingCharacters(in: .whitespaces)
    guard line.hasPrefix(sign) else { return nil }
    return line.dropFirst(sign.count).split(separator: " ").map(String.init)
  }
}
