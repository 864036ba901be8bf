/// Sections that are found without reading the objects: from a cache, or from one statement that counts them.
///
/// They are used only if they are certain. There has to be one SQLite store, and the stamp of its file must show that
/// nothing wrote to it between the fetch and the counting. There must be no unsaved changes, and the objects must be
/// sorted by the section key first.
struct CachedSections {
  private let cache: SectionCache
  private let store: SQLiteStore
  let definition: SectionCache.Definition
  private let counting: FetchDescription
  private let stamp: String

  private static let settlingTime = 2

  /// Make this before the fetch. nil if sections have to be computed. Traps if the request is another than the one
  /// whose sections the controller keeps there. What others keep there for other requests counts as nothing.
  ///
  /// - Parameter own: what the controller's own cached sections are of; nil if it has none.
  init?(
    _ name: String?, of own: SectionCache.Definition?, criteria: ResultsCriteria, context: NSManagedObjectContext
  ) {
    guard let name, let path = criteria.countablePath, context.parent == nil, !context.hasChanges,
      case .newest = context.generation, let coordinator = context.persistentStoreCoordinator,
      let store = CachedSections.onlyStore(criteria, coordinator), let cache = SectionCache(name, store)
    else { return nil }
    let description = criteria.description
    if description.runsCode { return nil }
    definition = SectionCache.Definition(
      request: [
        description.layout.name, criteria.sectionNameKeyPath ?? "", "\(description.includesSubentities)",
        description.predicate.map(PredicatePrinter.print) ?? "",
      ]
        + description.sort.map {
          "\($0.path.joined(separator: ".")) \($0.ascending) \($0.collation.rawValue)"
        },
      entityVersion: description.layout.entity.versionHash)
    if let own, own != definition, own.entityVersion == definition.entityVersion, cache.read()?.definition == own {
      misuse(.otherCachedRequest(name, cached: own.request, asked: definition.request))
    }
    guard let stamp = store.fileStamp(settledFor: SectionCache.place?.age ?? CachedSections.settlingTime)
    else { return nil }
    self.cache = cache
    self.store = store
    self.stamp = stamp
    var counting = description
    counting.sort = [description.sort[0]]
    counting.output = .dictionaries(
      DictionaryFetch(
        columns: [
          .init(name: "name", expression: .keyPath(path), type: nil),
          .init(name: "count", expression: .function("count:", [.evaluatedObject]), type: nil),
        ], groupBy: [.keyPath(path)]))
    self.counting = counting
  }

  /// The store that the fetch asks, if it is one SQLite store.
  private static func onlyStore(
    _ criteria: ResultsCriteria, _ coordinator: NSPersistentStoreCoordinator
  ) -> SQLiteStore? {
    let stores = coordinator.persistentStores.filter { store in
      criteria.stores?.contains { $0 === store } ?? true
        && coordinator.holds(store, criteria.description.layout)
    }
    return stores.count == 1 ? stores[0] as? SQLiteStore : nil
  }

  /// The sections of the objects fetched since; nil if the store was written to, or if they don't fit.
  func sections(of total: Int) -> [(name: String, count: Int)]? {
    let known = cache.read().flatMap { $0.definition == definition && $0.stamp == stamp ? $0.sections : nil }
    guard let sections = known ?? counted(), store.fileStamp(settledFor: 0) == stamp,
      sections.reduce(0, { $0 + $1.count }) == total
    else { return nil }
    if known == nil { cache.write(.init(definition: definition, stamp: stamp, sections: sections)) }
    return sections
  }

  private func counted() -> [(name: String, count: Int)]? {
    guard case .dictionaries(let rows)? = try? store.rows(for: counting) else { return nil }
    var sections: [(name: String, count: Int)] = []
    for row in rows {
      guard let count = row["count"] as? Int else { return nil }
      let name = ResultsCriteria.text(row["name"])
      // nil and "" have the same name.
      if sections.last?.name == name {
        sections[sections.count - 1].count += count
        continue
      }
      sections.append((name, count))
    }
    return Set(sections.map(\.name)).count == sections.count ? sections : nil
  }
}

extension ResultsCriteria {
  /// The key path of the sections, if a store can count them with the same result: a stored string, number or flag that
  /// is the first sort key, in the order of its values, without a limit.
  var countablePath: [String]? {
    guard sectionPath != nil, let first = description.sort.first, first.path == sectionKeys,
      first.collation == .binary, description.limit == 0, description.offset == 0,
      description.predicate?.isTold ?? true
    else { return nil }
    var layout = description.layout
    for key in sectionKeys.dropLast() {
      guard let property = layout.property(named: key), property.kind == .toOne else { return nil }
      layout = layout.model.layouts[property.destination]
    }
    guard let last = layout.property(named: sectionKeys[sectionKeys.count - 1]) else { return nil }
    return last.form == .integer || last.kind == .string ? sectionKeys : nil
  }
}

extension PredicateNode {
  /// Whether the predicate's text identifies it.
  fileprivate var isTold: Bool {
    var isTold = true
    func look(_ constant: PredicateConstant) {
      switch constant {
      case .other: isTold = false
      case .object(let object): if (object as? NSManagedObjectID)?.isTemporaryID ?? true { isTold = false }
      case .collection(let members): members.forEach(look)
      default: break
      }
    }
    _ = replacing { expression in
      switch expression {
      case .constant(let constant): look(constant)
      case .fetch: isTold = false
      default: break
      }
      return nil
    }
    return isTold
  }
}
