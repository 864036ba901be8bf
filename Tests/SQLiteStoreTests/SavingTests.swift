import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Saving")
struct SavingTests {
  private let folder = TemporaryFolder()

  private func model() -> NSManagedObjectModel {
    let model = ModelBuilder()
    model.entity(
      "Person", [attribute("email", .stringAttributeType), attribute("age", .integer16AttributeType)],
      unique: [["email"]])
    model.entity("Team", [attribute("name", .stringAttributeType)])
    model.entity("Note", [attribute("text", .stringAttributeType)])
    model.relate(.many("Person", "teams"), .ordered("Team", "members"))
    model.relate(.ordered("Team", "notes"), .one("Note", "team"))
    model.relate(.many("Team", "links"), to: "Note")
    model.relateToItself(.many("Person", "friends"))
    return model.make()
  }

  private func link(
    _ store: SQLiteStore, _ owner: RowSnapshot, _ name: String, added: [RowSnapshot] = [],
    removed: [RowSnapshot] = [], order: [RowSnapshot]? = nil
  ) -> LinkChange {
    let property = store.layouts[owner.entity].property(named: name)!
    return LinkChange(
      owner: owner.reference, relationship: property, added: added.map(\.reference),
      removed: removed.map(\.reference), order: order?.map(\.reference))
  }

  private func members(_ store: SQLiteStore, _ owner: RowSnapshot, _ name: String) throws -> [Int64] {
    try store.members(
      of: store.layouts[owner.entity].property(named: name)!, owner: owner.reference
    ).map(\.key)
  }

  private func commit(_ store: SQLiteStore, _ make: (inout ChangeSet) -> Void) throws -> SaveOutcome {
    var changes = ChangeSet()
    make(&changes)
    return try store.commit(changes)
  }

