import Foundation

/// A folder of pages. They are written elsewhere, and moved to their place when all of them are there.
///
/// A file `.pages` in the folder lists them. Only what it lists is replaced or removed when the pages are written
/// again. Other files stay, and one that stands where a page is to go is an error.
final class OutputFolder {
  private static let list = ".pages"
  private static let heading = "Pages of a book or of a report. When they are written again, these files go:"
  private let place: URL
  private let fresh: URL
  /// The pages that were written before, by their paths in the folder.
  private let old: Set<String>
  private var written: Set<String> = []
  private let later: Set<String>

  /// - Parameter later: the files that are written into the folder when the pages are there.
  /// - Throws: `PagesProblem` if something else than pages is at `place`.
  init(replacing place: URL, later: Set<String> = []) throws {
    // A link to a folder stays a link. The folder that it leads to is filled.
    let target = place.standardizedFileURL.resolvingSymlinksInPath()
    (self.place, self.later) = (target, later)
    let files = FileManager.default
    let known = Self.listed(in: target)
    if known == nil, files.fileExists(atPath: place.path) {
      guard (try? files.contentsOfDirectory(atPath: place.path)) == [] else {
        throw PagesProblem(
          "\(place.path) holds something else than pages that were written before. Name another folder, or empty it.")
      }
    }
    old = known ?? []
    fresh = target.deletingLastPathComponent()
      .appendingPathComponent(".\(target.lastPathComponent)-\(UUID().uuidString)", isDirectory: true)
    try files.createDirectory(at: fresh, withIntermediateDirectories: true)
  }

  /// - Parameter file: the path in the folder.
  func write(_ text: String, to file: String) throws { try write(Data(text.utf8), to: file) }

  func write(_ data: Data, to file: String) throws {
    let url = fresh.appendingPathComponent(file)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    written.insert(file)
  }

  func takePlace() throws {
    let new = written.union(later).union([Self.list])
    for path in new.sorted() {
      if let obstacle = obstacle(at: path) {
        throw PagesProblem(
          "\(obstacle) is none of the pages that were written before, and stays. Move it, or name another folder.")
      }
    }
    let files = FileManager.default
    try files.createDirectory(at: place, withIntermediateDirectories: true)
    // Wherever this ends, the list has every page that is there.
    try writeList(of: old.union(new))
    for path in written.sorted() {
      let target = place.appendingPathComponent(path)
      try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      guard rename(fresh.appendingPathComponent(path).path, target.path) == 0 else {
        throw PagesProblem("\(target.path) can't be written: \(String(cString: strerror(errno))).")
      }
    }
    for path in old.subtracting(written) where path != Self.list && obstacle(at: path) == nil {
      unlink(place.appendingPathComponent(path).path)
      var folders = path.split(separator: "/").dropLast()
      // Only an empty folder goes.
      while !folders.isEmpty, rmdir(place.appendingPathComponent(folders.joined(separator: "/")).path) == 0 {
        folders.removeLast()
      }
    }
    try writeList(of: new)
    discard()
  }

  func discard() { try? FileManager.default.removeItem(at: fresh) }

  /// The path of what stands where a file is to go, and is no page of before; nil if nothing does.
  private func obstacle(at path: String) -> String? {
    var url = place
    for name in path.split(separator: "/").dropLast() {
      url.appendPathComponent(String(name))
      guard let type = Self.type(of: url) else { return nil }
      if type != .typeDirectory { return url.path }
    }
    let file = place.appendingPathComponent(path)
    guard let type = Self.type(of: file) else { return nil }
    return type == .typeRegular && old.contains(path) ? nil : file.path
  }

  /// What is at a place, a link as such; nil if nothing is.
  private static func type(of url: URL) -> FileAttributeType? {
    (try? FileManager.default.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType
  }

  private func writeList(of pages: Set<String>) throws {
    let text = ([Self.heading] + pages.sorted()).joined(separator: "\n") + "\n"
    try Data(text.utf8).write(to: place.appendingPathComponent(Self.list), options: .atomic)
  }

  /// The pages that a folder's list has; nil if the folder has no list. A path that leads out of the folder is no page.
  private static func listed(in place: URL) -> Set<String>? {
    let file = place.appendingPathComponent(list)
    guard type(of: file) == .typeRegular, let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    let lines = text.split(separator: "\n").map(String.init)
    guard lines.first == heading else { return nil }
    return Set(
      lines.dropFirst().filter { path in
        path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !["", ".", ".."].contains($0) }
      })
  }
}
