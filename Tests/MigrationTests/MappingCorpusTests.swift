import CoreData
import Foundation
import Testing

/// Mapping models of public projects, with stores that those projects keep for their own tests.
enum MappingCorpus {
  static let root = ProcessInfo.processInfo.environment["COREDATA_CORPUS"].map {
    URL(fileURLWithPath: $0, isDirectory: true)
  }

  static func files(in folder: String, extension ext: String) -> [URL] {
    guard let root, let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
    else { return [] }
    return all.compactMap { $0 as? String }.filter { $0.hasSuffix("." + ext) }.sorted()
      .map { root.appendingPathComponent(folder).appendingPathComponent($0) }
  }

  static func url(_ path: String) throws -> URL { try #require(root).appendingPathComponent(path) }
}

/// Moody's transformer, as far as it matters here: bytes stay bytes.
private final class Colors: ValueTransformer, @unchecked Sendable {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? { value }
  override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

@Suite("Mapping models of other people's projects, at work", .enabled(if: MappingCorpus.root != nil))
struct MappingCorpusTests {
  @Test("Each becomes a mapping model", arguments: MappingCorpus.files(in: "mappings", extension: "xcmappingmodel"))
  func reading(url: URL) throws {
    let model = try NSMappingModel(checkedContentsOf: url)
    #expect(!model.entityMappings.isEmpty)
    for mapping in model.entityMappings where mapping.sourceEntityName != nil {
      #expect(mapping.sourceExpression is NSFetchRequestExpression)
    }
  }

  private func context(_ model: NSManagedObjectModel, _ url: URL) throws -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func moods(_ model: NSManagedObjectModel, _ url: URL, _ keys: [String]) throws -> [String] {
    let context = try context(model, url)
    return try context.performAndWait {
      let moods = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Mood"))
      return moods.map { mood in
        keys.map { key in
          var value: Any? = mood
          for part in key.split(separator: ".") {
            value = (value as? NSManagedObject)?.value(forKey: String(part))
          }
          return value.map { "\($0)" } ?? "-"
        }.joined(separator: " ")
      }.sorted()
    }
  }

  @Test(
    "Moody's stores become those of the next version, with the data that the project's own store of it has",
    arguments: [(2, 3), (4, 5)])
  func moody(from: Int, to: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func copy(_ version: Int) throws -> URL {
      let name = "Moody \(version).moody"
      for ending in ["", "-wal", "-shm"] {
        let file = try MappingCorpus.url("stores/objcio__core-data/Migrations/MigrationsTests/\(name)\(ending)")
        guard FileManager.default.fileExists(atPath: file.path) else { continue }
        try FileManager.default.copyItem(at: file, to: folder.appendingPathComponent(name + ending))
      }
      return folder.appendingPathComponent(name)
    }
    func model(_ version: Int) throws -> NSManagedObjectModel {
      try NSManagedObjectModel(
        checkedContentsOf: MappingCorpus.url(
          "models/objcio__core-data/Migrations/Migrations/Moody.xcdatamodeld/Moody \(version).xcdatamodel"))
    }
    let mapping = try NSMappingModel(
      checkedContentsOf: MappingCorpus.url(
        "mappings/objcio__core-data/Migrations/Migrations/Moody \(from)-Moody \(to).xcmappingmodel"))
    #expect(mapping.entityMappings.allSatisfy { $0.entityMigrationPolicyClassName == nil })
    ValueTransformer.setValueTransformer(Colors(), forName: NSValueTransformerName("ColorsTransformer"))
    let manager = NSMigrationManager(sourceModel: try model(from), destinationModel: try model(to))
    let new = folder.appendingPathComponent("new.moody")
    try manager.migrateStore(
      from: try copy(from), sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: new,
      destinationType: NSSQLiteStoreType, destinationOptions: nil)
    var keys = ["date", "latitude", "longitude", "remoteID", "creatorID", "country.numericISO3166Code"]
    keys += to == 3 ? ["continent.numericISO3166Code"] : ["country.isoContinent"]
    let found = try moods(try model(to), new, keys)
    #expect(found.count == 4)
    #expect(found == (try moods(try model(to), try copy(to), keys)))
    print(found.joined(separator: "\n"))
  }
}
