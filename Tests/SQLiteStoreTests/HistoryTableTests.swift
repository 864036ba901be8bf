import Testing

@testable import CoreData

@Suite("The tables of persistent history")
struct HistoryTableTests {
  private static let tables = [
    "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
      + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )",
    "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
      + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, "
      + "ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
    "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
    "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
    "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
    "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
    "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
    "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
    "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
    "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
  ]

  private func thing(preserving names: [String] = []) -> NSManagedObjectModel {
    let builder = ModelBuilder()
    let entity = builder.entity(
      "Thing",
      ["a", "b", "c"].map { name in
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = .stringAttributeType
        attribute.isOptional = true
        attribute.preservesValueInHistoryOnDeletion = names.contains(name)
        return attribute
      })
    _ = entity
    return builder.make()
  }

  private func withFile(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appendingPathComponent("s.sqlite"))
  }

  /// Opens a store, runs the body on a context, and closes it.
  private func with(
    _ url: URL, _ model: NSManagedObjectModel, tracks: Bool = true, isReadOnly: Bool = false,
    _ body: (NSManagedObjectContext) throws -> Void = { _ in }
  ) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [
        NSPersistentHistoryTrackingKey: tracks as NSNumber, NSReadOnlyPersistentStoreOption: isReadOnly as NSNumber,
      ])
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { try body(context) }
    try coordinator.remove(store)
  }

  private func rows(_ url: URL, _ sql: String) throws -> [[String?]] {
    try Connection(path: url.path, options: Connection.Options()).rows(sql)
  }

  private func history(_ context: NSManagedObjectContext) throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    return try (context.execute(request) as! NSPersistentHistoryResult).result as! [NSPersistentHistoryTransaction]
  }

  private func add(_ context: NSManagedObjectContext, _ values: [String: String] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  private static let own = "name LIKE 'ACHANGE%' OR name LIKE 'ATRANSACTION%' OR name LIKE 'Z!_TRANSACTION%' ESCAPE '!'"

  @Test("A tracked store has the tables, indexes and numbers; an untracked one has none")
  func made() throws {
    try withFile { url in
      try with(url, thing(), tracks: false)
      #expect(try rows(url, "SELECT sql FROM sqlite_master WHERE \(Self.own)").isEmpty)
      try with(url, thing())
      #expect(try rows(url, "SELECT sql FROM sqlite_master WHERE \(Self.own)").map { $0[0] } == Self.tables)
      #expect(
        try rows(url, "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
          ["16001", "CHANGE", "0", "0"], ["16002", "TRANSACTION", "0", "0"], ["16003", "TRANSACTIONSTRING", "0", "0"],
        ])
    }
    try withFile { url in
      try with(url, thing())
      #expect(try rows(url, "SELECT sql FROM sqlite_master WHERE \(Self.own)").map { $0[0] } == Self.tables)
    }
  }

  @Test("A change of a key that no row can have is refused with the table's name", arguments: [0, -5, Int.min])
  func damagedKey(_ key: Int) throws {
    try withFile { url in
      try with(url, thing()) { context in
        _ = add(context)
        try context.save()
      }
      _ = try rows(url, "UPDATE ACHANGE SET ZENTITYPK = \(key)")
      try with(url, thing()) { context in
        let error = #expect(throws: NSError.self) { try history(context) }
        #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
        #expect(error?.localizedDescription.contains("ACHANGE") == true, "\(error as Any)")
      }
    }
  }

  @Test("Rows hold numbers of entities, keys, bits by name from the highest, and texts once")
  func rowsWritten() throws {
    try withFile { url in
      try with(url, thing(preserving: ["c", "a"])) { context in
        context.transactionAuthor = "me"
        let object = add(context, ["a": "1", "c": "3"])
        try context.save()
        object.setValue("2", forKey: "b")
        object.setValue("4", forKey: "c")
        try context.save()
        context.delete(object)
        try context.save()
      }
      #expect(
        try rows(
          url,
          "SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, HEX(ZCOLUMNS), "
            + "ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE") == [
            ["1", "16001", nil, "0", "1", "1", "1", "", nil, nil],
            ["2", "16001", nil, "1", "1", "1", "2", "60", nil, nil],
            ["3", "16001", nil, "2", "1", "1", "3", "", "1", "4"],
          ])
      #expect(
        try rows(url, "SELECT Z_ENT, Z_OPT, ZCONTEXTNAMETS, ZAUTHOR, ZQUERYGEN FROM ATRANSACTION WHERE Z_PK = 1")
          == [["16002", nil, nil, nil, nil]])
      #expect(
        try rows(
          url, "SELECT DISTINCT ZNAME FROM ATRANSACTION JOIN ATRANSACTIONSTRING s ON s.Z_PK = ZAUTHORTS") == [["me"]])
      #expect(
        try rows(url, "SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002)")
          == [["16001", "3"], ["16002", "3"]])
      #expect(
        try rows(url, "SELECT (SELECT MAX(Z_PK) FROM ATRANSACTIONSTRING) = Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16003")
          == [["1"]])
    }
  }

  @Test("Columns for preserved values are added when a model needs more of them")
  func growing() throws {
    try withFile { url in
      try with(url, thing()) { context in
        _ = add(context)
        try context.save()
      }
      let connection = try Connection(path: url.path, options: Connection.Options())
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE0 BLOB")
      #expect(try HistoryTables(connection).areComplete(tombstones: 1))
      #expect(try !HistoryTables(connection).areComplete(tombstones: 2))
      #expect(
        try HistoryTables(connection).statements(tombstones: 2).first { $0.hasPrefix("ALTER") }
          == "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE1 BLOB")
    }
  }

  @Test("A history whose transactions hold their texts themselves, as older systems wrote it, is read and continued")
  func older() throws {
    try withFile { url in
      try with(url, thing(), tracks: false) { context in
        _ = add(context)
        try context.save()
      }
      for sql in [
        "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
          + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )",
        "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT, "
          + "ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR )",
        "INSERT INTO ATRANSACTION VALUES (7, 16002, NULL, 100.5, 'old', 'b', 'c', 'p')",
        "INSERT INTO ACHANGE VALUES (9, 16001, NULL, 0, 1, 1, 7, NULL), (10, 16001, NULL, 1, 1, 1, 7, x'A0'), "
          + "(11, 16001, NULL, 1, 1, 1, 7, x'01'), (12, 16001, NULL, 0, 99, 1, 7, NULL)",
      ] { _ = try rows(url, sql) }
      func isOld(_ transaction: NSPersistentHistoryTransaction) -> Bool {
        transaction.author == "old" && transaction.bundleID == "b" && transaction.contextName == "c"
          && transaction.processID == "p" && transaction.timestamp.timeIntervalSinceReferenceDate == 100.5
          && transaction.changes?.map { $0.updatedProperties.map { $0.map(\.name).sorted() } ?? [] }
            == [[], ["a", "c"], []]
      }
      try with(url, thing(), isReadOnly: true) { context in
        let found = try history(context)
        #expect(found.map(isOld) == [true])
      }
      try with(url, thing()) { context in
        context.transactionAuthor = "new"
        _ = add(context)
        try context.save()
        let found = try history(context)
        #expect(found.map(\.transactionNumber) == [7, 8] && isOld(found[0]))
        #expect(found[1].author == "new" && found[1].changes?.map(\.changeID) == [13])
      }
    }
  }

  @Test("A read-only store without history says so when it is asked")
  func readOnly() throws {
    try withFile { url in
      try with(url, thing(), tracks: false)
      try with(url, thing(), isReadOnly: true) { context in
        do {
          _ = try history(context)
          Issue.record("There is a history.")
        } catch let error as NSError {
          #expect(error.code == 134091)
        }
      }
    }
  }

  @Test("Bits stand for properties in the order of their names, of an entity's own list")
  func bits() throws {
    let builder = ModelBuilder()
    func text(_ name: String) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      return attribute
    }
    let hidden = text("aside")
    hidden.isTransient = true
    builder.entity("Note", [text("title"), text("body"), text("pinned"), hidden])
    builder.entity("Memo", [text("alarm")], parent: "Note")
    builder.entity("Folder", [text("name")])
    builder.relate(.one("Note", "folder"), .many("Folder", "notes"))
    let layouts = ModelLayouts.of(builder.make())
    func bits(_ entity: String, _ names: [String]) -> [UInt8] {
      let layout = layouts.layout(named: entity)!
      var slots = SlotMask()
      for name in names { slots.insert(layout.property(named: name)!.slot) }
      return HistoryColumns(layout).bitmap(slots, toMany: [])
    }
    #expect(bits("Note", ["body"]) == [0x80])
    #expect(bits("Note", ["folder", "title"]) == [0x50])
    #expect(bits("Memo", ["body", "alarm"]) == [0xC0])
    let folder = layouts.layout(named: "Folder")!
    let links = [ToManyChange(update: 0, number: folder.property(named: "notes")!.toManyIndex)]
    #expect(HistoryColumns(folder).bitmap(SlotMask(), toMany: links[...]) == [0x40])
    let known: [UInt8] = [0xC0]
    #expect(known.withUnsafeBytes { HistoryColumns(folder).properties($0) }?.map(\.name) == ["name", "notes"])
    let strange: [UInt8] = [0x20]
    #expect(strange.withUnsafeBytes { HistoryColumns(folder).properties($0) } == nil)
  }
}
