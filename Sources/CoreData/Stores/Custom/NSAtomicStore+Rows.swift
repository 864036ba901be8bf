/// Connects an atomic store with the coordinator: rows in memory, encoded from the store's nodes.
extension NSAtomicStore: MemoryBacked, ObjectStore {
  func reserveKeys(for objects: [NSManagedObject]) throws -> [Int64] {
    var given: Set<Int64> = []
    return try objects.map { object in
      let reference = newReferenceObject(for: object)
      let key = references.key(for: reference, of: object.layout)
      guard nodes.all[key] == nil, given.insert(key).inserted else {
        throw broken(
          "newReferenceObject(for:)",
          "\(Failure.words(for: reference)) is the reference of another \(object.layout.name)")
      }
      return key
    }
  }

  package var hasUnsavedMetadata: Bool { !isReadOnly && hasNewMetadata }

  func commit(_ changes: ChangeSet, of objects: ChangedObjects) throws -> SaveOutcome {
    saving.lock()
    defer { saving.unlock() }
    let outcome = try writingMetadata {
      try committed.commit(changes, writtenByOthers: { try write(changes, objects) })
    }
    // Nodes that `save()` has added, of records that others have put into the file. The save's own are rows already.
    if nodes.haveAdded {
      takeAddedNodes(but: Set((changes.inserted + changes.updated.map(\.row) + changes.deleted).map(\.key)))
    }
    return outcome
  }

  /// Makes the subclass take the changes into its nodes and write them. If that fails, the nodes are as before.
  private func write(_ changes: ChangeSet, _ objects: ChangedObjects) throws {
    let before = nodes.all
    var values: [(node: NSAtomicStoreCacheNode, values: NSMutableDictionary?)] = []
    nodes.isCollecting = true
    defer { nodes.isCollecting = false }
    do {
      for row in changes.inserted {
        let object = objects.object(row.reference)
        let node = newCacheNode(for: object)
        guard reference(of: node.objectID, layouts) == row.reference else {
          throw broken("newCacheNode(for:)", "for \(object.objectID) it returned a node of \(node.objectID)")
        }
        nodes.set(node, at: row.key)
      }
      for update in changes.updated {
        guard let node = nodes.all[update.row.key] else {
          throw broken("load()", "there is no node of \(objects.object(update.row.reference).objectID)")
        }
        values.append((node, node.propertyCache.map { $0.mutableCopy() as! NSMutableDictionary }))
      }
      let all = nodes.all
      for row in changes.inserted + changes.updated.map(\.row) {
        if let node = all[row.key] { updateCacheNode(node, from: objects.object(row.reference)) }
      }
      let gone = Set(changes.deleted.compactMap { all[$0.key] })
      if !gone.isEmpty { willRemoveCacheNodes(gone) }
      for row in changes.deleted { nodes.set(nil, at: row.key) }
      try save()
      // They may lead to each other, and so keep each other alive.
      for node in gone { node.propertyCache = nil }
    } catch {
      nodes.all = before
      for (node, values) in values { node.propertyCache = values }
      _ = nodes.takeAdded()
      throw error
    }
  }

  /// Takes in the nodes that were added after the store was loaded.
  func takeAddedNodes(but written: Set<Int64> = []) {
    saving.lock()
    defer { saving.unlock() }
    let added = nodes.takeAdded().filter { !written.contains($0.objectID.key) }
    if added.isEmpty { return }
    do {
      let found = try rows(of: added, method: "addCacheNodes(_:)")
      var rows = committed.current
      let changes = ChangeSet()
      var relinked: Set<RowReference> = []
      // A node that takes the place of another may have fewer members.
      changes.links = found.links.map { link in
        guard rows.row(link.owner) != nil else { return link }
        var link = link
        let former = rows.members(of: link.relationship, owner: link.owner)
        let members = Set(link.added)
        link.removed = former.filter { !members.contains($0) }
        let isSame = link.order.map { $0 == former } ?? (members == Set(former))
        if !isSame { relinked.insert(link.owner) }
        return link
      }
      for row in found.inserted {
        guard let base = rows.row(row.reference) else {
          changes.inserted.append(row)
          continue
        }
        // A store may add all nodes of its file again. Those that are as they were are no conflict.
        if base.hasSameValues(as: row, layouts[row.entity]), !relinked.contains(row.reference) { continue }
        let newer = RowSnapshot.make(key: row.key, version: base.version + 1, entity: row.entity, bytes: row.bytes)
        changes.updated.append(RowUpdate(row: newer, base: base, changed: SlotMask()))
      }
      rows.apply(changes)
      committed.replace(by: rows, lastKeys: committed.givenKeys)
      rowCache.invalidate(changes.updated.map(\.row.reference))
    } catch {
      misuse("The nodes that were added to the store \(identity.uuid) can't be read: \(Failure.words(of: error))")
    }
  }

  // From nodes to rows.

  /// The rows of nodes, and the links between them that no row contains.
  func rows(of nodes: [NSAtomicStoreCacheNode], method: StaticString) throws -> ChangeSet {
    let encoder = NodeEncoder(layouts, self, method: method)
    let changes = ChangeSet()
    // Nodes may state a one-to-many relationship on the "one" side only.
    var owners: [RowReference: [Int: NSManagedObjectID]] = [:]
    for node in nodes {
      let owner = try checked(node, method)
      let layout = layouts[Int(owner.entity)]
      for property in layout.toMany where !property.isTransient {
        guard let value = node.value(forKey: property.name), !(value is NSNull) else { continue }
        let members = try members(value, property: property, of: layout, encoder: encoder, method: method)
        let inverse = property.inverse
        if let inverse, inverse.kind == .toOne {
          for member in members { owners[member, default: [:]][inverse.keyNumber] = node.objectID }
          if !property.isOrdered { continue }
        }
        changes.links.append(
          LinkChange(
            owner: owner, relationship: property, added: members, removed: [],
            order: property.isOrdered ? members : nil))
      }
    }
    for node in nodes {
      let reference = try checked(node, method)
      let layout = layouts[Int(reference.entity)]
      let row = try encoder.row(layout, key: reference.key, version: 1) { property in
        let value = node.value(forKey: property.name)
        guard property.kind == .toOne, value == nil || value is NSNull else { return value }
        return owners[reference]?[property.keyNumber]
      }
      changes.inserted.append(row)
    }
    return changes
  }

  private func checked(_ node: NSAtomicStoreCacheNode, _ method: StaticString) throws -> RowReference {
    guard let reference = reference(of: node.objectID, layouts) else {
      throw broken(method, "the id \(node.objectID) of a node is not of this store")
    }
    return reference
  }

  private func members(
    _ value: Any, property: LayoutProperty, of layout: EntityLayout, encoder: NodeEncoder, method: StaticString
  ) throws -> [RowReference] {
    guard let members = elements(ofCollection: value) else {
      throw broken(
        method,
        "\(layout.name).\(property.name) is to-many, but a node has a value of the type \(Swift.type(of: value))")
    }
    return try members.map { member in
      guard let id = (member as? NSAtomicStoreCacheNode)?.objectID ?? member as? NSManagedObjectID else {
        throw broken(
          method,
          "a member of \(layout.name).\(property.name) is of the type \(Swift.type(of: member)), not a node")
      }
      return try encoder.reference(id, property, of: layout)
    }
  }
}
