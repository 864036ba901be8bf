import CoreData
import Foundation

/// The header of a SQLite file, and the files beside it.
struct JournalReport {
  let header: DatabaseHeader
  let log: WriteAheadLog?
  /// The size in bytes of a rollback journal left behind; nil if there is none.
  let journal: Int?
  /// The number and total size of the files with long values.
  let externalFiles: (count: Int, bytes: Int)

  init(_ url: URL) throws {
    header = try DatabaseHeader(url)
    let place = DatabasePlace(url)
    log = WriteAheadLog(of: place.url)
    journal = Self.size(place.journal)
    let folder = Self.externalFolder(of: url)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    externalFiles = (
      names.count, names.reduce(0) { $0 + (Self.size(folder.appendingPathComponent($1).path) ?? 0) }
    )
  }

  /// Returns the folder with a store's files of long values.
  static func externalFolder(of store: URL) -> URL {
    ExternalFiles.support(of: store).appendingPathComponent("_EXTERNAL_DATA")
  }

  private static func size(_ path: String) -> Int? {
    ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.intValue
  }

  private var mode: String { header.usesWriteAheadLog ? "write-ahead log" : "rollback journal" }

  func add(to table: inout TextTable) {
    table.add(["file", "\(counted(header.size, "byte")), pages of \(header.pageSize) bytes, \(mode)"])
    if let log {
      var words = "\(counted(log.size, "byte")), \(counted(log.committedFrames, "committed frame"))"
      if log.committedFrames > 0 {
        words += " in \(counted(log.transactions, "transaction"))"
        words +=
          log.pagesNotInMainFile == 0
          ? ", all of them in the main file"
          : "; \(counted(log.pagesNotInMainFile, "page")) of them not yet in the main file"
      }
      table.add(["-wal", words])
    }
    if let journal {
      table.add(["-journal", "\(counted(journal, "byte")) LEFT BEHIND; what is shown is the state before it"])
    }
    if externalFiles.count > 0 {
      table.add([
        "external data", "\(counted(externalFiles.count, "file")), \(counted(externalFiles.bytes, "byte"))",
      ])
    }
  }

  var json: JSONValue {
    .record([
      "mode": .string(header.usesWriteAheadLog ? "wal" : "delete"), "pageSize": .int(header.pageSize),
      "bytes": .int(header.size), "walBytes": .number(log?.size),
      "walCommittedFrames": .number(log?.committedFrames),
      "walTransactions": .number(log?.transactions),
      "walPagesNotInMainFile": .number(log?.pagesNotInMainFile),
      "journalBytes": .number(journal), "externalFiles": .int(externalFiles.count),
      "externalBytes": .int(externalFiles.bytes),
    ])
  }
}
