import Foundation

/// A folder that is filled elsewhere, and moved to its final place when it is complete.
struct OutputFolder {
  private let place: URL
  private let fresh: URL

  /// - Throws: `PagesProblem` if the folder at `place` doesn't look like a book's pages, and so must not be replaced.
  init(replacing place: URL) throws {
    // A link to a folder stays a link. The folder that it leads to is replaced.
    self.place = place.standardizedFileURL.resolvingSymlinksInPath()
    let files = FileManager.default
    if files.fileExists(atPath: place.path) {
      let names = (try? files.contentsOfDirectory(atPath: place.path)) ?? [""]
      guard names.isEmpty || Set(names).isSuperset(of: ["index.html", "book.css"]) else {
        throw PagesProblem("\(place.path) holds something else than a book's pages. Name another folder, or empty it.")
      }
    }
    fresh = self.place.deletingLastPathComponent()
      .appendingPathComponent(".\(self.place.lastPathComponent)-\(UUID().uuidString)", isDirectory: true)
    try files.createDirectory(at: fresh, withIntermediateDirectories: true)
  }

  /// - Parameter file: the path in the folder.
  func write(_ text: String, to file: String) throws { try write(Data(text.utf8), to: file) }

  func write(_ data: Data, to file: String) throws {
    let url = fresh.appendingPathComponent(file)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  func takePlace() throws {
    let files = FileManager.default
    if files.fileExists(atPath: place.path) { try files.removeItem(at: place) }
    try files.moveItem(at: fresh, to: place)
  }

  func discard() { try? FileManager.default.removeItem(at: fresh) }
}
