import CoreData
import PostgreSQLStore
import PrivateServer

/// The stores of set-ups that keep their books on a PostgreSQL server: each in a schema of its own, on a server that
/// ends with this program.
///
/// A set-up finds the store's URL in the file `info.storeName`.
final class ServerPlaces {
  private let server: PrivateServer

  init() throws {
    // As with a file, a commit waits for the disk.
    do { server = try PrivateServer(isDurable: true) } catch let problem as PrivateServer.NoServer {
      throw ComparisonFailure("No PostgreSQL server can be started: \(problem.description).")
    }
  }

  deinit { server.stop() }

  /// A store of its own, and the file in `folder` that has its URL.
  func place(_ fixture: StoreFixtures.Fixture, in folder: URL, named name: String) throws -> ServerPlace {
    let url = server.newStoreURL()
    if let (model, count) = try fixture.content() {
      try StoreFixtures.fill(url, type: NSPostgreSQLStoreType, model: model, count: count)
    }
    try Data(url.absoluteString.utf8).write(to: folder.appendingPathComponent(name))
    let schema = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == "schema" }
    return ServerPlace(server: server, schema: schema?.value ?? "")
  }

  func listen(in folder: URL) -> ServerSwitch.Listener { ServerSwitch.Listener(server, in: folder) }
}

/// A store on the server, read by `psql`, which has nothing to do with the stack.
struct ServerPlace: StorePlace {
  let server: PrivateServer
  let schema: String

  func state(rowsBefore: Int?) -> FaultOutcome.FileState {
    do {
      // All columns of all rows are read.
      let rows = try server.rows("SELECT count(*), sum(length(b::text)) FROM \(schema).zbook b")
      return FaultOutcome.FileState(
        rowsBefore: rowsBefore, rowsAfter: rows.first.flatMap { Int($0[0]) }, integrity: "ok")
    } catch {
      return FaultOutcome.FileState(rowsBefore: rowsBefore, integrity: "\(error)")
    }
  }

  func pages(ofBook number: Int) -> Int? {
    let rows = try? server.rows("SELECT zpages FROM \(schema).zbook WHERE zisbn = '\(Book.isbn(number))'")
    return rows?.first.flatMap { Int($0[0]) }
  }
}
