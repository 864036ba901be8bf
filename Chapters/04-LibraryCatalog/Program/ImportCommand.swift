import ArgumentParser
import ChapterSupport
import Foundation
import LibraryCatalogChapter
import StoreFileReader

struct ImportCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Bring catalogue files into the library.")

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "JSON catalogues; without any, the one that comes with the program.", valueName: "file"))
  var files: [String] = []

  @Flag(help: "Stop at the first bad record and leave the library as it was.")
  var strict = false

  @Option(name: .customLong("batch"), help: "How many records are looked up and saved together.")
  var batchSize = 500

  @Flag(help: "Say at the end, on standard error, how much memory the program has held at most.")
  var memory = false

  func validate() throws {
    guard (1...10_000).contains(batchSize) else {
      throw ValidationError("--batch is a number from 1 to 10000.")
    }
  }

  @MainActor func perform() async throws {
    let folder = try LibraryFolder.open(store)
    let urls = try catalogs()
    if strict {
      do {
        try CatalogImporter.check(urls)
      } catch {
        throw ChapterFailure("\(ChapterFailure(error).sentence) Nothing was imported.")
      }
    }
    let stack = try LibraryStack(folder: folder)
    let bar = ProgressBar()
    let importer = CatalogImporter(container: stack.container, batchSize: batchSize)
    let report = try importer.importFiles(
      urls, strict: strict,
      progress: { bar.show($0.file.lastPathComponent, done: $0.bytesRead, of: $0.length) },
      onBadRecord: { bar.interrupt($0.sentence) })
    bar.clear()
    try stack.close()

    Output.line("read          \(report.read)")
    Output.line("added         \(report.added)")
    Output.line("already there \(report.alreadyThere)")
    Output.line("bad           \(report.bad)")
    let file = try StoreFileReader(contentsOf: stack.url)
    Output.line(
      "in the file   \(Output.count(try file.rowCount(of: "ZBOOK"), "book")), "
        + "\(Output.count(try file.rowCount(of: "ZAUTHOR"), "author")), "
        + "\(Output.count(try file.rowCount(of: "ZSUBJECT"), "subject"))")
    if memory {
      FileHandle.standardError.write(Data("peak memory \(PeakMemory.bytes / 1024) KiB\n".utf8))
    }
  }

  private func catalogs() throws -> [URL] {
    if !files.isEmpty { return files.map { URL(fileURLWithPath: $0) } }
    guard let shipped = CatalogImporter.shippedCatalog else {
      throw ChapterFailure("The catalogue catalog.json is missing from the program's resources.")
    }
    return [shipped]
  }
}

/// A bar on a terminal; nothing where the output goes into a file.
private final class ProgressBar {
  private let isShown = isatty(STDERR_FILENO) == 1
  private static let width = 30

  func show(_ name: String, done: Int, of total: Int) {
    guard isShown, total > 0 else { return }
    let filled = Self.width * done / total
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.width - filled)
    write("\r\u{1B}[K\(name) [\(bar)] \(100 * done / total)%")
  }

  /// Prints a line of its own; the bar comes again below it.
  func interrupt(_ line: String) {
    clear()
    write(line + "\n")
  }

  func clear() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
