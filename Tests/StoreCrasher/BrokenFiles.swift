import CoreData
import DataModelFiles
import DurabilitySupport

/// The files of one kind in a folder: made, broken, opened.
struct BrokenFiles {
  let kind: Broken.Kind
  let folder: URL

  init(_ kind: Broken.Kind, _ folder: URL) { (self.kind, self.folder) = (kind, folder) }

  private var setup: StoreSetup { StoreSetup(kind.rawValue) ?? StoreSetup("sqlite,wal")! }
  private var names: [String] {
    switch kind {
    case .sqlite, .rows, .schema: ["S.sqlite"]
    case .archives: ["S.sqlite"] + BrokenArchives.names
    case .wal: ["S.sqlite", "S.sqlite-wal"]
    case .xml: ["S.xml"]
    case .binary: ["S.binary"]
    case .mom, .versionInfo: ["M.momd/M.mom", "M.momd/VersionInfo.plist"]
    case .contents: ["M.xcdatamodeld/M.xcdatamodel/contents", "M.xcdatamodeld/.xccurrentversion"]
    case .mapping: ["T.xcmappingmodel/xcmapping.xml"]
    case .cdm: ["T.cdm"]
    }
  }

  /// Makes whole files.
  func make(model: URL, mapping: URL) throws {
    switch kind {
    case .mom, .versionInfo:
      var package = try SourceModelReader.package(at: model)
      package.versions = [package.currentVersion]
      package.versions[0].name = "M"
      package.currentVersionName = "M"
      try CompiledModelFiles.write(package, to: folder.appendingPathComponent("M.momd"))
    case .contents:
      let version = try SourceModelReader.package(at: model).currentVersionName
      try write(Data(contentsOf: model.appendingPathComponent("\(version).xcdatamodel/contents")), names[0])
      let current =
        "<plist version=\"1.0\">\n<dict><key>_XCCurrentVersionName</key>\n"
        + "<string>M.xcdatamodel</string>\n</dict>\n</plist>"
      try write(Data(current.utf8), names[1])
    case .mapping: try write(MappingSource.text(mapping), names[0])
    case .cdm:
      let text = Array(try MappingSource.text(mapping))
      try write(
        Data(MappingModelFiles.cdm(MappingModelFiles.model(source: text, package: nil, file: "T").model)), names[0])
    case .archives: try BrokenArchives.make(setup, in: folder)
    case .sqlite, .wal, .rows, .schema, .xml, .binary: try makeStore()
    }
  }

