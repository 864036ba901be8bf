/// Writes the whole content of a store into another, empty one. Rows keep their keys and versions, so that what
/// contexts know about them stays valid.
struct StoreCopy {
  let layouts: ModelLayouts
  /// The entities that the stores hold.
  let entities: [EntityLayout]
  /// What the client has added to the metadata.
  let metadata: [String: Any]

  init(_ store: NSPersistentStore, _ layouts: ModelLayouts, entities: [EntityLayout]) {
    self.layouts = layouts
    self.entities = entities
    metadata = (store.metadata ?? [:]).filter { !NSPersistentStore.isOwn($0.key) }
  }

  func fill(_ destination: any ValueStore, from source: any RowStore) throws {
    let source = try source.reader(for: nil)
    let changes = ChangeSet()
    for root in entities where root.isRoot {
      guard case .rows(let rows) = try source.rows(for: FetchDescription(layout: root)) else { continue }
      guard let last = rows.map(\.key).max() else { continue }
      guard try destination.admitKeys(upTo: last, in: root) else {
        throw Failure.unsupportedFeature("Migrating into a store of class \(type(of: destination)) that chooses keys")
      }
      // Copies, since a row belongs to the cache of one store.
      changes.inserted += try rows.map { row in
        let layout = layouts[row.entity]
        let row = row.withUnicodeTexts(layout) ?? row
        if !layout.external.isEmpty, !destination.followsReferences { return try row.withExternalValues(layout) }
        return RowSnapshot.make(key: row.key, version: row.version, entity: row.entity, bytes: row.bytes)
      }
      for (entity, members) in Dictionary(grouping: rows, by: \.entity).sorted(on: \.key) {
        changes.links += try links(of: members.map(\.key), layouts[entity], source)
      }
    }
    var all: [String: Any] = destination.metadata ?? [:]
    all.merge(metadata) { own, _ in own }
    destination.metadata = all
    guard case .saved = try destination.commit(changes) else {
      throw Failure.unsupportedFeature("Migrating rows that a store of type \(destination.type) takes for conflicts")
    }
  }

  /// Links that rows don't contain: join tables, orders, relationships without inverse.
  private func links(
    of owners: [Int64], _ layout: EntityLayout, _ source: any RowReader
  ) throws -> [LinkChange] {
    try layout.toMany.filter { property in
      !property.isTransient && (property.isOrdered || property.inverse?.kind != .toOne)
        && entities.contains { $0.index == property.destination }
    }.flatMap { property in
      let found = try source.memberRows(of: property, owners: owners, of: layout)
      return Dictionary(grouping: found, by: \.owner).sorted(on: \.key).map { owner, members in
        let references = members.map(\.row.reference)
        return LinkChange(
          owner: RowReference(entity: layout.index, key: owner), relationship: property, added: references,
          removed: [], order: property.isOrdered ? references : nil)
      }
    }
  }
}
