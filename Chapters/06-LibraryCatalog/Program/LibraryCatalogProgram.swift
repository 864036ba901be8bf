import ArgumentParser
import ChapterSupport
import Foundation
import LibraryCatalogChapter
import StoreFileReader

@main
struct LibraryCatalogProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "LibraryCatalog",
    abstract: "A catalogue of books: out of a JSON file, or imported into a Core Data store.",
    subcommands: [
      ImportCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, StatsCommand.self,
      ExportCommand.self, GenerateCommand.self, TourCommand.self,
    ])

  static func main() { ChapterProgram.run(Self.self) }
}

/// The library's folder, opened the way a command needs it.
enum LibraryFolder {
  /// For an import: made if there is none.
  static func open(_ store: StoreOptions) throws -> URL {
    try store.openFolder(for: "LibraryCatalog", stores: [LibraryStack.storeName])
  }

  /// For reading: a library that is not there is an error, and is not made by looking for it.
  static func openExisting(_ store: StoreOptions, announcing: Bool = true) throws -> LibraryStack {
    guard !store.startsFresh else {
      throw ValidationError("--fresh empties the library before it is read; use it with import.")
    }
    let folder = try store.openFolder(
      for: "LibraryCatalog", stores: [LibraryStack.storeName], announcing: announcing)
    let url = folder.appendingPathComponent(LibraryStack.storeName)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ChapterFailure("There is no library \(url.path) yet; import a catalogue first.")
    }
    return try LibraryStack(folder: folder)
  }
}

/// `--json FILE` or the library: the same commands for both.
struct SourceOptions: ParsableArguments {
  @OptionGroup var store: StoreOptions

  @Option(
    name: .customLong("json"),
    help: ArgumentHelp("Read this JSON file and not the library.", valueName: "file"))
  var file: String?

  @MainActor func open(announcing: Bool = true) throws -> any ListDataSource {
    if let file { return try JSONListDataSource(url: URL(fileURLWithPath: file)) }
    return CoreDataListDataSource(try LibraryFolder.openExisting(store, announcing: announcing))
  }
}
