import CoreData

@testable import LibraryCatalogChapter

/// Catalogues in JSON: the reader of records, the fields, the import.
struct CatalogueTarget: FuzzTarget {
  static let name = "catalogue"
  static let longest = 4096

  func run(_ input: [UInt8]) throws {
    let url = try Scratch.write(input, "catalog.json")
    var records: [CatalogRecord] = []
    do {
      let reader = try JSONRecordReader(url: url)
      while let raw = try reader.next() {
        if let record = try? CatalogImporter.record(from: raw, in: url) { records.append(record) }
      }
    } catch { _ = error.localizedDescription.utf8.count }
    for record in records {
      // What we write we read.
      let line = try CatalogExporter.line(record)
      let again = try CatalogFields.record(from: JSONSerialization.jsonObject(with: line))
      if again.title != record.title { fatalError("The title \(record.title) comes back as \(again.title).") }
    }
    guard !records.isEmpty else { return }
    let stack = try LibraryStack(inMemory: [])
    let importer = CatalogImporter(container: stack.container, batchSize: 2)
    _ = try importer.importFiles([url]) { _ in
    } onBadRecord: {
      _ = $0.sentence.utf8.count
    }
  }
}
