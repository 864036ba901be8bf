import ArgumentParser
import ChapterSupport
import Foundation
import LibraryCatalogChapter
import StoreFileReader

struct TourCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "tour",
    abstract: "Import twice, then ask the file and the library the same questions.")

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp(
      "JSON catalogues; without any, the one that comes with the program.", valueName: "file"))
  var files: [String] = []

  @Option(name: .customLong("batch"), help: "How many records are looked up and saved together.")
  var batchSize = 500

  @Option(help: "The word to look for.")
  var word = "austen"

  func validate() throws {
    guard batchSize > 0 else { throw ValidationError("--batch must be at least 1.") }
  }

  @MainActor func perform() async throws {
    let folder = try LibraryFolder.open(store)
    let urls = try CatalogFiles.urls(of: files)
    let stack = try LibraryStack(folder: folder)
    let importer = CatalogImporter(container: stack.container, batchSize: batchSize)
    for heading in ["Import", "Import again"] {
      Output.heading(heading)
      try importer.importFiles(urls).show()
    }

    //> tour-sources
    let json = try JSONListDataSource(url: urls[0])
    let library = CoreDataListDataSource(stack)
    for source in [json, library] as [any ListDataSource] {
      Output.heading("\(word), from \(source.name)")
      try show(source, BookQuery(text: word, order: .year))
    }
    //< tour-sources
    Output.heading("Titles with e, from \(library.name)")
    let condition = try BookCondition(#"titleSort BEGINSWITH "e""#)
    try show(library, BookQuery(condition: condition))

    Output.heading("In the file")
    try stack.close()
    try StoreFileReader(contentsOf: stack.url).showCounts()
  }

  @MainActor private func show(_ source: any ListDataSource, _ query: BookQuery) throws {
    let books = try source.books(matching: query, offset: 0, limit: 3)
    Output.table(books.map { [$0.firstPublished.map(String.init) ?? "", $0.title, $0.authorLine] })
    let total = try source.numberOfBooks(matching: query)
    Output.line("\(books.count) of \(Output.count(total, "book"))")
  }
}

enum CatalogFiles {
  /// The files that were named, or the catalogue that comes with the program.
  static func urls(of files: [String]) throws -> [URL] {
    if !files.isEmpty { return files.map { URL(fileURLWithPath: $0) } }
    guard let shipped = CatalogImporter.shippedCatalog else {
      throw ChapterFailure("The catalogue catalog.json is missing from the program's resources.")
    }
    return [shipped]
  }
}
