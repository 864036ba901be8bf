import ArgumentParser
import ChapterSupport
import Foundation
import LibraryCatalogChapter
import StoreFileReader

extension CatalogImporter.Duplicates: ExpressibleByArgument {}

struct ImportCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Bring catalogue files into the library.",
    discussion: """
      Bad records are named, counted and left out. The exit code is 0 if at least one record could be used, or there \
      were none, and 1 if all of them were bad, or the import could not go on.
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "JSON catalogues; without any, the one that comes with the program.", valueName: "file"))
  var files: [String] = []

  @Flag(help: "Stop at the first bad record and leave the library as it was.")
  var strict = false

  @Option(name: .customLong("batch"), help: "How many records are looked up and saved together.")
  var batchSize = 500

  @Option(
    help: "What to do about what the library has already: look it up before, refuse it, or merge it.")
  var duplicates: CatalogImporter.Duplicates = .lookUp

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
    let importer = CatalogImporter(
      container: stack.container, batchSize: batchSize, duplicates: duplicates)
    let report: CatalogImporter.Report
    do {
      report = try importer.importFiles(
        urls, strict: strict,
        progress: { bar.show($0.file.lastPathComponent, done: $0.bytesRead, of: $0.length) },
        onBadRecord: { bar.interrupt($0.sentence) })
    } catch {
      bar.clear()
      let stopped = error as? CatalogImporter.Stopped
      let breaches = ConstraintBreach.all(in: stopped?.underlying ?? error)
      if breaches.isEmpty { throw error }
      for breach in breaches { Output.line(breach.sentence) }
      let code = ((stopped?.underlying ?? error) as NSError).code
      let added = stopped?.report.added ?? 0
      throw ChapterFailure(
        "save() says \(code): \(Output.count(breaches.count, "constraint")) would be broken. "
          + "\(Output.count(added, "new book")) of earlier batches \(added == 1 ? "stays" : "stay").")
    }
    bar.clear()
    try stack.close()
    report.show(inserting: duplicates != .lookUp)
    try StoreFileReader(contentsOf: stack.url).showCounts()
    if report.isAllBad {
      let records = report.bad == 1 ? "The only record is bad" : "All \(report.bad) records are bad"
      throw ChapterFailure("\(records); nothing was imported.")
    }
    if memory {
      FileHandle.standardError.write(Data("peak memory \(PeakMemory.bytes / 1024) KiB\n".utf8))
    }
  }

  private func catalogs() throws -> [URL] { try CatalogFiles.urls(of: files) }
}

extension CatalogImporter.Report {
  /// - Parameter inserting: Whether everything was inserted, and a save then decided what is new.
  func show(inserting: Bool = false) {
    Output.line("read          \(read)")
    Output.line("\(inserting ? "inserted     " : "added        ") \(added)")
    Output.line("already there \(alreadyThere)")
    Output.line("bad           \(bad)")
  }
}

extension StoreFileReader {
  /// How many rows of each kind the library's file has.
  func showCounts() throws {
    Output.line(
      "in the file   \(Output.count(try rowCount(of: "ZBOOK"), "book")), "
        + "\(Output.count(try rowCount(of: "ZAUTHOR"), "author")), "
        + "\(Output.count(try rowCount(of: "ZSUBJECT"), "subject"))")
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
    write("\r\u{1B}[K\(name.visible(inOneLine: true)) [\(bar)] \(100 * done / total)%")
  }

  /// Prints a line of its own; the bar comes again below it.
  func interrupt(_ line: String) {
    clear()
    write(line.visible() + "\n")
  }

  func clear() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
