import DataModelFiles
import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Versions of models that people have made, each with the next one, both ways.
@Suite("Inferred mappings: models that people have made", .enabled(if: Corpus.root != nil))
struct InferenceCorpusTests {
  @Test("Consecutive versions of sample models are inferred or refused as the rules say, up and down")
  func versions() throws {
    var reasons: [String: Int] = [:]
    var inferred = 0
    var changed = 0
    let packages = ModelVersions.packages
    for package in packages {
      for (earlier, later) in zip(package.versions, package.versions.dropFirst()) {
        for (from, to) in [(earlier, later), (later, earlier)] {
          let what = Comment(rawValue: "\(package.name): \(from.values.name) to \(to.values.name)")
          if from.model.entityVersionHashesByName != to.model.entityVersionHashesByName { changed += 1 }
          switch try compare(from, to, what) {
          case nil: inferred += 1
          case let reason?: reasons[reason.rawValue, default: 0] += 1
          }
        }
      }
    }
    let refused = reasons.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    print(
      "Versions: \(packages.count) packages, \(inferred + reasons.values.reduce(0, +)) steps, \(changed) with a change; "
        + "\(inferred) inferred; refused: \(refused)")
    #expect(inferred > 0)
  }

  @Test("What two versions imply is a mapping model between them: each entity has its mapping, with both hashes")
  func mappings() throws {
    for package in ModelVersions.packages {
      for (from, to) in zip(package.versions, package.versions.dropFirst()) {
        guard
          let mapping = try? NSMappingModel.inferredMappingModel(
            forSourceModel: from.model, destinationModel: to.model)
        else { continue }
        let what = Comment(rawValue: "\(package.name): \(from.values.name) to \(to.values.name)")
        let mappings = try #require(mapping.entityMappings)
        #expect(
          Set(mappings.compactMap(\.destinationEntityName)) == Set(to.values.entities.map(\.name)), what)
        #expect(Set(mappings.compactMap(\.sourceEntityName)) == Set(from.values.entities.map(\.name)), what)
        #expect(Set(mappings.compactMap(\.name)).count == mappings.count, what)
        for mapping in mappings {
          let source = mapping.sourceEntityName.flatMap { from.model.entityVersionHashesByName[$0] }
          let destination = mapping.destinationEntityName.flatMap { to.model.entityVersionHashesByName[$0] }
          #expect(mapping.sourceEntityVersionHash == source, what)
          #expect(mapping.destinationEntityVersionHash == destination, what)
          #expect((mapping.mappingType == .copyEntityMappingType) == (source != nil && source == destination), what)
        }
      }
    }
  }

  /// The reason where both refuse.
  private func compare(
    _ from: ModelVersions.Version, _ to: ModelVersions.Version, _ what: Comment
  ) throws -> MigrationRules.Reason? {
    let rules: MigrationRules
    do {
      rules = try MigrationRules(from: from.values, to: to.values)
    } catch let refusal as MigrationRules.Refusal {
      let error = #expect(throws: Failure.self, what) {
        _ = try ModelDelta(inferredFrom: from.model, to: to.model)
      }
      guard case .notInferable(let entity, let property, let reason, _)? = error else {
        Issue.record("no refusal, but \(String(describing: error)): \(what)")
        return refusal.reason
      }
      #expect(entity == refusal.entity, what)
      #expect(property == refusal.property, what)
      #expect(reason.contains(refusal.reason.words), "\(what): \(reason)")
      return refusal.reason
    }
    let delta = try ModelDelta(inferredFrom: from.model, to: to.model)
    #expect(Set(delta.removed.compactMap(\.name)) == rules.removed, what)
    #expect(
      Set(delta.added.compactMap(\.name))
        == Set(rules.entities.filter { $0.value.source == nil }.map(\.key)), what)
    for pair in delta.pairs {
      let rule = try #require(rules.entities[pair.destination.name!], what)
      #expect(rule.source == pair.source.name, what)
      var kept: [String: String] = [:]
      for (name, outcome) in rule.attributes.merging(rule.relationships, uniquingKeysWith: { $1 }) {
        if case .kept(let source) = outcome { kept[name] = source }
      }
      #expect(
        Dictionary(uniqueKeysWithValues: pair.properties.map { ($0.destination.name, $0.source.name) }) == kept,
        "\(what), \(pair.destination.name!)")
    }
    return nil
  }
}

extension MigrationRules.Reason {
  /// Some of the words of the stack's reason.
  var words: String {
    switch self {
    case .ambiguous: "share the renaming identifier"
    case .mergedHierarchies: "hierarchies cannot be merged"
    case .typeChanged: "attribute types are incompatible"
    case .toManyBecameToOne: "to-many relationship can't become a to-one"
    case .otherInverse: "Its inverse was"
    }
  }
}

/// Sample models with several versions.
enum ModelVersions {
  struct Version {
    let values: DataModel
    let model: NSManagedObjectModel
  }

  struct Package {
    let name: String
    /// In order of their names' numbers.
    let versions: [Version]
  }

  /// Those of two versions and more, from sources and compiled.
  static let packages: [Package] = {
    let paths = Corpus.files(in: "models") + Corpus.files(in: "compiled")
    return paths.compactMap { url in
      let read: (DataModelPackage, String)?
      switch url.pathExtension {
      case "xcdatamodeld": read = (try? SourceModelReader.package(at: url)).map { ($0, "xcdatamodel") }
      case "momd": read = (try? CompiledModelFiles.package(at: url)).map { ($0, "mom") }
      default: read = nil
      }
      guard let (package, ext) = read, package.versions.count > 1 else { return nil }
      let versions = package.versions.compactMap { values -> Version? in
        let file = url.appendingPathComponent("\(values.name).\(ext)")
        guard let model = NSManagedObjectModel(contentsOf: file) else { return nil }
        model.freeze()
        return Version(values: values, model: model)
      }
      // The versions' names are the package's with a number: the first has none.
      let stem = package.name
      return Package(
        name: stem,
        versions: versions.sorted {
          let left = $0.values.name == stem ? "" : $0.values.name
          let right = $1.values.name == stem ? "" : $1.values.name
          return left.compare(right, options: .numeric) == .orderedAscending
        })
    }
  }()
}
