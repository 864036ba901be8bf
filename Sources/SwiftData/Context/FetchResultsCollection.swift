import CoreData

/// What a fetch with a batch size has found. Which models these are is known; their values are read for a batch of them
/// when one is asked for.
///
/// Belongs to the thread or actor of its context, which it keeps alive.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private let objects: [NSManagedObject]
  private let element: (NSManagedObject) -> Element

  init(_ objects: [NSManagedObject], _ element: @escaping (NSManagedObject) -> Element) {
    self.objects = objects
    self.element = element
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// How many were found.
  public var endIndex: Int { objects.count }
  /// The model, or identity, at a position; from 0.
  public subscript(position: Int) -> Element { element(objects[position]) }
}

extension ModelContext {
  /// The models that a descriptor asks for. Their values are read for `batchSize` models at a time.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    FetchResultsCollection(try faults(descriptor, batchSize)) { self.model(of: $0, T.self) }
  }

  /// The identities of the models that a descriptor asks for. No model is made for them, and no value is read.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(try faults(descriptor, batchSize)) { object in
      (object as? ModelObject)?.storage?.identifier ?? PersistentIdentifier(object.objectID)
    }
  }

  private func faults<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ batchSize: Int
  ) throws -> [NSManagedObject] {
    let request = try request(descriptor)
    request.fetchBatchSize = batchSize
    return try managedContext.fetch(request)
  }
}
