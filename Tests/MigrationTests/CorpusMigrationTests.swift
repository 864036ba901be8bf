import CoreData
import DataModelFiles
import Foundation
import TestDice
import TestFiles
import Testing

/// Versions of models that people have made: a store of each, full of random objects, is migrated to the next one.
@Suite("Stores of models that people have made, migrated", .enabled(if: Corpus.root != nil))
struct CorpusMigrationTests {
  enum Kind: String, CaseIterable {
    case sqlite, xml
    var type: String { self == .sqlite ? NSSQLiteStoreType : NSXMLStoreType }
  }

  @Test(
    "Consecutive versions of sample models: every object is kept, changed or dropped as the rules say, or the store is refused and as it was",
    arguments: Kind.allCases)
  func versions(_ kind: Kind) throws {
    var report = Report()
    for package in ModelVersions.packages {
      for (earlier, later) in zip(package.versions, package.versions.dropFirst()) {
        for (from, to) in [(earlier, later), (later, earlier)] {
          report.steps += 1
          try step(from, to, kind, "\(package.name): \(from.values.name) to \(to.values.name)", &report)
        }
      }
    }
    print("Migrated, \(kind): \(report)")
    #expect(report.migrated > 0)
  }

  struct Report: CustomStringConvertible {
    var steps = 0, same = 0, migrated = 0, refused = 0, unfilled = 0, objects = 0
    var description: String {
      "\(steps) steps, \(migrated) migrated with \(objects) objects, \(refused) refused, \(same) without a change, "
        + "\(unfilled) of models that stores of this type can't have"
    }
  }

  private func step(
    _ from: ModelVersions.Version, _ to: ModelVersions.Version, _ kind: Kind, _ what: String, _ report: inout Report
  ) throws {
    let (old, new) = (from.model.copy() as! NSManagedObjectModel, to.model.copy() as! NSManagedObjectModel)
    for model in [old, new] { CorpusData.relax(model) }
    if old.entityVersionHashesByName == new.entityVersionHashesByName {
      report.same += 1
      return
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("Store.\(kind)")

    let first = NSPersistentStoreCoordinator(managedObjectModel: old)
    do {
      try first.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
    } catch {
      // Names that differ in case only, types that no store takes.
      report.unfilled += 1
      return
    }
    var data = CorpusData(model: old, random: Dice(state: UInt64(report.steps)))
    let count = try data.fill(first, objectsPerEntity: 4)
    let before = try ObjectGraph(first)
    for store in first.persistentStores { try first.remove(store) }

    var rules: MigrationRules?
    do { rules = try MigrationRules(from: from.values, to: to.values) } catch is MigrationRules.Refusal { rules = nil }
    let lacksValues = rules?.refuses(before) == true
    if lacksValues { rules = nil }
    let second = NSPersistentStoreCoordinator(managedObjectModel: new)
    let asked: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    guard let rules else {
      let error = #expect(throws: NSError.self, "\(what)") {
        try second.addPersistentStore(ofType: kind.type, configurationName: nil, at: url, options: asked)
      }
      let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
      #expect(error?.code == (lacksValues ? 134110 : 134140), "\(what): \(error?.localizedDescription ?? "")")
      #expect(cause?.code == (lacksValues ? 134110 : 134190), "\(what)")
      try first.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
      let differences = try before.differences(
        afterMigrationTo: ObjectGraph(first), .identity(of: old), old, old)
      #expect(differences.isEmpty, "\(what): \(differences.prefix(3))")
      report.refused += 1
      return
    }
    do {
      try second.addPersistentStore(ofType: kind.type, configurationName: nil, at: url, options: asked)
    } catch {
      Issue.record("\(what): \((error as NSError).localizedDescription)")
      return
    }
    let differences = try before.differences(
      afterMigrationTo: ObjectGraph(second), Correspondence(rules), old, new)
    #expect(differences.isEmpty, "\(what): \(differences.count) differences, \(differences.prefix(3))")
    report.migrated += 1
    report.objects += count
  }
}

extension Correspondence {
  init(_ rules: MigrationRules) {
    for (name, rule) in rules.entities {
      guard let source = rule.source else { continue }
      entities[name] = source
      for (property, outcome) in rule.attributes.merging(rule.relationships, uniquingKeysWith: { $1 }) {
        if case .kept(let former) = outcome { properties[name, default: [:]][property] = former }
      }
    }
  }

  /// Everything stays what it is.
  static func identity(of model: NSManagedObjectModel) -> Correspondence {
    var same = Correspondence()
    for entity in model.entities {
      same.entities[entity.name!] = entity.name!
      same.properties[entity.name!] = Dictionary(uniqueKeysWithValues: entity.properties.map { ($0.name, $0.name) })
    }
    return same
  }
}
