/// An incremental store as one context reads it: its methods are called with that context, on its queue.
///
/// Nothing is kept: whoever asks the store makes one.
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
    try keys.compactMap { try faultRow(forKey: $0, in: root) }
  }

  func faultRow(forKey key: Int64, in root: EntityLayout) throws -> RowSnapshot? {
    // Objects of a hierarchy share the keys; which entity the object is of, the store knows.
    let known =
      context.registeredObject(for: store.id(RowReference(entity: root.index, key: key)))?.layout
      ?? store.references.entity(of: key).flatMap(store.layouts.layout(named:))
    let asked = store.id(RowReference(entity: known?.index ?? root.index, key: key))
    return try row(asked).map(store.rowCache.publish)
  }

  /// The row as the store has it now; nil if it says that there is none.
  private func row(_ asked: NSManagedObjectID) throws -> RowSnapshot? {
    let node: NSIncrementalStoreNode
    do {
      node = try store.newValuesForObject(with: asked, with: context)
    } catch let error as NSError
      where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
    {
      return nil
    }
    let method: StaticString = "newValuesForObject(with:with:)"
    guard let reference = store.reference(of: node.objectID, store.layouts), reference.key == asked.key,
      reference.entity == asked.layout.index
    else { throw store.broken(method, "asked for \(asked), it returned a node of \(node.objectID)") }
    let encoder = NodeEncoder(store.layouts, store, method: method)
    return try encoder.row(asked.layout, key: asked.key, version: Int64(truncatingIfNeeded: node.version)) { property in
      if let value = node.value(for: property.description) { return value }
      if property.kind != .toOne { return nil }
      return try store.newValue(forRelationship: property.relationship, forObjectWith: asked, with: context)
    }
  }

  // Relationships.

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    let id = store.id(owner)
    let method: StaticString = "newValue(forRelationship:forObjectWith:with:)"
    let value = try store.newValue(forRelationship: relationship.relationship, forObjectWith: id, with: context)
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

  // Fetches.

  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    let request = request(for: fetch)
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
      return .references(
        try found.map { element in
          let id = wantsIDs ? element as? NSManagedObjectID : (element as? NSManagedObject).flatMap(ownID)
          guard let id else {
            throw refuse(wantsIDs ? "ids" : "objects of the context that asks", element)
          }
          guard let reference = store.reference(of: id, store.layouts), fetch.entities.contains(Int(reference.entity))
          else { throw store.broken(method, "a fetch of \(fetch.layout.name) returned \(id)") }
          return reference
        })
    }
  }

  private func ownID(_ object: NSManagedObject) -> NSManagedObjectID? {
    object.managedObjectContext === context ? object.objectID : nil
  }

  /// The client's request, with what the stack does itself taken out: its limit, for one, where unsaved changes may
  /// leave out some of what the store finds.
  private func request(for fetch: FetchDescription) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>()
    let original = fetch.request.map {
      unsafeBitCast($0 as AnyObject, to: NSFetchRequest<any NSFetchRequestResult>.self)
    }
    if let original { request.takeAll(from: original) }
    request.entity = fetch.layout.entity
    request.includesSubentities = fetch.includesSubentities
    request.fetchLimit = fetch.limit
    request.fetchOffset = fetch.offset
    if fetch.sort.isEmpty { request.sortDescriptors = nil }
    // FETCH expressions have become values.
    if let predicate = fetch.predicate, original?.predicate == nil || fetch.hadFetches {
      request.predicate = NSPredicate.make(predicate)
    } else if fetch.predicate == nil {
      request.predicate = nil
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
