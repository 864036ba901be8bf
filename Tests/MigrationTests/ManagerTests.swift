import CSQLite
import CoreData
import Foundation
import Testing

@Suite("Migration managers")
struct ManagerTests {
  let folder: ManagerFolder

  init() throws { folder = try ManagerFolder() }

  @Test("Attributes, relationships and orders come through a mapping", arguments: ManagerStore.allCases)
  func everything(_ kind: ManagerStore) throws {
    let (old, new) = (ManagerLibrary.old(), ManagerLibrary.new())
    let (from, to) = (folder.store("old"), folder.store("new"))
    try ManagerStack.fill(kind, old, from, ManagerLibrary.fill)
    let before = try Data(contentsOf: from)
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    try manager.migrateStore(
      from: from, type: kind.type, mapping: ManagerLibrary.mapping(), to: to, type: kind.type)
    #expect(manager.migrationProgress == 1)
    #expect(manager.reportedProgress.fractionCompleted == 1)
    #expect(try Data(contentsOf: from) == before)
    try ManagerStack.read(kind, new, to) { try ManagerLibrary.check($0) }
    try ManagerStack.read(kind, old, from) {
      let found = try $0.number(of: "Book")
      #expect(found == 4)
    }
  }

  @Test("A migration's progress can be observed, until the observation ends", arguments: ManagerStore.allCases)
  func observedProgress(_ kind: ManagerStore) throws {
    let (old, new, from) = (ManagerLibrary.old(), ManagerLibrary.new(), folder.store("old"))
    try ManagerStack.fill(kind, old, from, ManagerLibrary.fill)
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    var (told, former, priors): ([Float], [Float], [Bool]) = ([], [], [])
    let values = manager.observe(\.migrationProgress, options: [.old, .new]) { manager, change in
      #expect(change.kind == .setting && !change.isPrior && change.newValue == manager.migrationProgress)
      told.append(change.newValue ?? -1)
      former.append(change.oldValue ?? -1)
    }
    let calls = manager.observe(\.migrationProgress, options: [.initial, .prior]) { _, change in
      #expect(change.newValue == nil && change.oldValue == nil)
      priors.append(change.isPrior)
    }
    try manager.migrateStore(
      from: from, type: kind.type, mapping: ManagerLibrary.mapping(), to: folder.store("new"), type: kind.type)
    #expect(told.count > 1 && told.last == 1 && told == told.sorted())
    #expect(former == [0] + told.dropLast())
    #expect(priors == [false] + told.flatMap { _ in [true, false] })
    values.invalidate()
    let count = told.count
    try manager.migrateStore(
      from: from, type: kind.type, mapping: ManagerLibrary.mapping(), to: folder.store("newer"), type: kind.type)
    #expect(told.count == count && priors.count > 2 * count + 1)
    withExtendedLifetime(calls) {}
  }

  @Test("A manager with a progress of its own tells observers of it")
  func ownProgress() {
    final class OwnProgress: NSMigrationManager {
      private var own: Float = 0
      override var migrationProgress: Float { own }
      func go(to progress: Float) {
        willChangeValue(forKey: "migrationProgress")
        own = progress
        didChangeValue(forKey: "migrationProgress")
      }
    }
    let manager = OwnProgress(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new())
    var told: [Float?] = []
    let observation = manager.observe(\.migrationProgress, options: [.old, .new]) { _, change in
      told += [change.oldValue, change.newValue]
    }
    manager.go(to: 0.25)
    manager.go(to: 1)
    #expect(told == [0, 0.25, 0.25, 1])
    withExtendedLifetime(observation) {}
  }

