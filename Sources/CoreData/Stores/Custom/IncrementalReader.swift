/// Reads an incremental store for one context. The store's methods are called with that context, on its queue.
///
/// It keeps nothing, so each read makes a new one.
final class IncrementalReader: RowReader {
  private let store: NSIncrementalStore
  private let context: NSManagedObjectContext

  init(_ store: NSIncrementalStore, _ context: NSManagedObjectContext) {
    self.store = store
    self.context = context
  }

  var rowCache: RowCache { store.rowCache }

  // Rows.

  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    try newestRows(of: keys.map { named($0, root) })
  }

  func faultRow(forKey key: Int64, at places: PlaceTable) throws -> RowSnapshot? {
    try newestRows(of: [named(key, places.layout.root)]).first
  }

  /// The objects of a hierarchy share their keys. The context or the store knows which entity an object belongs to.
  private func named(_ key: Int64, _ root: EntityLayout) -> RowReference {
    let reference = RowReference(entity: root.index, key: key)
    if root.subtree.count == 1 { return reference }
    let number = context.owner.number(of: store.identity)
    let known =
      context.owner.registered(reference, store: number)?.layout
      ?? store.references.entity(of: key).flatMap(store.layouts.layout(named:))
    return known.map { RowReference(entity: $0.index, key: key) } ?? reference
  }

  /// The rows as the store has them now, of one hierarchy or several. Rows that the store says are gone are missing.
  func newestRows(of references: [RowReference]) throws -> [RowSnapshot] {
    if references.isEmpty { return [] }
    let ids = references.map(store.id)
    let moment = store.rowCache.moment
    var rows: [RowSnapshot]
    if ids.count > 1, let nodes = try store.newValuesForObjects(with: ids, with: context) {
      let asked = Set(references)
      rows = try self.rows(of: nodes, "newValuesForObjects(with:with:)") { asked.contains($0) }
    } else {
      rows = try ids.compactMap(singleRow)
    }
    store.rowCache.publish(&rows, readAfter: moment)
    return rows
  }

  private func singleRow(_ asked: NSManagedObjectID) throws -> RowSnapshot? {
    let node: NSIncrementalStoreNode
    do {
      node = try store.newValuesForObject(with: asked, with: context)
    } catch let error as NSError where error.saysGone {
      return nil
    }
    return try rows(of: [node], "newValuesForObject(with:with:)") { $0 == asked.reference }.first
  }

  /// - Parameter isAsked: whether a node for that object was asked for.
  private func rows(
    of nodes: [NSIncrementalStoreNode], _ method: StaticString, isAsked: (RowReference) -> Bool
  ) throws -> [RowSnapshot] {
    let encoder = NodeEncoder(store.layouts, store, method: method)
    let destinations = MissingDestinations(nodes, store: store, context: context)
    return try nodes.map { node in
      guard let reference = store.reference(of: node.objectID, store.layouts), isAsked(reference) else {
        throw store.broken(method, "it returned a node of \(node.objectID), which was not asked for")
      }
      let layout = store.layouts[Int(reference.entity)]
      return try encoder.row(layout, key: reference.key, version: Int64(truncatingIfNeeded: node.version)) { property in
        if let value = node.value(for: property.description) { return value }
        return property.kind == .toOne ? try destinations.value(of: property, node) : nil
      }
    }
  }

  // Relationships.

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    try members(of: relationship, owners: [owner])[0]
  }

  /// The members for each owner, in one request if the store supports it.
  private func members(of relationship: LayoutProperty, owners: [RowReference]) throws -> [[RowReference]] {
    let ids = owners.map(store.id)
    if ids.count > 1,
      let found = try store.newValues(
        forRelationship: relationship.relationship, forObjectsWith: ids, with: context)
    {
      return try ids.map { id in
        guard let value = found[id] else { return [] }
        return try references(in: value, relationship, of: id, "newValues(forRelationship:forObjectsWith:with:)")
      }
    }
    return try ids.map { id in
      do {
        let value = try store.newValue(forRelationship: relationship.relationship, forObjectWith: id, with: context)
        return try references(in: value, relationship, of: id, "newValue(forRelationship:forObjectWith:with:)")
      } catch let error as NSError where error.saysGone {
        return []
      }
    }
  }

  private func references(
    in value: Any, _ relationship: LayoutProperty, of id: NSManagedObjectID, _ method: StaticString
  ) throws -> [RowReference] {
    if value is NSNull { return [] }
    guard let members = elements(ofCollection: value) else {
      throw store.broken(
        method, "\(id.layout.name).\(relationship.name) is to-many, but the value is of the type \(type(of: value))")
    }
    let encoder = NodeEncoder(store.layouts, store, method: method)
    var seen: Set<RowReference> = []
    return try members.compactMap { member in
      guard let memberID = member as? NSManagedObjectID else {
        throw store.broken(
          method, "a member of \(id.layout.name).\(relationship.name) is of the type \(type(of: member))")
      }
      let reference = try encoder.reference(memberID, relationship, of: id.layout)
      return seen.insert(reference).inserted ? reference : nil
    }
  }

  /// Takes two requests for any number of owners and members, if the store supports it.
  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    let members = try members(of: relationship, owners: keys.map { RowReference(entity: layout.index, key: $0) })
    var seen: Set<RowReference> = []
    let wanted = members.joined().filter { seen.insert($0).inserted }
    let newest = try newestRows(of: wanted)
    let rows = Dictionary(newest.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
    return zip(keys, members).flatMap { key, members in
      members.compactMap { member in rows[member].map { MemberRow(owner: key, row: $0) } }
    }
  }

  // Fetches.

  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    let request = request(for: fetch)
    let moment = store.rowCache.moment
    let result = try store.execute(request, with: context)
    let method: StaticString = "execute(_:with:)"
    func refuse(_ wanted: String, _ given: Any) -> Failure {
      store.broken(
        method,
        "a fetch of \(fetch.layout.name) was to return \(wanted), but returned a value of the type \(type(of: given))")
    }
    guard let found = elements(ofCollection: result) else { throw refuse("an array", result) }
    switch fetch.output {
    case .count:
      guard found.count == 1, let count = NSNumber(anyNumber: found[0]) else {
        throw refuse("one number, the count", found.first ?? found)
      }
      return .count(count.intValue)
    case .dictionaries:
      return .dictionaries(
        try found.map { element in
          if let dictionary = element as? NSDictionary { return dictionary }
          guard let dictionary = element as? [String: Any] else { throw refuse("dictionaries", element) }
          return NSDictionary(dictionary: dictionary)
        })
    case .rows, .references:
      let wantsIDs = request.resultType == .managedObjectIDResultType
      if !wantsIDs, found.first is NSIncrementalStoreNode {
        let nodes = try found.map { element in
          guard let node = element as? NSIncrementalStoreNode else { throw refuse("nodes, as the first is", element) }
          return node
        }
        return try outcome(of: nodes, fetch, readAfter: moment, method)
      }
      let references = try found.map { element in
        let id = wantsIDs ? element as? NSManagedObjectID : (element as? NSManagedObject).flatMap(ownID)
        guard let id else { throw refuse(wantsIDs ? "ids" : "objects of the context that asks", element) }
        guard let reference = store.reference(of: id, store.layouts), fetch.entities.contains(Int(reference.entity))
        else { throw store.broken(method, "a fetch of \(fetch.layout.name) returned \(id)") }
        return reference
      }
      let list = RowReferences(references)
      return wantsIDs ? .references(list) : .objects(list, held: found.map { $0 as AnyObject })
    }
  }

  private func outcome(
    of nodes: [NSIncrementalStoreNode], _ fetch: FetchDescription, readAfter moment: RowCache.Moment,
    _ method: StaticString
  ) throws -> FetchOutcome {
    var rows = try rows(of: nodes, method) { fetch.entities.contains(Int($0.entity)) }
    guard case .rows = fetch.output else { return .references(RowReferences(rows.lazy.map(\.reference))) }
    store.rowCache.publish(&rows, readAfter: moment)
    return .rows(rows)
  }

  private func ownID(_ object: NSManagedObject) -> NSManagedObjectID? {
    object.managedObjectContext === context ? object.objectID : nil
  }

  /// The client's request without the parts that the stack does itself. It does the limit itself, for example, if
  /// unsaved changes may remove some of the objects that the store finds.
  private func request(for fetch: FetchDescription) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    let original = fetch.request?.asFetch
    if let original { request.takeAll(from: original) }
    request.entity = fetch.layout.entity
    request.includesSubentities = fetch.includesSubentities
    request.fetchLimit = fetch.limit
    request.fetchOffset = fetch.offset
    if fetch.sort.isEmpty { request.sortDescriptors = nil }
    // FETCH expressions were replaced by their values.
    if let predicate = fetch.predicate, original?.predicate == nil || fetch.hadFetches {
      request.predicate = NSPredicate.make(predicate)
    } else if fetch.predicate == nil {
      request.predicate = nil
    } else if !context.formerKeys.isEmpty, let node = try? original?.predicate?.node {
      // The store knows no temporary ids.
      let named = context.withPermanentIDs(node)
      if named != node { request.predicate = NSPredicate.make(named) }
    }
    switch fetch.output {
    case .count: request.resultType = .countResultType
    case .dictionaries: request.resultType = .dictionaryResultType
    case .references where original?.resultType == .managedObjectIDResultType: break
    case .references, .rows: request.resultType = .managedObjectResultType
    }
    return request
  }
}

