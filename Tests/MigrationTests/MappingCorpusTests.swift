import CoreData
import Foundation
import TestFiles
import Testing

/// Mapping models of public projects, with stores that those projects keep for their own tests.
enum MappingCorpus {
  static func url(_ path: String) throws -> URL { try #require(Corpus.root).appendingPathComponent(path) }
}

/// Moody's transformer, as far as it matters here: bytes stay bytes.
private final class Colors: ValueTransformer, @unchecked Sendable {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? { value }
  override func reverseTransformedValue(_ value: Any?) -> Any? { value }
}

/// What a library's own policy does.
final class LibraryPoints: NSEntityMigrationPolicy {
  func number(in text: String) -> Int16 { Int16(text) ?? 0 }
}

@Suite("Mapping models of other people's projects, at work", .enabled(if: Corpus.root != nil))
struct MappingSampleTests {
  @Test("Each becomes a mapping model", arguments: Corpus.files(in: "mappings", extension: "xcmappingmodel"))
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

  /// A store of the first version that `fill` has filled becomes one of the second; what `read` makes of it.
  private func migrated<Value>(
    models: String, _ versions: (String, String), mapping: String, store: String? = nil,
    change: (NSMappingModel) -> Void = { _ in }, fill: (NSManagedObjectContext) throws -> Void,
    read: (NSManagedObjectContext) throws -> Value
  ) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (old, new) = (folder.appendingPathComponent("old.sqlite"), folder.appendingPathComponent("new.sqlite"))
    if let store {
      try FileManager.default.copyItem(at: MappingCorpus.url("stores/\(store)"), to: old)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: old.path)
    }
    func model(_ version: String) throws -> NSManagedObjectModel {
      try NSManagedObjectModel(checkedContentsOf: MappingCorpus.url("models/\(models)/\(version).xcdatamodel"))
    }
    func work<Result>(
      _ version: String, _ url: URL, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model(version))
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
      context.persistentStoreCoordinator = coordinator
      let result = try context.performAndWait { try body(context) }
      try coordinator.remove(store)
      return result
    }
    try work(versions.0, old) { context in
      try fill(context)
      try context.save()
    }
    let mapping = try NSMappingModel(checkedContentsOf: MappingCorpus.url("mappings/\(mapping).xcmappingmodel"))
    change(mapping)
    let manager = NSMigrationManager(sourceModel: try model(versions.0), destinationModel: try model(versions.1))
    try manager.migrateStore(
      from: old, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: new,
      destinationType: NSSQLiteStoreType, destinationOptions: nil)
    return try work(versions.1, new, read)
  }

  private func all(_ entity: String, _ key: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return try context.fetch(request)
  }

  @Test("A journal's pictures become objects of their own: one entity is the source of two, one with a filter")
  func journal() throws {
    let lines = try migrated(
      models: "CypherPoet__CoreDataKit/Examples/ReviewJournal/Shared/Data/ReviewJournal.xcdatamodeld",
      ("ReviewJournal v2", "ReviewJournal v3"),
      mapping: "CypherPoet__CoreDataKit/Examples/ReviewJournal/Shared/Data/Migration/Mapping Models/"
        + "ReviewJournalModelMapping_v2_to_v3",
      store: "CypherPoet__CoreDataKit/Examples/ReviewJournal/ReviewJournalUnitTests/Data/PersistentStores/"
        + "ReviewJournal_2.sqlite"
    ) { context in
      try all("Review", "title", context)[1].setValue(Data([1, 2, 3]), forKey: "imageData")
    } read: { context in
      try all("Review", "title", context).map { review in
        let pictures = review.value(forKey: "imageAttachments") as? Set<NSManagedObject> ?? []
        let bytes = pictures.compactMap { ($0.value(forKey: "imageData") as? Data)?.count }
        return "\(review.value(forKey: "title")!) \(bytes)"
      }
    }
    #expect(lines == ["Fire []", "Ice [3]", "Water []"])
  }

  @Test("Employees get constants and the present date for what they did not have")
  func employees() throws {
    let line = try migrated(
      models: "jessesquires__JSQCoreDataKit/Example/ExampleModel/ExampleModel/ExampleModel.xcdatamodeld",
      ("Version 1", "Version 2"),
      mapping: "jessesquires__JSQCoreDataKit/Example/ExampleModel/ExampleModel/Version1_to_Version2"
    ) { context in
      let employee = NSEntityDescription.insertNewObject(forEntityName: "Employee", into: context)
      employee.setValue("Ada", forKey: "name")
      employee.setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "birthDate")
      employee.setValue(NSDecimalNumber(string: "12.5"), forKey: "salary")
    } read: { context in
      let employee = try all("Employee", "name", context)[0]
      #expect(employee.value(forKey: "birthDate") as? Date == Date(timeIntervalSinceReferenceDate: 5))
      #expect(employee.value(forKey: "companyDateFounded") is Date)
      return ["name", "salary", "companyName", "companyProfits"].map { "\(employee.value(forKey: $0)!)" }
    }
    #expect(line == ["Ada", "12.5", "Unknown", "0"])
  }

  @Test("A library's policy is called by the name that its mapping model has; books and users stay related")
  func library() throws {
    NSEntityMigrationPolicy.register("toInt16WithValue:", on: LibraryPoints.self) { policy, arguments in
      policy.number(in: arguments[0] as? String ?? "")
    }
    let lines = try migrated(
      models: "wojciech-kulik__CoreDataVsRealm/CoreDataDemo/CoreData/LibraryDataModel.xcdatamodeld",
      ("LibraryDataModel", "LibraryDataModel v2"),
      mapping: "wojciech-kulik__CoreDataVsRealm/CoreDataDemo/CoreData/v1 to v2 migration/v1_to_v2",
      change: {
        $0.entityMappingsByName["UserToUser"]?.entityMigrationPolicyClassName = String(reflecting: LibraryPoints.self)
      }
    ) { context in
      let books = ["A", "B", "C"].map { title -> NSManagedObject in
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValue(title, forKey: "title")
        return book
      }
      for (name, points, range) in [("ann", 3, 0..<2), ("ben", 9, 1..<3)] {
        let user = NSEntityDescription.insertNewObject(forEntityName: "User", into: context)
        user.setValue(name, forKey: "username")
        user.setValue("\(points)", forKey: "bonusPoints")
        user.setValue(NSSet(array: Array(books[range])), forKey: "books")
      }
    } read: { context in
      try all("User", "username", context).map { user in
        let books = user.value(forKey: "books") as? Set<NSManagedObject> ?? []
        let titles = books.compactMap { $0.value(forKey: "title") as? String }.sorted().joined()
        return "\(user.value(forKey: "username")!) \(user.value(forKey: "bonusPoints")!) \(titles)"
      }
    }
    #expect(lines == ["ann 3 AB", "ben 9 BC"])
  }
}
