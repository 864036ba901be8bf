import CoreData
import DataModelFiles
import Foundation
import PostgreSQLStore

/// The choice of the model to read a store with.
struct StoreModel {
  var origin = ModelOrigin.none
  var model: NSManagedObjectModel?
  /// The model before it was changed for reading.
  var values: DataModel?
  /// The model's own version hashes, by entity; empty for an inferred one, which has the store's.
  var hashes: [String: [UInt8]] = [:]
  /// The configuration whose entities the store holds; nil for all.
  var configuration: String?
  /// The reason why there is no model.
  var obstacle: String?

  init(kind: FileKind, place: URL, hashes: [String: Data], given: URL?) throws {
    if let given {
      try take(given, hashes)
      return
    }
    guard kind != .binaryStore else {
      obstacle = "a binary store neither keeps its model nor names its attributes; give the model with --model"
      return
    }
    if kind == .postgreSQLStore {
      guard let model = PostgreSQLStore.keptModel(at: place) else {
        obstacle = "the store keeps no model that can be read; give the model with --model"
        return
      }
      take(model, hashes)
      return
    }
    do {
      let model = try NSManagedObjectModel(storedIn: place)
      take(model, hashes)
    } catch {
      obstacle = reason(error)
    }
  }

  /// Takes the model that the store itself provides.
  private mutating func take(_ model: NSManagedObjectModel, _ hashes: [String: Data]) {
    let values = DataModel(model)
    origin = model.storeOrigin == .cached ? .cached : .inferred
    configuration = Self.configuration(of: values, holding: Set(hashes.keys))
    self.model = model
    self.values = values
    if origin == .cached { self.hashes = values.entityVersionHashes() }
  }

  /// Takes the version that fits best: the one with the most equal hashes, then the current one.
  private mutating func take(_ url: URL, _ hashes: [String: Data]) throws {
    let file = try ModelVersions(at: url)
    func equal(_ version: ModelVersions.Version) -> Int {
      let own = version.hashes
      let same = hashes.count { name, hash in own[name].map { Data($0) } == hash }
      // If two versions have all entities, the one with fewer others fits better.
      return same * 1000 - own.count
    }
    let best = file.versions.max {
      (equal($0), $0.isCurrent ? 1 : 0) < (equal($1), $1.isCurrent ? 1 : 0)
    }!
    do {
      let model = try NSManagedObjectModel(values: best.model, url: file.url, statedHashes: best.statedHashes)
      // A coordinator made directly from an unusable model would end the program.
      _ = try NSPersistentStoreCoordinator(checking: model.copy() as! NSManagedObjectModel)
      self.model = model
    } catch {
      throw InspectionFailure("The model \(url.path) cannot be used to read a store", because: error)
    }
    values = best.model
    self.hashes = best.hashes
    origin = .given(url, version: best.model.name)
    configuration = Self.configuration(of: best.model, holding: Set(hashes.keys))
  }

  /// Returns the configuration with exactly these entities; nil if they are all of the model's.
  private static func configuration(of model: DataModel, holding names: Set<String>) -> String? {
    if names.isEmpty || names == Set(model.entities.map(\.name)) { return nil }
    return model.configurations.first { Set($0.entityNames) == names }?.name
  }
}
