import CoreData

/// The results of a fetch, which are read in batches: the store says at once which there are, and their values are read
/// when one of a batch is asked for. Only one batch is in memory at a time, beside the models that you keep.
///
/// To be used where its context is.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let source: BatchSource<Element>

  init(_ source: BatchSource<Element>) { self.source = source }

  /// 0
  public var startIndex: Int { 0 }
  /// How many there are.
  public var endIndex: Int { source.count }
  /// The element at a place. A store that cannot be read ends the program with a sentence.
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
      // The one before goes first.
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
  /// The models that a descriptor asks for, read in batches.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    let ids = try objectIDs(descriptor)
    return FetchResultsCollection(
      BatchSource(ids, batchSize: batchSize) { [self] ids in
        // What is gone since the fetch keeps its place, and tells when it is read.
        let read = try objects(ids, T.self)
        return withExtendedLifetime(read) { ids.map { model(of: managedContext.object(with: $0), T.self) } }
      })
  }

  /// The identities of the models that a descriptor asks for. Nothing else is read of them.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    let ids = try objectIDs(descriptor)
    return FetchResultsCollection(
      BatchSource(ids, batchSize: batchSize) { [self] ids in ids.map(identifier(of:)) })
  }

  private func identifier(of id: NSManagedObjectID) -> PersistentIdentifier {
    guard id.isTemporaryID, let object = managedContext.registeredObject(for: id) as? ModelObject else {
      return PersistentIdentifier(id)
    }
    return object.storage?.identifier ?? PersistentIdentifier(id)
  }

  func objectIDs<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [NSManagedObjectID] {
    let request = try request(descriptor)
    // What is not saved yet is found as objects.
    if hasChanges, descriptor.includePendingChanges { return try managedContext.fetch(request).map(\.objectID) }
    let identifying = NSFetchRequest<NSManagedObjectID>(entityName: ModelType.of(T.self).name)
    identifying.predicate = request.predicate
    identifying.sortDescriptors = request.sortDescriptors
    identifying.fetchLimit = request.fetchLimit
    identifying.fetchOffset = request.fetchOffset
    identifying.includesPendingChanges = false
    identifying.resultType = .managedObjectIDResultType
    return try managedContext.fetch(identifying)
  }

  /// The objects of some ids, with their values, but those that are gone.
  func objects<T: PersistentModel>(
    _ ids: ArraySlice<NSManagedObjectID>, _: T.Type
  ) throws -> [NSManagedObjectID: NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: ModelType.of(T.self).name)
    request.predicate = NSPredicate(format: "SELF IN %@", argumentArray: [ids.filter { !$0.isTemporaryID }])
    request.includesPendingChanges = false
    request.returnsObjectsAsFaults = false
    var found: [NSManagedObjectID: NSManagedObject] = [:]
    for object in try managedContext.fetch(request) { found[object.objectID] = object }
    for id in ids where id.isTemporaryID { found[id] = managedContext.registeredObject(for: id) }
    return found
  }
}
