import CoreData
import DataModelFiles
import Foundation
import Testing

/// The versions of a model in their files, and finding the one that a store is of.
@Suite("Versions of a model") struct VersionTests {
  /// A folder with `Journal.momd` of three versions, the second of which is current.
  final class Folder {
    let url: URL
    var momd: URL { url.appendingPathComponent("Journal.momd") }
    var store: URL { url.appendingPathComponent("store.sqlite") }
    var bundle: Bundle { Bundle(path: url.path)! }

    init() throws {
      url = FileManager.default.temporaryDirectory.appendingPathComponent("versions-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      let versions = [["title"], ["title", "text"], ["title", "text", "mood"]].enumerated().map { number, names in
        var entity = DataModel.Entity(name: "Entry")
        entity.attributes = names.map { name in
          var attribute = DataModel.Attribute(name: name, type: .string)
          attribute.isOptional = true
          return attribute
        }
        var model = DataModel(name: number == 0 ? "Journal" : "Journal \(number + 1)")
        model.entities = [entity]
        return model
      }
      try CompiledModelFiles.write(
        DataModelPackage(name: "Journal", versions: versions, currentVersionName: "Journal 2"), to: momd)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func version(_ name: String) throws -> NSManagedObjectModel {
      try #require(NSManagedObjectModel(contentsOf: momd.appendingPathComponent("\(name).mom")))
    }

    /// The metadata of a new store of a version.
    func metadata(ofStoreWith model: NSManagedObjectModel) throws -> [String: Any] {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let added = try coordinator.addPersistentStore(type: .sqlite, at: store)
      try coordinator.remove(added)
      return try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store)
    }
  }

  private func names(_ model: NSManagedObjectModel?) -> [String]? {
    model?.entitiesByName["Entry"]?.attributesByName.keys.sorted()
  }

  @Test("Each version in a .momd is a model; the folder itself is the current one")
  func files() throws {
    let folder = try Folder()
    #expect(names(NSManagedObjectModel(contentsOf: folder.momd)) == ["text", "title"])
    #expect(names(try folder.version("Journal")) == ["title"])
    #expect(names(try folder.version("Journal 3")) == ["mood", "text", "title"])
    #expect(names(NSManagedObjectModel.mergedModel(from: [folder.bundle])) == ["text", "title"])
  }

