import BenchmarkDriver
import CoreData
import LibraryCatalogChapter

/// The import of a catalogue of JSON, as chapter 6 does it: record by record with the chapter's reader, in batches that
/// are saved and forgotten, so that neither the file nor its objects are ever in memory as a whole.
struct Importing {
  let run: Run
  let context: NSManagedObjectContext

  /// How many books are saved together, as in the chapter.
  private static let batchSize = 500

  func importCatalog() throws {
    let catalog = try Catalog(run)
    let before = Memory.now()
    run.measure {
      let records = try CatalogRecords(catalog.url)
      var booksInBatch = 0
      while let record = try records.next() {
        let author = Author(context: context)
        author.name = record.name
        for data in record.books {
          let book = Book(context: context)
          book.set(data)
          book.writer = author
        }
        booksInBatch += record.books.count
        if booksInBatch >= Self.batchSize {
          try context.save()
          context.reset()
          booksInBatch = 0
        }
      }
      try context.save()
      context.reset()
    }
    run.report("rss", Memory.now().peakResident - before.peakResident)
    try catalog.remove()
  }

  /// Making an array of values out of a catalogue, without a store: with Foundation's decoder, which takes the whole
  /// file at once, or with the reader that the import uses.
  static func decode(_ run: Run) throws {
    let catalog = try Catalog(run)
    var authors: [CatalogAuthor] = []
    run.measure {
      if run.variant == "foundation" {
        authors = try catalog.decoded()
      } else {
        let records = try CatalogRecords(catalog.url)
        while let record = try records.next() { authors.append(record) }
      }
    }
    var tally = Tally()
    tally.add(authors)
    run.report(tally)
    run.report("authors", authors.count)
    try catalog.remove()
  }
}

/// The authors of a catalogue, one after the other.
private struct CatalogRecords {
  private let reader: JSONRecordReader
  private let decoder = JSONDecoder()

  init(_ url: URL) throws {
    reader = try JSONRecordReader(url: url)
  }

  func next() throws -> CatalogAuthor? {
    try reader.next().map { try decoder.decode(CatalogAuthor.self, from: $0.bytes) }
  }
}
