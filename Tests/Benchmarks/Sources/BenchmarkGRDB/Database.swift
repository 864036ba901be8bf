import BenchmarkDriver
import BenchmarkWorkload
import GRDB

/// GRDB's settings for all variants: the pragmas that all drivers set.
func configuration(_ operation: String) -> Configuration {
  var configuration = Configuration()
  configuration.foreignKeysEnabled = false
  // While a connection closes or another is opened, the writer may find the database locked.
  configuration.busyMode = .timeout(10)
  configuration.prepareDatabase { db in
    guard !db.configuration.readonly else { return }
    for pragma in sharedPragmas(operation) {
      try db.execute(sql: "PRAGMA \(pragma.name) = \(pragma.value)")
    }
  }
  return configuration
}

/// Opens a database queue, and fails if a pragma is not what all drivers agreed on.
func openQueue(_ run: Run) throws -> DatabaseQueue {
  let queue = try DatabaseQueue(path: run.path, configuration: configuration(run.operation))
  try queue.inDatabase { try checkPragmas($0, run) }
  return queue
}

/// Opens a pool; its writer must have the pragmas on which all drivers agreed. The pool sets `synchronous` of
/// its own accord while it opens, so it is set again here.
func openPool(_ run: Run) throws -> DatabasePool {
  let pool = try DatabasePool(path: run.path, configuration: configuration(run.operation))
  try pool.writeWithoutTransaction { db in
    for pragma in sharedPragmas(run.operation) {
      try db.execute(sql: "PRAGMA \(pragma.name) = \(pragma.value)")
    }
    try checkPragmas(db, run)
  }
  return pool
}

private func checkPragmas(_ db: Database, _ run: Run) throws {
  for pragma in sharedPragmas(run.operation) {
    let value = try String.fetchOne(db, sql: "PRAGMA \(pragma.name)") ?? "nothing"
    if value != pragma.readBack {
      fail("BenchmarkGRDB: \(run.path): PRAGMA \(pragma.name) is \(value), not \(pragma.readBack)")
    }
  }
}

private func sharedPragmas(_ operation: String) -> [(name: String, value: String, readBack: String)] {
  var count = 0
  let pragmas = benchmark_pragmas(operation, &count)!
  return (0..<count).map {
    (
      String(cString: pragmas[$0].name), String(cString: pragmas[$0].value),
      String(cString: pragmas[$0].readBack)
    )
  }
}

/// The columns of a book in the order in which `IndexBook` and the statements name them.
let bookColumns = "Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR, ZISBN, ZPAGES, ZPRICE, ZPUBLISHED, ZINPRINT, ZWRITER"
