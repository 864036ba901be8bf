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
    case .sqlite, .rows: ["S.sqlite"]
    case .wal: ["S.sqlite", "S.sqlite-wal"]
    case .xml: ["S.xml"]
    case .binary: ["S.binary"]
    case .mom, .versionInfo: ["M.momd/M.mom", "M.momd/VersionInfo.plist"]
    }
  }

  /// Makes whole files.
  func make(model: URL) throws {
    if kind == .mom || kind == .versionInfo {
      var package = try SourceModelReader.package(at: model)
      package.versions = [package.currentVersion]
      package.versions[0].name = "M"
      package.currentVersionName = "M"
      return try CompiledModelFiles.write(package, to: folder.appendingPathComponent("M.momd"))
    }
    let place = folder.appendingPathComponent("making", isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let coordinator = try setup.open(in: place)
    let context = try LedgerContext(coordinator)
    var ledger = Ledger(seed: 7, hasFiles: false)
    for _ in 0..<14 {
      context.apply(ledger.advance(), save: ledger.saves)
      try context.save()
    }
    // With its log while the store is open, without it afterwards.
    if kind != .wal { try coordinator.removeAllStores() }
    for name in names {
      try FileManager.default.copyItem(
        at: place.appendingPathComponent(name), to: folder.appendingPathComponent(name))
    }
  }

  func contents() throws -> [Data] { try names.map { try Data(contentsOf: folder.appendingPathComponent($0)) } }

  /// Writes the files, one of them broken; says how.
  func restore(_ originals: [Data], seed: UInt64) throws -> String {
    try? FileManager.default.removeItem(at: folder)
    for name in names {
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    for (name, data) in zip(names, originals) { try data.write(to: folder.appendingPathComponent(name)) }
    if kind == .rows { return try BrokenRows.change(folder.appendingPathComponent(names[0]), seed: seed) }
    // Of several files the one that the kind is named after, most of the time.
    let aim = kind == .wal || kind == .versionInfo ? 1 : 0
    let damage = Damage(seed: seed, sizes: [originals[aim].count])
    try damage.apply(to: originals[aim]).write(to: folder.appendingPathComponent(names[aim]))
    return "\(damage)"
  }

  /// Whether the broken file could be opened. Throws what must not be.
  func open() throws -> Bool {
    if kind == .mom || kind == .versionInfo { return try openModel() }
    let before = try contents()
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

  private func openModel() throws -> Bool {
    let model: NSManagedObjectModel
    do {
      model = try NSManagedObjectModel(checkedContentsOf: folder.appendingPathComponent("M.momd"))
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
    // What another program made of rows can look like its changes to them, or like rows that are gone.
    if kind == .rows, [NSManagedObjectMergeError, NSManagedObjectReferentialIntegrityError].contains(error.code) {
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