  private func write(_ data: Data, _ name: String) throws {
    let url = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  private func makeStore() throws {
    let place = folder.appendingPathComponent("making", isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let coordinator = try setup.open(in: place)
    let context = try LedgerContext(coordinator)
    var ledger = Ledger(seed: 7, hasFiles: false)
    for _ in 0..<14 {
      context.apply(ledger.advance(), save: ledger.saves)
      try context.save()
    }
    // While the store is open it has its log; closing removes the log.
    if kind != .wal { try coordinator.removeAllStores() }
    for name in names {
      try FileManager.default.copyItem(
        at: place.appendingPathComponent(name), to: folder.appendingPathComponent(name))
    }
  }

  func contents() throws -> [Data] { try names.map { try Data(contentsOf: folder.appendingPathComponent($0)) } }

  /// Writes the files, one of them broken, and returns how it was broken.
  func restore(_ originals: [Data], seed: UInt64) throws -> String {
    try? FileManager.default.removeItem(at: folder)
    for name in names {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    for (name, data) in zip(names, originals) { try data.write(to: folder.appendingPathComponent(name)) }
    let url = folder.appendingPathComponent(names[0])
    switch kind {
    case .rows: return try BrokenRows.change(url, seed: seed)
    case .schema: return try BrokenSchema.change(url, seed: seed)
    case .archives: return try BrokenArchives.change(url, Array(originals.dropFirst()), seed: seed)
    case .sqlite, .wal, .xml, .binary, .mom, .versionInfo, .contents, .mapping, .cdm: break
    }
    // Of several files, mostly the one that the kind is named after.
    let aim = kind == .wal || kind == .versionInfo || (kind == .contents && seed % 16 == 0) ? 1 : 0
    let (data, words) = damaged(originals[aim], seed: seed)
    try data.write(to: folder.appendingPathComponent(names[aim]))
    return words
  }

  /// Of files whose form is known, half are changed in their values, and half in their bytes. All others are changed in
  /// their bytes.
  private func damaged(_ original: Data, seed: UInt64) -> (Data, String) {
    if seed % 2 == 0 {
      switch kind {
      case .xml, .contents, .mapping: return TextDamage.apply(to: original, seed: seed)
      case .mom, .versionInfo, .cdm:
        if let changed = ListDamage.apply(to: Array(original), seed: seed) {
          return (Data(changed.bytes), changed.description)
        }
      case .sqlite, .wal, .binary, .rows, .schema, .archives: break
      }
    }
    let damage = Damage(seed: seed, sizes: [original.count])
    return (damage.apply(to: original), "\(damage)")
  }

  /// Whether the broken file could be opened. Throws what must not happen.
  func open() throws -> Bool {
    switch kind {
    case .mom, .versionInfo: return try openModel(folder.appendingPathComponent("M.momd"))
    case .contents: return try openModel(folder.appendingPathComponent("M.xcdatamodeld"))
    case .mapping, .cdm: return try openMapping()
    case .archives:
      do { try BrokenArchives.open(setup, in: folder) } catch { try check(error) }
      return true
    case .sqlite, .wal, .rows, .schema, .xml, .binary: return try openStore()
    }
  }

  private func openMapping() throws -> Bool {
    let name = String(names[0].split(separator: "/")[0])
    do { _ = try NSMappingModel(checkedContentsOf: folder.appendingPathComponent(name)) } catch {
      try check(error)
      return false
    }
    return true
  }

  private func openStore() throws -> Bool {
    let before = try contents()
    if kind != .binary {
      do { _ = try NSManagedObjectModel(storedIn: setup.url(in: folder)) } catch { try check(error) }
    }
    let coordinator: NSPersistentStoreCoordinator
    do { coordinator = try setup.open(in: folder) } catch {
      try check(error)
      guard try contents() == before else { throw Wrong("the file was changed, though opening failed") }
      return false
    }
    defer { try? coordinator.removeAllStores() }
    let reader = BrokenReader(coordinator)
    for step in [reader.read, reader.change, reader.read] {
      do { try step() } catch { try check(error) }
    }
    return true
  }

  private func openModel(_ url: URL) throws -> Bool {
    let model: NSManagedObjectModel
    do {
      model = try NSManagedObjectModel(checkedContentsOf: url)
    } catch {
      try check(error)
      return false
    }
    do {
      let coordinator = try NSPersistentStoreCoordinator(checking: model)
      try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        for entity in model.entities where !entity.isAbstract {
          _ = NSManagedObject(entity: entity, insertInto: context)
        }
        try context.save()
      }
    } catch { try check(error, namesFile: false) }
    return true
  }

  /// An error must be of Cocoa's domain and name the file.
  private func check(_ error: any Error, namesFile: Bool = true) throws {
    let error = error as NSError
    // Broken rows can look like rows that another program has changed or deleted.
    if kind == .rows || kind == .schema,
      [NSManagedObjectMergeError, NSManagedObjectReferentialIntegrityError].contains(error.code)
    {
      return
    }
    let text = error.localizedDescription + ((error.userInfo[NSFilePathErrorKey] as? String) ?? "")
    if error.domain != NSCocoaErrorDomain || (namesFile && !text.contains(folder.path)) {
      throw Wrong("\(error.domain) \(error.code) \(text)")
    }
  }

  struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

/// Reads and changes all that a broken store has, by ways that can throw.
struct BrokenReader {
  private let context: NSManagedObjectContext

  init(_ coordinator: NSPersistentStoreCoordinator) {
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  private static let entities = ["Author", "Book", "Tag", "Chapter", "Step"]

  func read() throws {
    try context.performAndWait {
      var failure: (any Error)?
      for name in BrokenReader.entities {
        do { try read(name) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }

  private func read(_ name: String) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: name)
    request.returnsObjectsAsFaults = false
    request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
    let description = ledgerModel.entitiesByName[name]!
    let toMany = description.relationshipsByName.values.filter(\.isToMany).map(\.name)
    request.relationshipKeyPathsForPrefetching = toMany
    for object in try context.fetch(request) {
      for key in object.entity.attributesByName.keys { _ = object.value(forKey: key).map { "\($0)" } }
      for key in toMany {
        switch object.value(forKey: key) {
        case let set as NSSet: for member in set.allObjects { try readOne(member) }
        case let list as NSOrderedSet: for member in list.array { try readOne(member) }
        default: break
        }
      }
      for key in description.relationshipsByName.keys where !toMany.contains(key) {
        if let destination = object.value(forKey: key) { try readOne(destination) }
      }
    }
    _ = try context.count(for: request)
  }

  private func readOne(_ member: Any) throws {
    let object = member as! NSManagedObject
    do { _ = try context.existingObject(with: object.objectID) } catch let error as NSError {
      // A destination whose row is gone has no file to name.
      if error.code != NSManagedObjectReferentialIntegrityError { throw error }
    }
  }

  func change() throws {
    try context.performAndWait {
      do {
        for name in BrokenReader.entities {
          for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)) {
            _ = try context.existingObject(with: object.objectID)
            object.setValue(1, forKey: "number")
          }
          let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
          object.setValue(2, forKey: "number")
        }
        try context.save()
      } catch {
        context.rollback()
        throw error
      }
    }
  }
}