  @Test(
    "A subclass may override the models, and hears of the progress by an override",
    arguments: ManagerStore.allCases)
  func overridden(_ kind: ManagerStore) throws {
    final class Follower: NSMigrationManager {
      private let old: NSManagedObjectModel
      private let new: NSManagedObjectModel
      private(set) var told: [Float] = []

      override init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        old = sourceModel
        new = destinationModel
        super.init()
      }

      override var sourceModel: NSManagedObjectModel { old }
      override var destinationModel: NSManagedObjectModel { new }
      override func didChangeValue(forKey key: String) {
        super.didChangeValue(forKey: key)
        if key == "migrationProgress" { told.append(migrationProgress) }
      }
    }
    let (old, new) = (ManagerLibrary.old(), ManagerLibrary.new())
    let (from, to) = (folder.store("old"), folder.store("new"))
    try ManagerStack.fill(kind, old, from, ManagerLibrary.fill)
    let manager = Follower(sourceModel: old, destinationModel: new)
    try manager.migrateStore(
      from: from, type: kind.type, mapping: ManagerLibrary.mapping(), to: to, type: kind.type)
    #expect(manager.told.count > 1 && manager.told.last == 1 && manager.told == manager.told.sorted())
    try ManagerStack.read(kind, new, to) { try ManagerLibrary.check($0) }
    #expect(NSMigrationManager().sourceModel.entities.isEmpty)
  }

  @Test("A mapping without a name is called after its entities, with an arrow")
  func defaultName() throws {
    let mapping = NSEntityMapping()
    mapping.sourceEntityName = "Book"
    mapping.destinationEntityName = "Volume"
    #expect(mapping.name == "Book->Volume")
    mapping.name = "BookToVolume"
    mapping.destinationEntityName = "Work"
    #expect(mapping.name == "BookToVolume")
    mapping.name = nil
    #expect(mapping.name == "Book->Work")
    let model = NSMappingModel()
    model.entityMappings = [mapping]
    #expect(model.entityMappingsByName["Book->Work"] === mapping)
  }

  @Test("A store of one type becomes one of another", arguments: ManagerStore.allCases)
  func otherType(_ kind: ManagerStore) throws {
    let other = kind == .sqlite ? ManagerStore.xml : .sqlite
    let (from, to) = (folder.store("old"), folder.store("new"))
    try ManagerStack.fill(kind, ManagerLibrary.old(), from, ManagerLibrary.fill)
    try NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new()).migrateStore(
      from: from, sourceType: kind.type.rawValue, options: nil, with: ManagerLibrary.mapping(),
      toDestinationURL: to, destinationType: other.type.rawValue, destinationOptions: nil)
    try ManagerStack.read(other, ManagerLibrary.new(), to) { try ManagerLibrary.check($0) }
  }

  @Test(
    "A store of a configuration becomes one of the configuration with its name, unless mappings lead out of it",
    arguments: ManagerStore.allCases, [false, true])
  func configurations(_ kind: ManagerStore, inPlace: Bool) throws {
    typealias Models = InferenceModels
    func model(_ properties: [NSPropertyDescription], note: String) -> NSManagedObjectModel {
      let model = Models.model(.init("Note", properties), .init("Tag", [Models.attribute("name")]))
      model.setEntities([model.entitiesByName[note]!], forConfigurationName: "Notes")
      model.setEntities([model.entitiesByName[note == "Note" ? "Tag" : "Note"]!], forConfigurationName: "Tags")
      return model
    }
    let old = model([Models.attribute("text")], note: "Note")
    let from = folder.store("old")
    func opened<Result>(
      _ model: NSManagedObjectModel, _ name: String?, _ url: URL, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: kind.type.rawValue, configurationName: name, at: url, options: nil)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let result = try context.performAndWait { try body(context) }
      try coordinator.remove(store)
      return result
    }
    try opened(old, "Notes", from) { context in
      context.make("Note", ["text": "a"])
      try context.save()
    }
    for (note, name) in [("Note", "Notes"), ("Tag", nil)] as [(String, String?)] {
      let new = model([Models.attribute("text"), Models.attribute("more")], note: note)
      let to = folder.store("new \(note)")
      let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
      manager.usesStoreSpecificMigrationManager = inPlace
      try manager.migrateStore(
        from: from, type: kind.type,
        mapping: .inferredMappingModel(forSourceModel: old, destinationModel: new), to: to, type: kind.type)
      let texts = try opened(new, name, to) { context in
        try context.all("Note", by: "text").compactMap { $0.text("text") }
      }
      #expect(texts == ["a"])
    }
  }

  @Test("A mapping that is inferred works through objects", arguments: ManagerStore.allCases)
  func inferred(_ kind: ManagerStore) throws {
    typealias Models = InferenceModels
    let old = Models.model(
      .init("Author", [Models.attribute("name"), Models.toMany("books", "Book", back: "author", isOrdered: true)]),
      .init("Book", [Models.attribute("title"), Models.toOne("author", "Author", back: "books")]))
    let new = Models.model(
      .init(
        "Writer", was: "Author",
        [
          Models.attribute("fullName", was: "name"),
          Models.toMany("works", "Book", back: "author", was: "books", isOrdered: true),
        ]),
      .init(
        "Book",
        [
          Models.attribute("title"), Models.attribute("pages", .integer32AttributeType, isOptional: false, default: 7),
          Models.toOne("author", "Writer", back: "works"),
        ]))
    let (from, to) = (folder.store("old"), folder.store("new"))
    try ManagerStack.fill(kind, old, from) { context in
      let books = ["z", "a"].map { context.make("Book", ["title": $0]) }
      context.make("Author", ["name": "Ada", "books": NSOrderedSet(array: books)])
    }
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = false
    try manager.migrateStore(from: from, type: kind.type, mapping: mapping, to: to, type: kind.type)
    try ManagerStack.read(kind, new, to) { context in
      let writer = try #require(context.all("Writer", by: "fullName").first)
      #expect(writer.text("fullName") == "Ada")
      #expect(writer.texts("works", "title") == ["z", "a"])
      #expect(try context.all("Book", by: "title").map { $0.value(forKey: "pages") as? Int } == [7, 7])
    }
  }

  @Test("Every type of value comes through, long ones out of their files", arguments: ManagerStore.allCases)
  func values(_ kind: ManagerStore) throws {
    typealias Models = InferenceModels
    func version(_ name: String) -> NSManagedObjectModel {
      let data = Models.attribute("data", .binaryDataAttributeType)
      data.allowsExternalBinaryDataStorage = true
      let list = Models.attribute("list", .transformableAttributeType)
      list.valueTransformerName = "NSSecureUnarchiveFromData"
      return Models.model(
        .init(
          name,
          [
            Models.attribute("text"), Models.attribute("flag", .booleanAttributeType), data, list,
            Models.attribute("short", .integer16AttributeType), Models.attribute("double", .doubleAttributeType),
            Models.attribute("float", .floatAttributeType), Models.attribute("decimal", .decimalAttributeType),
            Models.attribute("date", .dateAttributeType), Models.attribute("uuid", .UUIDAttributeType),
            Models.attribute("url", .URIAttributeType), Models.attribute("nothing"),
            Models.attribute("memory", isTransient: true),
          ]))
    }
    let names = [
      "text", "flag", "data", "list", "short", "double", "float", "decimal", "date", "uuid", "url", "nothing",
    ]
    let values: [String: Any] = [
      "text": "Zoë", "flag": true, "data": Data(repeating: 7, count: 300_000), "list": ["a", "b"] as NSArray,
      "short": -3, "double": 0.1, "float": Float(2.5), "decimal": NSDecimalNumber(string: "12.34"),
      "date": Date(timeIntervalSinceReferenceDate: 12.5), "uuid": UUID(), "url": URL(string: "https://a.b/c")!,
    ]
    let (old, new) = (version("Thing"), version("Item"))
    let (from, to) = (folder.store("old.store"), folder.store("new.store"))
    try ManagerStack.fill(kind, old, from) { $0.make("Thing", values) }
    let mapping = ManagerMappings.model(
      ManagerMappings.map(
        "Thing", "Item", Dictionary(uniqueKeysWithValues: names.map { ($0, "$source.\($0)") })))
    try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
      from: from, type: kind.type, mapping: mapping, to: to, type: kind.type)
    try ManagerStack.read(kind, new, to) { context in
      let item = try #require(context.all("Item", by: "text").first)
      for (name, value) in values {
        #expect((item.value(forKey: name) as? NSObject) == (value as AnyObject as? NSObject), "\(name)")
      }
      #expect(item.value(forKey: "nothing") == nil)
    }
  }

  @Test("What stands in SQLite's log only is migrated")
  func log() throws {
    let (from, to) = (folder.store("old"), folder.store("new"))
    let open = try ManagerStack(.sqlite, ManagerLibrary.old(), from)
    try open.context.performAndWait {
      ManagerLibrary.fill(open.context)
      try open.context.save()
    }
    try NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new()).migrateStore(
      from: from, type: .sqlite, mapping: ManagerLibrary.mapping(), to: to, type: .sqlite)
    try ManagerStack.read(.sqlite, ManagerLibrary.new(), to) { try ManagerLibrary.check($0) }
    try open.close()
  }

  @Test("A store that is at the destination keeps its objects and gets the new ones", arguments: ManagerStore.allCases)
  func appending(_ kind: ManagerStore) throws {
    let (from, to) = (folder.store("old"), folder.store("new"))
    try ManagerStack.fill(kind, ManagerLibrary.old(), from, ManagerLibrary.fill)
    try ManagerStack.fill(kind, ManagerLibrary.new(), to) { $0.make("Shelf", ["place": "here"]) }
    let manager = NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new())
    for _ in 0..<2 {
      try manager.migrateStore(
        from: from, type: kind.type, mapping: ManagerLibrary.mapping(), to: to, type: kind.type)
    }
    try ManagerStack.read(kind, ManagerLibrary.new(), to) { context in
      try expect(context, 1, "Shelf")
      try expect(context, 8, "Book")
    }
  }

  @Test("The client's metadata go along to a new store", arguments: ManagerStore.allCases)
  func metadata(_ kind: ManagerStore) throws {
    let (from, to) = (folder.store("old"), folder.store("new"))
    try ManagerStack.fill(kind, ManagerLibrary.old(), from, ManagerLibrary.fill)
    try NSPersistentStoreCoordinator.setMetadata(["note": "mine"], type: kind.type, at: from)
    try NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new()).migrateStore(
      from: from, type: kind.type, mapping: ManagerLibrary.mapping(), to: to, type: kind.type)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: to)
    #expect(metadata["note"] as? String == "mine")
    #expect(ManagerLibrary.new().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
  }

  // What goes wrong.

  @Test("A source that is not there is an error 134150, and nothing is made", arguments: ManagerStore.allCases)
  func missingSource(_ kind: ManagerStore) throws {
    let manager = NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new())
    let error = managerError {
      try manager.migrateStore(
        from: folder.store("old"), type: kind.type, mapping: ManagerLibrary.mapping(), to: folder.store("new"),
        type: kind.type)
    }
    #expect(error?.code == NSMigrationManagerSourceStoreError)
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
    #expect(try folder.names == [])
  }

  @Test("A relationship of the source that can't be read is an error 134150, and nothing is left of the new store")
  func unreadableRelationship() throws {
    let old = folder.store("old")
    try ManagerStack.fill(.sqlite, ManagerLibrary.old(), old, ManagerLibrary.fill)
    try damageJoinTable(old)
    let manager = NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new())
    let error = managerError {
      try manager.migrateStore(
        from: old, type: .sqlite, mapping: ManagerLibrary.mapping(), to: folder.store("new"), type: .sqlite)
    }
    #expect(error?.code == NSMigrationManagerSourceStoreError, "\(error as Any)")
    #expect(try folder.names == ["old"])
  }

  /// Overwrites the pages on which the tags of books begin, table and index.
  private func damageJoinTable(_ url: URL) throws {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    try #require(sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    let query = "SELECT rootpage FROM sqlite_master WHERE tbl_name GLOB 'Z_[0-9]*TAGS'"
    try #require(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
    var pages: [Int] = []
    while sqlite3_step(statement) == SQLITE_ROW { pages.append(Int(sqlite3_column_int64(statement, 0))) }
    try #require(!pages.isEmpty)
    let file = try FileHandle(forUpdating: url)
    for page in pages {
      try file.seek(toOffset: UInt64((page - 1) * 4096))
      try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
    }
    try file.close()
  }

  /// Books lead to one writer, tags to many books.
  @Test(
    "New objects that can't be read again are an error 134160, and nothing is left of the new store",
    arguments: ["Book", "Tag"])
  func unreadableDestination(_ entity: String) throws {
    try ManagerStack.fill(.sqlite, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    let mapping = ManagerLibrary.mapping(policy: DamagingPolicy.self)
    for part in mapping.entityMappings ?? [] where part.sourceEntityName == entity { part.userInfo = ["damages": true] }
    let manager = NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new())
    let error = managerError {
      try manager.migrateStore(
        from: folder.store("old"), type: .sqlite, options: nil, mapping: mapping, to: folder.store("new"),
        type: .sqlite, options: [NSSQLitePragmasOption: ["journal_mode": "delete"]])
    }
    #expect(error?.code == NSMigrationManagerDestinationStoreError, "\(error as Any)")
    #expect(try folder.names == ["old"])
  }

  @Test("A destination that can't be made is an error 134160", arguments: ManagerStore.allCases)
  func missingFolder(_ kind: ManagerStore) throws {
    try ManagerStack.fill(kind, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    let manager = NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new())
    let error = managerError {
      try manager.migrateStore(
        from: folder.store("old"), type: kind.type, mapping: ManagerLibrary.mapping(),
        to: folder.store("nowhere/new"), type: kind.type)
    }
    #expect(error?.code == NSMigrationManagerDestinationStoreError)
  }

  @Test("No mapping model is an error 134140, a store in memory is refused by name")
  func refusals() throws {
    try ManagerStack.fill(.sqlite, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    let manager = NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new())
    let missing = managerError {
      try manager.migrateStore(
        from: folder.store("old"), sourceType: NSSQLiteStoreType, options: nil, with: nil,
        toDestinationURL: folder.store("new"), destinationType: NSSQLiteStoreType, destinationOptions: nil)
    }
    #expect(missing?.code == NSMigrationMissingMappingModelError)
    let memory = managerError {
      try manager.migrateStore(
        from: folder.store("old"), type: .sqlite, mapping: ManagerLibrary.mapping(), to: folder.store("new"),
        type: .inMemory)
    }
    #expect(memory?.localizedDescription.contains("store in memory") == true)
  }

  @Test("Values that a uniqueness constraint does not allow are an error 134111", arguments: ManagerStore.allCases)
  func constraint(_ kind: ManagerStore) throws {
    typealias Models = InferenceModels
    let old = Models.model(.init("Tag", [Models.attribute("name")]))
    let new = Models.model(.init("Tag", unique: [["name"]], [Models.attribute("name")]))
    try ManagerStack.fill(kind, old, folder.store("old")) { context in
      for name in ["a", "b", "a"] { context.make("Tag", ["name": name]) }
    }
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    let error = managerError {
      try manager.migrateStore(
        from: folder.store("old"), type: kind.type,
        mapping: ManagerMappings.model(ManagerMappings.map("Tag", "Tag", ["name": "$source.name"])),
        to: folder.store("new"), type: kind.type)
    }
    #expect(error?.code == NSMigrationConstraintViolationError)
    #expect(error?.localizedDescription.contains("name \"a\"") == true, "\(String(describing: error))")
    #expect(try folder.names == ["old"])
  }

  @Test("Objects that break a rule of the new model are named by validation's error", arguments: ManagerStore.allCases)
  func validation(_ kind: ManagerStore) throws {
    let (old, new) = (ManagerLibrary.old(), ManagerLibrary.new())
    try ManagerStack.fill(kind, old, folder.store("old")) { $0.make("Book", ["title": "Orphan"]) }
    let error = managerError {
      try NSMigrationManager(sourceModel: old, destinationModel: new).migrateStore(
        from: folder.store("old"), type: kind.type, mapping: ManagerLibrary.mapping(), to: folder.store("new"),
        type: kind.type)
    }
    #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "writer")
    #expect((error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject)?.entity.name == "Book")
    #expect(try folder.names == ["old"])
  }

  @Test("A mapping for an entity that a model lacks, or with a policy that the program lacks, is named")
  func unknownNames() throws {
    try ManagerStack.fill(.sqlite, ManagerLibrary.old(), folder.store("old"), ManagerLibrary.fill)
    func error(_ mapping: NSEntityMapping) -> NSError? {
      managerError {
        try NSMigrationManager(sourceModel: ManagerLibrary.old(), destinationModel: ManagerLibrary.new()).migrateStore(
          from: folder.store("old"), type: .sqlite, mapping: ManagerMappings.model(mapping), to: folder.store("new"),
          type: .sqlite)
      }
    }
    #expect(error(ManagerMappings.map("Bok", "Book"))?.localizedDescription.contains("the entity Bok") == true)
    #expect(error(ManagerMappings.map("Book", "Bok"))?.localizedDescription.contains("the entity Bok") == true)
    let mapping = ManagerMappings.map("Book", "Book")
    mapping.entityMigrationPolicyClassName = "MigrationTests.NoSuchPolicy"
    #expect(error(mapping)?.localizedDescription.contains("MigrationTests.NoSuchPolicy") == true)
    mapping.entityMigrationPolicyClassName = "MigrationTests.ManagerFolder"
    #expect(error(mapping)?.localizedDescription.contains("not a subclass of NSEntityMigrationPolicy") == true)
    #expect(try folder.names == ["old"])
  }

  // Several versions.

  @Test("Versions are walked one after the other, as tutorials do", arguments: ManagerStore.allCases)
  func progressive(_ kind: ManagerStore) throws {
    let versions = (1...4).map { number in
      InferenceModels.model(
        .init(
          "Note",
          [InferenceModels.attribute("text")]
            + (1..<number).map { InferenceModels.attribute("field\($0)", isOptional: false, default: "\($0)") }))
    }
    var url = folder.store("notes")
    try ManagerStack.fill(kind, versions[0], url) { context in
      for number in 0..<5 { context.make("Note", ["text": "\(number)"]) }
    }
    let home = url
    for (source, destination) in zip(versions, versions.dropFirst()) {
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: url)
      try #require(source.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
      let mapping =
        try NSMappingModel(from: nil, forSourceModel: source, destinationModel: destination)
        ?? .inferredMappingModel(forSourceModel: source, destinationModel: destination)
      let next = folder.store(UUID().uuidString)
      try NSMigrationManager(sourceModel: source, destinationModel: destination).migrateStore(
        from: url, type: kind.type, mapping: mapping, to: next, type: kind.type)
      if url != home {
        try NSPersistentStoreCoordinator(managedObjectModel: source).destroyPersistentStore(at: url, type: kind.type)
      }
      url = next
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: versions[3])
    try coordinator.replacePersistentStore(at: home, withPersistentStoreFrom: url, type: kind.type)
    try ManagerStack.read(kind, versions[3], home) { context in
      let notes = try context.all("Note", by: "text")
      #expect(notes.compactMap { $0.text("text") } == ["0", "1", "2", "3", "4"])
      #expect(notes.allSatisfy { $0.text("field3") == "3" })
    }
  }

  @Test("Thousands of objects, and their relationships, cost no more memory than a few hundred")
  func memory() throws {
    typealias Models = InferenceModels
    func version(_ name: String) -> NSManagedObjectModel {
      Models.model(
        .init(
          name,
          [
            Models.attribute("text"), Models.attribute("number", .integer32AttributeType),
            Models.toOne("group", "Group", back: "things"),
          ]), .init("Group", [Models.attribute("name"), Models.toMany("things", name, back: "group")]))
    }
    let (old, new) = (version("Thing"), version("Item"))
    let count = ProcessInfo.processInfo.environment["STRATA_MIGRATED_OBJECTS"].flatMap { Int($0) } ?? 5_000
    let stack = try ManagerStack(.sqlite, old, folder.store("old"))
    try stack.context.performAndWait {
      for start in stride(from: 0, to: count, by: 1000) {
        for group in start / 100..<start / 100 + 10 {
          let made = stack.context.make("Group", ["name": "\(group)"])
          for number in group * 100..<group * 100 + 100 {
            stack.context.make(
              "Thing", ["text": String(repeating: "x", count: 100) + "\(number)", "number": number, "group": made])
          }
        }
        try stack.context.save()
        stack.context.reset()
      }
    }
    try stack.close()
    let mapping = ManagerMappings.model(
      ManagerMappings.map("Group", "Group", ["name": "$source.name"], policy: MemoryPolicy.self),
      ManagerMappings.map(
        "Thing", "Item", ["text": "$source.text", "number": "$source.number"],
        relationships: ["group": ManagerMappings.made(by: "GroupToGroup", of: "group")], policy: MemoryPolicy.self))
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    let peak = MemoryPeak()
    manager.userInfo = ["peak": peak]
    try manager.migrateStore(
      from: folder.store("old"), type: .sqlite, mapping: mapping, to: folder.store("new"), type: .sqlite)
    try ManagerStack.read(.sqlite, new, folder.store("new")) { context in
      try expect(context, count, "Item")
      let groups = try context.all("Group", by: "name")
      #expect(groups.first.map { ($0.value(forKey: "things") as? NSSet)?.count } == 100)
    }
    print("Migrating \(count) objects took \(peak.growth / 1024) KiB")
    // Keys of 16 bytes and less, a few times; the rest is the same for any number.
    #expect(peak.growth < 40 << 20 + count * 100, "\(peak.growth)")
  }

  @Test("Both ends of a relationship may be mapped, as inferred mappings do")
  func bothEnds() throws {
    typealias Models = InferenceModels
    func version(_ fields: [NSAttributeDescription]) -> NSManagedObjectModel {
      Models.model(
        .init("Thing", [Models.attribute("text"), Models.toOne("group", "Group", back: "things")] + fields),
        .init("Group", [Models.attribute("name"), Models.toMany("things", "Thing", back: "group")]))
    }
    let (old, new) = (version([]), version([Models.attribute("more")]))
    try ManagerStack.fill(.sqlite, old, folder.store("old")) { context in
      for name in 0..<50 {
        let group = context.make("Group", ["name": "\(name)"])
        for number in 0..<100 { context.make("Thing", ["text": "\(name) \(number)", "group": group]) }
      }
    }
    let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
    manager.usesStoreSpecificMigrationManager = false
    try manager.migrateStore(
      from: folder.store("old"), type: .sqlite,
      mapping: .inferredMappingModel(forSourceModel: old, destinationModel: new), to: folder.store("new"),
      type: .sqlite)
    try ManagerStack.read(.sqlite, new, folder.store("new")) { context in
      for group in try context.all("Group", by: "name") {
        let texts = group.texts("things", "text")
        #expect(texts.count == 100 && texts.allSatisfy { $0.hasPrefix("\(group.text("name")!) ") })
      }
    }
  }
}

