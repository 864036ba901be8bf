import Foundation

/// Chromium, which prints the whole book: page numbers and the rest are in the style sheet.
public struct PaperProgram: Sendable {
  private let url: URL

  /// Looks for it on the search path.
  ///
  /// - Throws: `PagesProblem`, which says how to get it, if it isn't there.
  public init(path: String = ProcessInfo.processInfo.environment["PATH"] ?? "") throws {
    guard let url = SearchPath.program("chromium", "chromium-browser", "google-chrome", on: path) else {
      throw PagesProblem("Chromium is not here, which prints the PDF. On Debian: apt-get install chromium")
    }
    self.url = url
  }

  /// Prints the whole book, with an outline of its headings.
  ///
  /// - Parameter folder: What `BookBuilder` built; the PDF is put into it.
  /// - Returns: The PDF's file.
  /// - Throws: `PagesProblem` if nothing was printed.
  public func print(_ folder: URL) throws -> URL {
    let file = folder.appendingPathComponent("book.pdf")
    let profile = FileManager.default.temporaryDirectory.appendingPathComponent("book-pdf-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: profile) }
    let process = Process()
    process.executableURL = url
    // As root Chromium runs only without its sandbox; the pages are the project's own.
    process.arguments = (geteuid() == 0 ? ["--no-sandbox"] : []) + [
      "--headless", "--disable-gpu", "--user-data-dir=\(profile.path)", "--no-pdf-header-footer", "--generate-pdf-document-outline",
      "--print-to-pdf=\(file.path)", folder.appendingPathComponent(WholeBook.file).absoluteString,
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0, FileManager.default.fileExists(atPath: file.path) else {
      throw PagesProblem("\(url.path) printed nothing, and ended with \(process.terminationStatus).")
    }
    return file
  }
}
