import Foundation

/// Runs Chromium to print the whole book. The style sheet does the rest, such as page numbers.
public struct PaperProgram: Sendable {
  /// The PDF, and the page that it is printed from, in the folder of the pages.
  static let file = "book.pdf"
  static let numberedFile = "numbered.html"
  private let url: URL

  /// Finds the program on the search path.
  ///
  /// - Throws: `PagesProblem`, which says how to install it, if it is missing.
  public init(path: String = ProcessInfo.processInfo.environment["PATH"] ?? "") throws {
    guard let url = SearchPath.program("chromium", "chromium-browser", "google-chrome", on: path) else {
      throw PagesProblem("Chromium is not here, which prints the PDF. On Debian: apt-get install chromium")
    }
    self.url = url
  }

  /// Prints the whole book, with an outline of its headings and a list of contents with page numbers.
  ///
  /// A style sheet can't ask Chromium for the page of a heading, so the book is printed twice. The first time the list
  /// has no numbers, and the PDF tells on which pages the headings are. The numbers have a column of their own, so
  /// adding them moves nothing.
  ///
  /// - Parameter folder: the folder that `BookBuilder` built. The PDF is written into it.
  /// - Returns: the PDF's file.
  /// - Throws: `PagesProblem` if nothing was printed.
  public func print(_ folder: URL) throws -> URL {
    let (whole, numbered) = (
      folder.appendingPathComponent(WholeBook.file), folder.appendingPathComponent(Self.numberedFile)
    )
    let file = folder.appendingPathComponent(Self.file)
    defer { try? FileManager.default.removeItem(at: numbered) }
    try print(whole, to: file)
    let pages = PrintedPages(try Data(contentsOf: file))
    let html = try String(contentsOf: whole, encoding: .utf8)
    try Data(WholeBook.numbered(html, by: pages.numbers).utf8).write(to: numbered)
    try print(numbered, to: file)
    return file
  }

  private func print(_ page: URL, to file: URL) throws {
    let profile = FileManager.default.temporaryDirectory.appendingPathComponent("book-pdf-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: profile) }
    let process = Process()
    process.executableURL = url
    // As root, Chromium runs only without its sandbox. That is safe here, because the pages are the project's own.
    process.arguments =
      (geteuid() == 0 ? ["--no-sandbox"] : []) + [
        "--headless", "--disable-gpu", "--user-data-dir=\(profile.path)", "--no-pdf-header-footer",
        "--generate-pdf-document-outline",
        "--print-to-pdf=\(file.path)", page.absoluteString,
      ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0, FileManager.default.fileExists(atPath: file.path) else {
      throw PagesProblem("\(url.path) printed nothing, and ended with \(process.terminationStatus).")
    }
  }
}