/// How much memory a migration took at most beyond its start.
final class MemoryPeak {
  private let start: Int
  private(set) var growth = 0

  init() {
    // What was freed before is not to be taken for the migration's.
    if let trim = dlsym(nil, "malloc_trim") {
      _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    }
    start = MemoryPeak.resident
  }

  func note() { growth = max(growth, MemoryPeak.resident - start) }

  private static var resident: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
  }
}

/// If its mapping says so, damages the new file once all objects are made: all pages but the first, which says that the
/// file was changed, so that none is taken from a cache.
final class DamagingPolicy: NSEntityMigrationPolicy {
  override func createRelationships(
    forDestination object: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    if mapping.userInfo != nil {
      let store = try #require(manager.destinationContext.persistentStoreCoordinator?.persistentStores.first)
      let file = try FileHandle(forUpdating: try #require(store.url))
      let length = Int(try file.seekToEnd())
      try file.seek(toOffset: 24)
      try file.write(contentsOf: Data(repeating: 0x7F, count: 4))
      try file.seek(toOffset: 4096)
      try file.write(contentsOf: Data(repeating: 0xFF, count: length - 4096))
      try file.close()
    }
    try super.createRelationships(forDestination: object, in: mapping, manager: manager)
  }
}

final class MemoryPolicy: NSEntityMigrationPolicy {
  private var calls = 0

  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    note(manager)
  }

  override func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    note(manager)
  }

  private func note(_ manager: NSMigrationManager) {
    calls += 1
    if calls % 1000 == 0 { (manager.userInfo?["peak"] as? MemoryPeak)?.note() }
  }
}
