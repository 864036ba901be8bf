internal import DataModelFiles
import Foundation

extension NSMappingModel {
  /// The mapping model for these two models among the `.cdm` files of bundles. Returns nil if no file has it, or if
  /// one of the models is nil. Without bundles it searches the main bundle, which in a Swift package has the resources
  /// of the program's targets.
  ///
  /// A mapping model is for two models if the source model has the source entity of each of its mappings, with that
  /// version hash, and the destination model the destination entity. It need not map every entity: objects of one that
  /// it leaves out are not in the new store.
  ///
  /// If several fit, the first by file name is used that maps each entity that both models have, that is not abstract
  /// and has another hash in each. If there is none, it is the first by file name. The order of bundles and of mappings
  /// does not matter. Files that can't be read are ignored; `init(checkedContentsOf:)` says what is wrong with one.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel else { return nil }
    let urls = NSManagedObjectModel.resourceURLs(in: bundles, ["cdm"]).sorted {
      ($0.lastPathComponent, $0.path) < ($1.lastPathComponent, $1.path)
    }
    var found: [NSEntityMapping]?
    for url in urls {
      guard let file = try? MappingModelFiles.model(at: url).model, file.fits(sourceModel, destinationModel) else {
        continue
      }
      let isComplete = file.mapsChanges(from: sourceModel, to: destinationModel)
      if found != nil, !isComplete { continue }
      guard let mappings = try? Self.mappings(of: file, url: url) else { continue }
      found = mappings
      if isComplete { break }
    }
    guard let best = found else { return nil }
    self.init()
    entityMappings = best
  }

  /// The mapping model in a compiled file (`.cdm`), or in the editor's (`.xcmappingmodel`), which Apple's framework
  /// does not read; nil if it can't be read; `init(checkedContentsOf:)` says why.
  public convenience init?(contentsOf url: URL?) {
    guard let url, let model = try? NSMappingModel(checkedContentsOf: url) else { return nil }
    self.init()
    entityMappings = model.entityMappings
  }

  /// Like `init(contentsOf:)`, for files that a user chose. Throws an error of the Cocoa domain whose text names the
  /// file, the entity mapping, the property, and what is wrong.
  public convenience init(checkedContentsOf url: URL) throws {
    self.init()
    do {
      entityMappings = try Self.mappings(of: try MappingModelFiles.model(at: url).model, url: url)
    } catch let error as InvalidDataModel {
      throw Failure.unreadableModelFile(url: url, what: error.description).nsError
    }
  }

  /// - Throws: `InvalidDataModel` for an expression that the format language can't express.
  private static func mappings(of file: MappingModelFile, url: URL) throws -> [NSEntityMapping] {
    try file.entityMappings.map { value in
      func expression(_ value: MappingExpression?, of property: String?, in mapping: String) throws
        -> FoundationExpression?
      {
        guard let text = value?.text else { return nil }
        do {
          return NodeExpression.make(try PredicateParser.expression(text))
        } catch {
          throw InvalidDataModel(problems: [
            DataModelProblem(
              .error, file: url.path, entity: mapping, property: property,
              message: "the expression \(text) can't be read: \(Failure.words(of: error))")
          ])
        }
      }
      let mapping = NSEntityMapping()
      mapping.name = value.name
      mapping.mappingType = NSEntityMappingType(rawValue: UInt(value.type.rawValue)) ?? .undefinedEntityMappingType
      mapping.sourceEntityName = value.sourceName
      mapping.sourceEntityVersionHash = value.sourceHash.map { Data($0) }
      mapping.destinationEntityName = value.destinationName
      mapping.destinationEntityVersionHash = value.destinationHash.map { Data($0) }
      mapping.sourceExpression = try expression(value.sourceExpression, of: nil, in: value.name)
      mapping.entityMigrationPolicyClassName = value.policyClassName
      mapping.userInfo = userInfo(value.userInfo)
      func properties(_ list: [MappingModelFile.PropertyMapping]) throws -> [NSPropertyMapping] {
        try list.map {
          let property = NSPropertyMapping()
          property.name = $0.name
          property.valueExpression = try expression($0.expression, of: $0.name, in: value.name)
          property.userInfo = userInfo($0.userInfo)
          return property
        }
      }
      mapping.attributeMappings = try properties(value.attributeMappings)
      mapping.relationshipMappings = try properties(value.relationshipMappings)
      return mapping
    }
  }

  private static func userInfo(_ values: [String: DataModel.Value]) -> [AnyHashable: Any]? {
    guard !values.isEmpty else { return nil }
    var info: [AnyHashable: Any] = [:]
    for (key, value) in values {
      info[key] =
        switch value {
        case .boolean(let flag): flag
        case .integer(let number): Int(number)
        case .double(let number): number
        case .decimal(let number): NSDecimalNumber(decimal: number)
        case .string(let text): text
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let bytes): Data(bytes)
        case .uuid(let uuid): uuid
        case .uri(let text): URL(string: text) ?? text as Any
        }
    }
    return info
  }
}

extension MappingModelFile {
  /// See `NSMappingModel.init(from:forSourceModel:destinationModel:)`.
  fileprivate func fits(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Bool {
    func has(_ name: String?, hash: [UInt8]?, hashes: [String: Data]) -> Bool {
      guard let name else { return true }
      return hash.map { Data($0) } == hashes[name] && hash != nil
    }
    let (old, new) = (source.entityVersionHashesByName, destination.entityVersionHashesByName)
    return !entityMappings.isEmpty
      && entityMappings.allSatisfy {
        has($0.sourceName, hash: $0.sourceHash, hashes: old)
          && has($0.destinationName, hash: $0.destinationHash, hashes: new)
      }
  }

  /// Whether each entity of both models that is not abstract and has changed is the source of a mapping.
  fileprivate func mapsChanges(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> Bool {
    let new = destination.entityVersionHashesByName
    let sources = Set(entityMappings.compactMap(\.sourceName))
    return source.entityVersionHashesByName.allSatisfy { name, hash in
      guard let other = new[name], other != hash else { return true }
      return sources.contains(name) || source.entitiesByName[name]?.isAbstract ?? true
    }
  }
}
