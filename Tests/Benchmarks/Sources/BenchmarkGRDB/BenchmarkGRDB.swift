import BenchmarkDriver
import GRDB

/// The GRDB driver. Its variants are the ways in which a program may use GRDB:
/// `statement` prepared statements, `index` structs decoded by column index, `hand` records with hand-written
/// coding, `codable` records coded by Codable, `changes` hand-written records that update only what changed,
/// `pool` a pool: its serialised writer, and a read transaction for each look-up.
@main
struct BenchmarkGRDB {
  static func main() throws {
    let run = Run()
    if run.variant == "pool" {
      let pool = try openPool(run)
      switch run.operation {
      case "write1", "writefull": try writeBlocks(run, pool: pool, booksPerBlock: 1)
      case "writebeside": try writeBesideReader(run, pool: pool)
      case "write10": try writeBlocks(run, pool: pool, booksPerBlock: 10)
      case "write100": try writeBlocks(run, pool: pool, booksPerBlock: 100)
      case "indexed": try lookUpOneByOne(run, pool: pool)
      default: run.unknownOperation()
      }
      return try pool.close()
    }

    if try Relating.run(run) { return }
    let queue = try openQueue(run)
    let reading = Reading(run: run, queue: queue)
    let writing = Writing(run: run, queue: queue)
    let following = Following(run: run, queue: queue)
    switch (run.variant, run.operation) {
    case ("statement", "insert"): try writing.insertByStatement()
    case ("hand", "insert"): try writing.insertRecords(HandBook.self)
    case ("codable", "insert"): try writing.insertRecords(CodableBook.self)

    case ("statement", "batchinsert"): try writing.insertByStatement(withWriters: false)
    case ("hand", "batchinsert"): try writing.insertRecords(HandBook.self, withWriters: false)
    case ("statement", "import"): try writing.importCatalog()

    case ("index", "fetch"): try reading.fetchByIndex()
    case ("hand", "fetch"): try reading.fetchRecords(HandBook.self)
    case ("codable", "fetch"): try reading.fetchRecords(CodableBook.self)

    case ("index", "faults"): try reading.fetchKeys()

    case ("index", "fire"): try reading.fireByIndex()
    case ("hand", "fire"): try reading.fireRecords(HandBook.self)

    case ("changes", "update"): try writing.updateRecords(HandBook.self, changesOnly: true)
    case ("hand", "update"): try writing.updateRecords(HandBook.self, changesOnly: false)
    case ("codable", "update"): try writing.updateRecords(CodableBook.self, changesOnly: false)

    case ("hand", "delete"): try writing.deleteRecords(HandBook.self)

    case ("index", "indexed"): try reading.indexedByIndex()
    case ("hand", "indexed"): try reading.indexedRecords(HandBook.self)

    case ("hand", "scan"): try reading.scanRecords(HandBook.self)

    case ("index", "traverse"): try following.traverseByIndex()
    case ("hand", "traverse"): try following.traverseRecords()
    case ("index", "prefetch"): try following.prefetchByIndex()
    case ("hand", "prefetch"): try following.prefetchRecords()

    case ("index", "memory"): try reading.memoryByIndex()
    case ("hand", "memory"): try reading.memoryOfRecords(HandBook.self)
    case ("codable", "memory"): try reading.memoryOfRecords(CodableBook.self)

    default: run.unknownOperation()
    }
    try queue.close()
  }
}
