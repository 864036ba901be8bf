/// How large a model from a file may be. No model that people have made for their data comes near these sizes.
///
/// A small file can ask for much more, because what an entity declares counts again for each entity that inherits it,
/// and what a composite type has for each attribute of the type.
package enum ModelLimits {
  /// Entities; stores use the numbers from 16,000 on for other things.
  package static let entities = 15_999
  /// The entities that one entity inherits from.
  package static let ancestors = 200
  /// Entities, each counted again for each that inherits from it.
  package static let lines = 100_000
  /// Properties, each counted again for each entity that inherits it, and those in composites.
  package static let properties = 1_000_000
  package static let configurations = 200
  /// Composites, one in the other.
  static let compositeLevels = 20
  /// The attributes in a composite, at all levels.
  static let compositeAttributes = 2_000
}

/// What is too large about a model.
package struct ModelExcess: Error, CustomStringConvertible {
  /// The entity or composite that it is about; nil for the model as a whole.
  package let subject: String?
  package let message: String

  package var description: String { (subject.map { "\($0): " } ?? "") + message }
}

/// The entities that each entity of a model inherits from.
package struct ModelLines {
  /// The positions of each entity's ancestors, nearest first. A line ends before an entity would come a second time.
  package private(set) var ancestors: [[Int]] = []
  /// The number of properties of all entities, each counted again for each entity that inherits it.
  package private(set) var propertyCount = 0

  /// The lines of no entities.
  init() {}

  /// - Parameters:
  ///   - parents: the position of each entity's parent.
  ///   - properties: how many properties each entity declares.
  ///   - name: the name of the entity at a position.
  /// - Throws: `ModelExcess`.
  package init(parents: [Int?], properties: [Int], name: (Int) -> String) throws {
    guard parents.count <= ModelLimits.entities else {
      throw ModelExcess(subject: nil, message: "the model has more than 15,999 entities")
    }
    ancestors.reserveCapacity(parents.count)
    var relatives = parents.count
    for place in parents.indices {
      var line: [Int] = []
      propertyCount += properties[place]
      var next = parents[place]
      while let ancestor = next, ancestor != place, !line.contains(ancestor) {
        guard line.count < ModelLimits.ancestors else {
          throw ModelExcess(subject: name(place), message: "it inherits from more than 200 entities")
        }
        line.append(ancestor)
        propertyCount += properties[ancestor]
        next = parents[ancestor]
      }
      relatives += line.count
      guard relatives <= ModelLimits.lines else {
        throw ModelExcess(
          subject: nil,
          message: "the model has more than 100,000 entities, each counted again for those that inherit from it")
      }
      guard propertyCount <= ModelLimits.properties else {
        throw ModelExcess(
          subject: nil,
          message: "the model has more than 1,000,000 properties, each counted again for entities that inherit it")
      }
      ancestors.append(line)
    }
  }
}

/// What the composite types of a model have in them.
struct CompositeSizes {
  /// The number of attributes in each type, at all levels, by the type's name.
  private(set) var counts: [String: Int] = [:]
  /// The types that hold themselves.
  private(set) var circular: Set<String> = []
  private var levels: [String: Int] = [:]
  private let types: [String: DataModel.CompositeType]
  /// The types that are being looked into, each held by the one before.
  private var open: [String] = []

  /// The sizes of no types.
  init() { types = [:] }

  /// - Throws: `ModelExcess`.
  init(_ composites: [DataModel.CompositeType]) throws {
    types = Dictionary(composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for type in composites { try measure(type) }
  }

  /// Looks into each type once. Where two attributes lead from each level to the next, there are too many ways to go.
  private mutating func measure(_ type: DataModel.CompositeType) throws {
    if counts[type.name] != nil { return }
    guard open.count < ModelLimits.compositeLevels else { throw CompositeSizes.tooDeep(open[0]) }
    open.append(type.name)
    var (count, level) = (type.attributes.count, 1)
    for attribute in type.attributes where attribute.type == .composite {
      guard let name = attribute.compositeName, let held = types[name] else { continue }
      if let place = open.firstIndex(of: name) {
        circular.formUnion(open[place...])
        continue
      }
      try measure(held)
      count += counts[name] ?? 0
      level = max(level, 1 + (levels[name] ?? 0))
    }
    guard count <= ModelLimits.compositeAttributes else {
      throw ModelExcess(subject: type.name, message: "the composite has more than 2,000 attributes in it")
    }
    guard level <= ModelLimits.compositeLevels else { throw CompositeSizes.tooDeep(type.name) }
    open.removeLast()
    counts[type.name] = count
    levels[type.name] = level
  }

  private static func tooDeep(_ name: String) -> ModelExcess {
    ModelExcess(subject: name, message: "the composite has others in it, more than 20 deep")
  }

  /// The number of properties that an entity declares, with those in its composites.
  func propertyCount(of entity: DataModel.Entity) -> Int {
    let own = entity.attributes.count + entity.relationships.count + entity.fetchedProperties.count
    if counts.isEmpty { return own }
    return entity.attributes.reduce(own) { count, attribute in
      guard attribute.type == .composite, let name = attribute.compositeName else { return count }
      return count + (counts[name] ?? 0)
    }
  }
}

extension DataModel {
  /// What is too large about the model; nil if nothing is. Models that passed their validation are not too large.
  package func excess() -> ModelExcess? {
    let places = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    do {
      let sizes = try measured(places: places).composites
      return sizes.circular.min().map { ModelExcess(subject: $0, message: "the composite holds itself") }
    } catch {
      return error as? ModelExcess
    }
  }

  /// - Parameter places: the positions of the entities, by name.
  /// - Throws: `ModelExcess`.
  func measured(places: [String: Int]) throws -> (lines: ModelLines, composites: CompositeSizes) {
    guard configurations.count <= ModelLimits.configurations else {
      throw ModelExcess(subject: nil, message: "the model has more than 200 configurations")
    }
    let sizes = try CompositeSizes(self.composites)
    let lines = try ModelLines(
      parents: entities.map { entity in entity.parentName.flatMap { places[$0] } },
      properties: entities.map { sizes.propertyCount(of: $0) }, name: { entities[$0].name })
    return (lines, sizes)
  }
}
