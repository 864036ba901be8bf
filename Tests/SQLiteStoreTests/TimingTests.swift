import Foundation
import Testing

@testable import CoreData

/// Timings, printed when STORE_TIMINGS is set; they mean something in a release build only:
/// `STORE_TIMINGS=1 swift test -c release -Xswiftc -enable-testing --filter TimingTests`.
@Suite("Timings", .serialized, .enabled(if: ProcessInfo.processInfo.environment["STORE_TIMINGS"] != nil))
struct TimingTests {
  private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
  }

  private func model() -> NSManagedObjectModel {
    let model = ModelBuilder()
    model.entity("Author", [attribute("name", .stringAttributeType)])
    model.entity(
      "Book",
      [
        attribute("title", .stringAttributeType), attribute("subtitle", .stringAttributeType),
        attribute("isbn", .stringAttributeType), attribute("pages", .integer32AttributeType),
        attribute("rating", .doubleAttributeType), attribute("added", .dateAttributeType),
        attribute("isRead", .booleanAttributeType),
      ])
    model.relate(.one("Book", "author"), .many("Author", "books"))
    return model.make()
  }

  @Test("Insert, fetch all, references, faults, against loops over the same statements")
  func rows() throws {
    let folder = TemporaryFolder()
    let url = folder.file("T.sqlite")
    let model = model()
    let store = try openStore(model, at: url)
    store.trace = nil
    let plain = SQLiteStore(layouts: ModelLayouts.of(model), configurationName: nil, at: url, coordinator: nil)
    plain.trace = nil
    try plain.loadMetadata()
    let layout = plain.layout("Book")
    let count = 100_000
    let first = try plain.reserveKeys(count, in: layout)
    var changes = ChangeSet()
    changes.inserted = (0..<Int64(count)).map { index in
      row(
        layout, key: first + index,
        [
          "title": .string("The Title of the Book number \(index)"), "subtitle": .string("A subtitle"),
          "isbn": .string("978000000\(index)"), "pages": .int(index % 900), "rating": .double(Double(index % 50) / 10),
          "added": .date(Date(timeIntervalSinceReferenceDate: Double(index))), "isRead": .int(index & 1),
        ], to: ["author": RowReference(entity: 0, key: index % 1000 + 1)])
    }
    print("commit of \(count) inserts", try milliseconds { _ = try plain.commit(changes) })
    changes = ChangeSet()
    let reader = try Connection(path: url.path, options: Connection.Options())
    for _ in 0..<5 {
      let loop = try milliseconds {
        let statement = try Statement(
          "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZADDED, t0.ZISBN, t0.ZISREAD, t0.ZPAGES, t0.ZRATING, t0.ZSUBTITLE, "
            + "t0.ZTITLE, t0.ZAUTHOR FROM ZBOOK t0", in: reader.database, isKept: false)
        var sum = 0
        while try statement.step() {
          sum &+= Int(statement.int(1)) &+ Int(statement.int(2)) &+ Int(statement.double(3))
          sum &+= statement.textBytes(4)!.count &+ Int(statement.int(5)) &+ Int(statement.int(6))
          sum &+= Int(statement.double(7)) &+ statement.textBytes(8)!.count &+ statement.textBytes(9)!.count
          sum &+= Int(statement.int(10))
        }
        if sum == 0 { print("") }
      }
      var rows: [RowSnapshot] = []
      let fetch = try milliseconds { rows = try plain.all("Book") }
      let free = milliseconds { rows = [] }
      var description = FetchDescription(layout: layout)
      description.output = .references
      let references = try milliseconds { _ = try plain.rows(for: description) }
      let faults = try milliseconds {
        for key in first..<(first + 100_000) { _ = try plain.rows(forKeys: [key], in: layout) }
      }
      let batches = try milliseconds {
        for start in stride(from: first, to: first + 100_000, by: 100) {
          _ = try plain.rows(forKeys: Array(start..<(start + 100)), in: layout)
        }
      }
      description.predicate = try PredicateParser.predicate("isbn == %@", arguments: ["978000000500"])
      let scan = try milliseconds { for _ in 0..<10 { _ = try plain.rows(for: description) } }
      print(
        String(
          format: "loop %.1f fetch %.1f (%.2f) free %.1f references %.1f faults %.1f batches of 100 %.1f ten scans %.1f",
          loop, fetch, fetch / loop, free, references, faults, batches, scan))
    }
  }

  @Test("Opening a store of 50 entities")
  func opening() throws {
    let folder = TemporaryFolder()
    let builder = ModelBuilder()
    for index in 0..<50 {
      builder.entity("Entity\(index)", (0..<8).map { attribute("name\($0)", .stringAttributeType) })
    }
    for index in 1..<50 { builder.relate(.one("Entity\(index)", "up"), .many("Entity\(index - 1)", "down")) }
    let model = builder.make()
    let layouts = ModelLayouts.of(model)
    let url = folder.file("O.sqlite")
    for round in 0..<6 {
      let time = try milliseconds {
        let store = SQLiteStore(layouts: layouts, configurationName: nil, at: url, coordinator: nil)
        store.trace = nil
        try store.loadMetadata()
      }
      print(round == 0 ? "create" : "open", String(format: "%.2f ms", time))
    }
  }
}
