import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Stores that Apple's framework wrote, and the other versions of their models.
@Suite("Migration in place: stores of public projects")
struct InPlaceCorpusTests {
  private struct Version {
    let package: String
    let name: String
    let url: URL
    var model: NSManagedObjectModel { NSManagedObjectModel(contentsOf: url)! }
  }

  private func versions(_ repository: String) -> [Version] {
    ["models", "models_at_store_commit"].flatMap { folder in
      Corpus.files(in: "\(folder)/\(repository)", extension: "xcdatamodel").compactMap { url in
        guard NSManagedObjectModel(contentsOf: url) != nil else { return nil }
        return Version(
          package: url.deletingLastPathComponent().lastPathComponent,
          name: url.deletingPathExtension().lastPathComponent,
          url: url)
      }
    }
  }

  @Test(
    "Each store becomes the newest version of its model, and those beside its own, and keeps its objects",
    .enabled(if: Corpus.root != nil, "COREDATA_CORPUS is not set"))
  func stores() throws {
    var (migrated, refused, rows) = (0, 0, 0)
    let endings = [".sqlite", ".moody", ".original"]
    for store in Corpus.files(in: "stores", where: { name in endings.contains { name.hasSuffix($0) } }) {
      let metadata = try SQLiteStore.metadataForPersistentStore(with: store)
      let repository = store.pathComponents[Corpus.root!.pathComponents.count + 1]
      let all = versions(repository)
      guard
        let source = all.first(where: {
          $0.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        })
      else { continue }
      // The newest version, and those beside the store's own.
      let family = all.filter { $0.package == source.package }
        .sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
      let place = family.firstIndex { $0.name == source.name }!
      for (number, target) in family.enumerated()
      where number != place && (abs(number - place) == 1 || number == family.count - 1) {
        let (before, after) = (source.model, target.model)
        if before.entityVersionHashesByName == after.entityVersionHashesByName { continue }
        guard let delta = try? ModelDelta(inferredFrom: before, to: after), delta.pairs.allSatisfy(\.needed.isEmpty)
        else {
          refused += 1
          continue
        }
        rows += try migrate(store, before, after, delta, "\(store.lastPathComponent) to \(target.name)")
        migrated += 1
      }
    }
    print("\(migrated) migrations of public projects' stores with \(rows) rows; \(refused) can't be inferred")
    #expect(migrated > 20)
  }

  private func migrate(
    _ store: URL, _ before: NSManagedObjectModel, _ after: NSManagedObjectModel, _ delta: ModelDelta, _ what: String
  ) throws -> Int {
    let folder = TemporaryFolder()
    let url = folder.file("store.sqlite")
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: url.path + suffix)
    }
    do {
      let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
      let counts = try InPlace.open(url, before, tracking) { try self.counts($0, before) }
      let found = try InPlace.migrate(url, to: after, tracking) { try self.counts($0, after) }
      for entity in after.entities where !entity.isAbstract {
        let former = delta.pair(ofDestination: entity).flatMap { counts[$0.source.name!] } ?? 0
        #expect(found[entity.name!] == former, "\(what): \(entity.name!)")
      }
      return found.values.reduce(0, +)
    } catch {
      Issue.record("\(what): \(error)")
      return 0
    }
  }

  /// How many objects there are of each entity.
  private func counts(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entity in model.entities where !entity.isAbstract {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name!)
      request.includesSubentities = false
      counts[entity.name!] = try context.count(for: request)
    }
    return counts
  }
}
