import CoreData

/// The results of a fetch, read in batches. The fetch finds out at once which models there are; their values are read
/// when you ask for an element of their batch. Only one batch is in memory at a time, apart from the models that you
/// keep.
///
/// Use it on the thread or actor of its context.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let source: BatchSource<Element>

  init(_ source: BatchSource<Element>) { self.source = source }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of results.
  public var endIndex: Int { source.count }
  /// The result at a position. If the store can't be read, the program ends with a message that says so.
  public subscript(position: Int) -> Element {
    precondition(indices.contains(position), "The collection has \(count) elements, and none at \(position).")
    return source.element(at: position)
  }
}

/// The ids that a fetch has found, and the elements of one batch of them.
final class BatchSource<Element> {
  private let ids: [NSManagedObjectID]
  private let batchSize: Int
  private let read: (ArraySlice<NSManagedObjectID>) throws -> [Element]
  private var batch: (start: Int, elements: [Element]) = (0, [])

  init(
    _ ids: [NSManagedObjectID], batchSize: Int, read: @escaping (ArraySlice<NSManagedObjectID>) throws -> [Element]
  ) {
    self.ids = ids
    self.batchSize = batchSize > 0 ? batchSize : Swift.max(ids.count, 1)
    self.read = read
  }

  var count: Int { ids.count }

  func element(at position: Int) -> Element {
    if !(batch.start..<(batch.start + batch.elements.count)).contains(position) {
      let start = position / batchSize * batchSize
      // Release the current batch before reading the next.
      batch = (0, [])
      do {
        batch = (start, try read(ids[start..<Swift.min(start + batchSize, ids.count)]))
      } catch {
        misuse(
          MisuseReport(
            "A batch of a fetch could not be read.", facts: [("From", "\(start) of \(count)"), ("Error", "\(error)")],
            how: "The store was changed or closed after the fetch, and a subscript cannot throw.",
            remedy: "Use fetch(_:), which reads everything at once and throws, or keep the store open."))
      }
    }
    return batch.elements[position - batch.start]
  }
}

extension ModelContext {
  /// Fetches the models that a descriptor describes, and reads them in batches.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    let ids = try objectIDs(descriptor)
    return FetchResultsCollection(
      BatchSource(ids, batchSize: batchSize) { [self] ids in
        // A model that was deleted since the fetch keeps its place. Reading its values ends the program with a message.
        let read = try objects(ids, T.self)
        return withExtendedLifetime(read) { ids.map { model(of: managedContext.object(with: $0), T.self) } }
      })
  }

  /// Fetches the identities of the models that a descriptor describes, without their values.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    let ids = try objectIDs(descriptor)
    return FetchResultsCollection(
      BatchSource(ids, batchSize: batchSize) { [self] ids in ids.map(identifier(of:)) })
  }

  func identifier(of id: NSManagedObjectID) -> PersistentIdentifier {
    guard id.isTemporaryID, let object = managedContext.registeredObject(for: id) as? ModelObject else {
      return PersistentIdentifier(id)
    }
    return object.storage?.identifier ?? PersistentIdentifier(id)
  }

  func objectIDs<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [NSManagedObjectID] {
    let request = try request(descriptor)
    // The store doesn't know the unsaved changes, so the context has to fetch objects.
    if hasChanges, descriptor.includePendingChanges {
      return try asking(descriptor, request) { try managedContext.fetch($0).map(\.objectID) }
    }
    let identifying = NSFetchRequest<NSManagedObjectID>(withAllOf: request)
    identifying.includesPendingChanges = false
    identifying.resultType = .managedObjectIDResultType
    // To prefetch, the context would have to make objects.
    identifying.relationshipKeyPathsForPrefetching = nil
    return try asking(descriptor, identifying) { try managedContext.fetch($0) }
  }

  /// The objects with these ids, with their values read. Those that were deleted are missing.
  func objects<T: PersistentModel>(
    _ ids: ArraySlice<NSManagedObjectID>, _: T.Type
  ) throws -> [NSManagedObjectID: NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: ModelType.of(T.self).name)
    request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids.filter { !$0.isTemporaryID }])
    request.includesPendingChanges = false
    request.returnsObjectsAsFaults = false
    var found: [NSManagedObjectID: NSManagedObject] = [:]
    for object in try managedContext.fetch(request) { found[object.objectID] = object }
    // They may have been saved since, and nothing may have kept them.
    for id in ids where id.isTemporaryID { found[id] = try? managedContext.existingObject(with: id) }
    return found
  }
}