  @Test("An update writes the changed columns and checks the version")
  func update() throws {
    let model = model()
    let store = try openStore(model, at: folder.file("A.sqlite"))
    let base = try store.insert("Person", [["email": .string("a"), "age": .int(3)]])[0]
    let layout = store.layout("Person")
    let new = row(layout, key: 1, version: 2, ["email": .string("a"), "age": .int(4)])
    var changed = SlotMask()
    changed.insert(layout.property(named: "age")!.slot)
    _ = store.trace!.takeRecorded()
    _ = try commit(store) { $0.updated = [RowUpdate(row: new, base: base, changed: changed)] }
    #expect(
      store.trace!.takeRecorded() == [
        "BEGIN EXCLUSIVE", "UPDATE OR FAIL ZPERSON SET ZAGE = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?",
        "COMMIT",
      ])
    // The same again is based on a version that is gone.
    guard
      case .versionConflicts(let conflicts) = try commit(
        store,
        {
          $0.updated = [RowUpdate(row: new, base: base, changed: changed)]
          $0.inserted = [row(layout, key: 50, ["email": .string("other")])]
        })
    else { throw TestFailure("no conflict") }
    #expect(conflicts.count == 1)
    #expect(conflicts[0].base === base)
    #expect(conflicts[0].persisted?.version == 2)
    #expect(try query("SELECT COUNT(*), MAX(ZAGE), MAX(Z_OPT) FROM ZPERSON", at: folder.file("A.sqlite")) == ["1|4|2"])
    // A deleted row has no persisted one.
    _ = try commit(store) { $0.deleted = [new] }
    guard case .versionConflicts(let gone) = try commit(store, { $0.deleted = [new] }) else {
      throw TestFailure("no conflict")
    }
    #expect(gone[0].persisted == nil)
  }

  @Test("A broken constraint names its rows, and nothing is written")
  func constraints() throws {
    let model = model()
    let store = try openStore(model, at: folder.file("A.sqlite"))
    try store.insert("Person", [["email": .string("a")], [:], [:]])
    let layout = store.layout("Person")
    guard
      case .constraintConflicts(let conflicts) = try commit(
        store,
        {
          $0.inserted = [
            row(layout, key: 10, ["email": .string("a")]), row(layout, key: 11, ["email": .string("new")]),
            row(layout, key: 12, ["email": .string("new")]), row(layout, key: 13, ["email": .string("new")]),
            row(layout, key: 14, ["email": .string("fine")]),
          ]
        })
    else { throw TestFailure("no conflict") }
    #expect(conflicts.count == 2)
    #expect(conflicts[0].constraint == ["email"])
    #expect(conflicts[0].conflicting.map(\.key) == [10])
    #expect(conflicts[0].persisted?.key == 1)
    #expect(conflicts[1].conflicting.map(\.key) == [11, 12, 13])
    #expect(conflicts[1].persisted == nil)
    #expect(try store.all("Person").count == 3)
    // A value may move from a row that goes to one that comes.
    let first = try store.all("Person")[0]
    guard
      case .saved = try commit(
        store,
        {
          $0.deleted = [first]
          $0.inserted = [row(layout, key: 20, ["email": .string("a")])]
        })
    else { throw TestFailure("conflict") }
  }

  @Test("A key that another program took ends the save with a sentence about Z_MAX, and nothing is written")
  func takenKey() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    let key = try store.reserveKeys(1, in: store.layout("Team"))
    _ = try query("INSERT INTO ZTEAM(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(1, 3, 1, 'alien')", at: url)
    let error = #expect(throws: Failure.self) {
      _ = try commit(store) { $0.inserted = [row(store.layout("Team"), key: key, ["name": .string("mine")])] }
    }
    #expect(error?.description.contains("Z_MAX") == true)
    #expect(try query("SELECT ZNAME FROM ZTEAM", at: url) == ["alien"])
  }

  @Test("Many-to-many links are written once, with their order, and go with their owners")
  func joins() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    let people = try store.insert("Person", [[:], [:], [:]])
    let team = try store.insert("Team", [["name": .string("t")]])[0]
    _ = try commit(store) {
      $0.links = [
        link(store, team, "members", added: people, order: [people[2], people[0], people[1]]),
        link(store, people[0], "teams", added: [team]), link(store, people[1], "teams", added: [team]),
      ]
    }
    #expect(try members(store, team, "members") == [3, 1, 2])
    #expect(try members(store, people[1], "teams") == [1])
    #expect(
      try query("SELECT Z_2MEMBERS, Z_FOK_2MEMBERS FROM Z_2TEAMS ORDER BY 2", at: url) == [
        "3|2048", "1|3072", "2|4096",
      ])
    _ = try commit(store) {
      $0.links = [
        link(store, team, "members", removed: [people[0]], order: [people[2], people[1]]),
        link(store, people[0], "teams", removed: [team]),
      ]
    }
    #expect(try members(store, team, "members") == [3, 2])
    _ = try commit(store) { $0.deleted = [people[2]] }
    #expect(try members(store, team, "members") == [2])
    _ = try commit(store) { $0.deleted = [team] }
    #expect(try query("SELECT COUNT(*) FROM Z_2TEAMS", at: url) == ["0"])
  }

  @Test("A relationship that is its own inverse is seen from both ends")
  func symmetric() throws {
    let model = model()
    let store = try openStore(model, at: folder.file("A.sqlite"))
    let people = try store.insert("Person", [[:], [:]])
    _ = try commit(store) { $0.links = [link(store, people[0], "friends", added: [people[1]])] }
    #expect(try members(store, people[0], "friends") == [2])
    #expect(try members(store, people[1], "friends") == [1])
    _ = try commit(store) { $0.links = [link(store, people[1], "friends", removed: [people[0]])] }
    #expect(try members(store, people[0], "friends") == [])
  }

  @Test("An ordered relationship keeps its order, a relationship without inverse its members")
  func orderedAndHidden() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    let team = try store.insert("Team", [[:]])[0]
    let notes = try store.insert("Note", [[:], [:], [:]], to: ["team": team.reference])
    _ = try commit(store) { $0.links = [link(store, team, "notes", order: [notes[1], notes[0], notes[2]])] }
    #expect(try members(store, team, "notes") == [2, 1, 3])
    _ = try commit(store) { $0.links = [link(store, team, "notes", order: [notes[1], notes[2], notes[0]])] }
    #expect(try members(store, team, "notes") == [2, 3, 1])
    _ = try commit(store) { $0.links = [link(store, team, "links", added: [notes[0], notes[2]])] }
    #expect(try members(store, team, "links") == [1, 3])
    _ = try commit(store) { $0.links = [link(store, team, "links", removed: [notes[0]])] }
    #expect(try members(store, team, "links") == [3])
    _ = try commit(store) { $0.deleted = [team] }
    #expect(try query("SELECT COUNT(Z3LINKS) FROM ZNOTE", at: url) == ["0"])
  }

  @Test("Places in an order: gaps are used, old numbers kept")
  func orderKeys() {
    #expect(OrderKeys.assign([nil, nil, nil]) == [2048, 3072, 4096])
    #expect(OrderKeys.assign([2048, nil, 3072]) == [2048, 2560, 3072])
    #expect(OrderKeys.assign([3072, 4096, 2048]) == [3072, 4096, 5120])
    #expect(OrderKeys.assign([nil, 2048]) == [1024, 2048])
    #expect(OrderKeys.assign([1, nil, 2]) == [2048, 3072, 4096])
    #expect(OrderKeys.assign([]) == [])
  }

  @Test("What another connection commits is seen soon, what this store commits at once")
  func freshness() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    try store.insert("Team", [["name": .string("a")]])
    let layout = store.layout("Team")
    #expect(try store.rows(forKeys: [1], in: layout)[0].version == 1)
    _ = try query("UPDATE ZTEAM SET Z_OPT = 2", at: url)
    #expect(try store.all("Team")[0].version == 2)
    _ = try query("UPDATE ZTEAM SET Z_OPT = 3", at: url)
    usleep(60_000)
    #expect(try store.rows(forKeys: [1], in: layout)[0].version == 3)
    let base = try store.all("Team")[0]
    _ = try commit(store) {
      $0.updated = [RowUpdate(row: row(layout, key: 1, version: 4), base: base, changed: SlotMask())]
    }
    #expect(try store.rows(forKeys: [1], in: layout)[0].version == 4)
  }

  @Test("What another connection commits is seen by a reader that is never idle, and by all once one has seen it")
  func busyReaders() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    try store.insert("Team", [["name": .string("a")]])
    let layout = store.layout("Team")
    func version() throws -> Int64 { try store.rows(forKeys: [1], in: layout)[0].version }
    #expect(try version() == 1)
    _ = try query("UPDATE ZTEAM SET Z_OPT = 2", at: url)
    let end = Date(timeIntervalSinceNow: 10)
    while try version() == 1, Date() < end {}
    #expect(try version() == 2)
    try store.pool.read(isFresh: false) { reader in
      _ = try Statement("SELECT Z_OPT FROM ZTEAM", in: reader.database, isKept: false).step()
      _ = try query("UPDATE ZTEAM SET Z_OPT = 3", at: url)
      #expect(try store.all("Team")[0].version == 3)
    }
    // By the reader that was in its transaction meanwhile.
    #expect(try version() == 3)
  }

  @Test("Many threads may read while one writes")
  func threads() throws {
    let model = model()
    let store = try openStore(model, at: folder.file("A.sqlite"))
    try store.insert("Note", (0..<200).map { ["text": .string("\($0)")] })
    let layout = store.layout("Note")
    let failures = LockedCount()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      do {
        for round in 0..<50 {
          if thread == 0 {
            try store.insert("Note", [["text": .string("new")]])
          } else if try store.rows(forKeys: [Int64(round % 200 + 1)], in: layout).count != 1
            || store.all("Note").count < 200
          {
            failures.increment()
          }
        }
      } catch {
        failures.increment()
      }
    }
    #expect(failures.value == 0)
    #expect(try store.all("Note").count == 250)
  }

  @Test("Long binary values live in files that come and go with their rows")
  func externalFiles() throws {
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    let builder = ModelBuilder()
    builder.entity("Photo", [data])
    let model = builder.make()
    let url = folder.file("Photos.sqlite")
    let store = try openStore(model, at: url)
    let long = Data(repeating: 7, count: 200_000)
    let rows = try store.insert("Photo", [["data": .data(long)], ["data": .data(Data([9]))]])
    let files = folder.file(".Photos_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
    #expect(try query("SELECT length(ZDATA), hex(substr(ZDATA, 1, 1)) FROM ZPHOTO", at: url) == ["38|02", "2|01"])
    let property = store.layout("Photo").property(named: "data")!
    var read = try store.all("Photo")
    #expect(try read.map { try $0.data(property) } == [long, Data([9])])
    // No row that refers to the file is to hold it.
    read = []
    _ = try commit(store) { $0.deleted = [rows[0]] }
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
  }
}

private final class LockedCount: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0
  func increment() { lock.withLock { count += 1 } }
  var value: Int { lock.withLock { count } }
}