  @Test("A bundle without models merges into an empty model, whose entities may be set")
  func noModels() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bundle = try #require(Bundle(url: folder))
    let model = try #require(NSManagedObjectModel.mergedModel(from: [bundle]))
    #expect(model.entities.isEmpty && NSManagedObjectModel.mergedModel(from: []) == model)
    let entity = NSEntityDescription()
    entity.name = "Entry"
    model.entities = [entity]
    #expect(model.entitiesByName["Entry"] === entity)
  }

  @Test("The checksums of a versioned model are those of its versions, by name")
  func checksums() throws {
    let folder = try Folder()
    let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: folder.momd)
    #expect(checksums.keys.sorted() == ["Journal", "Journal 2", "Journal 3"])
    for (name, checksum) in checksums { #expect(try folder.version(name).versionChecksum == checksum) }
    let nowhere = folder.url.appendingPathComponent("Nothing.momd")
    let error = #expect(throws: (any Error).self) { try NSManagedObjectModel.checksumsForVersionedModel(at: nowhere) }
    #expect((error as? CocoaError)?.localizedDescription.contains(nowhere.path) ?? true)
  }

  @Test("A store's metadata find its version among those of a bundle, whichever is current")
  func versionOfStore() throws {
    for name in ["Journal", "Journal 2", "Journal 3"] {
      let folder = try Folder()
      let model = try folder.version(name)
      let metadata = try folder.metadata(ofStoreWith: model)
      let found = NSManagedObjectModel.mergedModel(from: [folder.bundle], forStoreMetadata: metadata)
      #expect(names(found) == names(model))
      #expect(found?.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) == true)
      #expect(found?.entityVersionHashesByName == metadata[NSStoreModelVersionHashesKey] as? [String: Data])
      let current = try #require(NSManagedObjectModel(contentsOf: folder.momd))
      #expect(current.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) == (name == "Journal 2"))
    }
  }

  @Test("Where no version fits, none is found")
  func unknownVersion() throws {
    let folder = try Folder()
    let other = InferenceModels.model(.init("Entry", [InferenceModels.attribute("weather")]))
    let metadata = try folder.metadata(ofStoreWith: other)
    #expect(NSManagedObjectModel.mergedModel(from: [folder.bundle], forStoreMetadata: metadata) == nil)
    let versions = [try folder.version("Journal"), try folder.version("Journal 2")]
    #expect(NSManagedObjectModel(byMerging: versions, forStoreMetadata: metadata) == nil)
  }

  @Test("A faulty version hides no other one; whoever needs it is told what is wrong with it")
  func faulty() throws {
    let folder = try Folder()
    let package = folder.url.appendingPathComponent("Diary.xcdatamodeld")
    func write(_ name: String, _ attributes: String) throws {
      let version = package.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      let text = "<model><entity name='Entry'>\(attributes)</entity></model>"
      try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
    }
    let title = "<attribute name='title' optional='YES' attributeType='String'/>"
    try write("1", title)
    try write("2", title + "<attribute name='text' optional='YES' attributeType='Words'/>")
    try write("3", title + "<attribute name='mood' optional='YES' attributeType='String'/>")
    try Data("<plist><dict><key>_XCCurrentVersionName</key><string>3.xcdatamodel</string></dict></plist>".utf8)
      .write(to: package.appendingPathComponent(".xccurrentversion"))
    let current = try NSManagedObjectModel(checkedContentsOf: package)
    #expect(names(current) == ["mood", "title"])
    #expect(try NSManagedObjectModel.checksumsForVersionedModel(at: package).keys.sorted() == ["1", "3"])
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    func add(_ metadata: [String: Data]) -> NSError? {
      do {
        let model = InferenceModels.model(.init("Entry", [InferenceModels.attribute("title")]))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .xml, at: folder.store)
        if !metadata.isEmpty {
          var all = try #require(store.metadata)
          all[NSStoreModelVersionHashesKey] = metadata
          try NSPersistentStoreCoordinator.setMetadata(all, type: .xml, at: folder.store)
        }
        try coordinator.remove(store)
        try NSPersistentStoreCoordinator(managedObjectModel: current)
          .addPersistentStore(type: .xml, at: folder.store, options: options)
        return nil
      } catch { return error as NSError }
    }
    // The first version is found beside the current one.
    #expect(add([:]) == nil)
    try FileManager.default.removeItem(at: folder.store)
    // This one is nobody's; it may be the second.
    let error = add(["Entry": Data(repeating: 7, count: 32)])
    #expect(error?.code == NSMigrationMissingSourceModelError)
    let words = error?.localizedDescription ?? ""
    #expect(
      words.contains("2.xcdatamodel") && words.contains("Entry.text: unknown attributeType \"Words\""), "\(words)")
  }

  @Test("Of several models those are merged that the store was written with")
  func merging() throws {
    let folder = try Folder()
    let (first, second) = (try folder.version("Journal"), try folder.version("Journal 2"))
    let place = InferenceModels.model(.init("Place", [InferenceModels.attribute("name")]))
    let metadata = try folder.metadata(ofStoreWith: try #require(NSManagedObjectModel(byMerging: [first, place])))
    let found = NSManagedObjectModel(byMerging: [second, place, first], forStoreMetadata: metadata)
    #expect(names(found) == ["title"])
    #expect(found?.entitiesByName.keys.sorted() == ["Entry", "Place"])
    #expect(NSManagedObjectModel(byMerging: [second, place], forStoreMetadata: metadata) == nil)
  }

  @Test("A store's checksum is that of its version")
  func storeChecksum() throws {
    let folder = try Folder()
    let model = try folder.version("Journal 3")
    let metadata = try folder.metadata(ofStoreWith: model)
    #expect(metadata["NSStoreModelVersionChecksumKey"] as? String == model.versionChecksum)
  }

  @Test(
    "A store that keeps no model is migrated by the versions beside the model, in its .momd",
    arguments: [NSXMLStoreType, NSBinaryStoreType])
  func siblings(_ type: String) throws {
    let folder = try Folder()
    func open(_ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: folder.store,
        options: [
          NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ])
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }
    // Nothing of the first version is left in the program when the later one is opened.
    try autoreleasepool {
      let context = try open(folder.version("Journal"))
      try context.performAndWait {
        NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context).setValue("First", forKey: "title")
        try context.save()
      }
    }
    let context = try open(folder.version("Journal 3"))
    try context.performAndWait {
      let entries = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entry"))
      #expect(entries.map { $0.value(forKey: "title") as? String } == ["First"])
      #expect(entries.map { $0.value(forKey: "mood") as? String } == [nil])
    }
  }
}