/// The destinations of to-one relationships that nodes left out. They are fetched together when the first is needed.
private final class MissingDestinations {
  private let nodes: [NSIncrementalStoreNode]
  private let store: NSIncrementalStore
  private let context: NSManagedObjectContext
  /// By relationship; nil if the store takes one object at a time.
  private var answers: [ObjectIdentifier: [NSManagedObjectID: Any]?] = [:]

  init(_ nodes: [NSIncrementalStoreNode], store: NSIncrementalStore, context: NSManagedObjectContext) {
    self.nodes = nodes
    self.store = store
    self.context = context
  }

  func value(of property: LayoutProperty, _ node: NSIncrementalStoreNode) throws -> Any {
    if nodes.count > 1, let answer = try answer(for: property, node.objectID) {
      return answer[node.objectID] ?? NSNull()
    }
    return try store.newValue(forRelationship: property.relationship, forObjectWith: node.objectID, with: context)
  }

  private func answer(for property: LayoutProperty, _ id: NSManagedObjectID) throws -> [NSManagedObjectID: Any]? {
    let name = ObjectIdentifier(property)
    if let known = answers[name] { return known }
    let owners = nodes.filter { $0.objectID.layout === id.layout && $0.value(for: property.description) == nil }
    let answer = try store.newValues(
      forRelationship: property.relationship, forObjectsWith: owners.map(\.objectID), with: context)
    answers[name] = .some(answer)
    return answer
  }
}

extension NSError {
  /// Whether this error means that an object is gone. Every other error means that it can't be read now.
  fileprivate var saysGone: Bool {
    domain == NSCocoaErrorDomain && code == NSManagedObjectReferentialIntegrityError
  }
}
