extension NSManagedObjectContext {
  /// Finds the objects of a request, with this context's unsaved changes taken into account.
  ///
  /// Throws an error that names the entity, key path or operator if the model or the store does not have it, and one if
  /// the request's `resultType` makes other results than its class says. Only a request for objects whose `resultType`
  /// asks for ids is answered, with the objects.
  public func fetch<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>) throws -> [Result] {
    if type(of: self) == NSManagedObjectContext.self || isAnsweringFetch { return try found(by: request) }
    try checkResultType(of: request)
    isAnsweringFetch = true
    defer { isAnsweringFetch = false }
    var objects = try (self as any FetchAnswering).fetch(request.untyped).map { $0 as AnyObject }
    if !request.isForAnyResults, let wanted = Result.self as? NSObject.Type {
      if request.resultType == .managedObjectIDResultType, wanted is NSManagedObject.Type {
        objects = objects.map { found in (found as? NSManagedObjectID).map { object(with: $0) as AnyObject } ?? found }
      }
      for object in objects where !NSManagedObject.isClass(type(of: object), under: wanted) {
        misuse("An override of fetch(_:) returned \(type(of: object)) to a fetch of \(wanted).")
      }
    }
    return cast(objects)
  }

  /// The results of a request, from the stores and this context's changes.
  func found<Result: NSFetchRequestResult>(by request: NSFetchRequest<Result>) throws -> [Result] {
    guardQueue("fetch(_:)")
    requireCoordinator(for: "fetch(_:)")
    source.learnKeys(for: self)
    if request.includesPendingChanges { processPendingChanges() }
    let description = try description(of: request)
    try checkResult(of: request, description)
    return try results(of: description, FetchOptions(request), request.answeredType)
  }

  /// A request as this context understands it: what it says of objects and FETCH expressions is worked out.
  func description<Result>(of request: NSFetchRequest<Result>) throws -> FetchDescription {
    var description = try FetchDescription(request, owner.layouts)
    if !formerKeys.isEmpty { description = description.replacingIDs(permanentID) }
    return try answeringFetches(description, pendingChanges: request.includesPendingChanges)
  }

  /// The predicate with the permanent ids of objects that were saved since it was made with their temporary ones.
  func withPermanentIDs(_ predicate: PredicateNode) -> PredicateNode { predicate.replacingIDs(permanentID) }

  /// The id that the object has by now, if this is the temporary one that it had before it was saved.
  func permanentID(_ id: NSManagedObjectID) -> NSManagedObjectID {
    guard let (row, store) = formerKeys[id.key] else { return id }
    return NSManagedObjectID(layout: owner.layouts[Int(row.entity)], key: row.key, store: store)
  }

  /// The results of a checked fetch, in the form of a result type.
  func results<Result: NSFetchRequestResult>(
    of description: FetchDescription, _ options: FetchOptions, _ type: NSFetchRequestResultType
  ) throws -> [Result] {
    switch description.output {
    case .count: return cast([NSNumber(value: try count(description, options))])
    case .dictionaries: return cast(try dictionaries(description, options))
    case .references where type == .managedObjectIDResultType:
      if let ids = try committedIDs(description, options) { return cast(ids) }
      return cast(try objects(description, options).map(\.objectID))
    case .references, .rows: return cast(try objects(description, options))
    }
  }

  /// How many objects a request finds. Its limit and offset are respected. Of a request for distinct or grouped
  /// dictionaries, how many of these.
  public func count<Result: NSFetchRequestResult>(for request: NSFetchRequest<Result>) throws -> Int {
    if type(of: self) == NSManagedObjectContext.self || isAnsweringCount { return try counted(by: request) }
    isAnsweringCount = true
    defer { isAnsweringCount = false }
    return try (self as any FetchAnswering).count(for: request.untyped)
  }

  /// How many objects a request finds, in the stores and among this context's changes.
  func counted<Result: NSFetchRequestResult>(by request: NSFetchRequest<Result>) throws -> Int {
    guardQueue("count(for:)")
    requireCoordinator(for: "count(for:)")
    source.learnKeys(for: self)
    if request.includesPendingChanges { processPendingChanges() }
    var description = try description(of: request)
    description.sort = []
    if case .dictionaries(let fetch) = description.output, fetch.isDistinct || !fetch.groupBy.isEmpty {
      return try dictionaries(description, FetchOptions(request)).count
    }
    description.output = .count
    let count = try count(description, FetchOptions(request))
    if count == 0 { description.warnOfTexts() }
    return count
  }

  private func dictionaries(_ description: FetchDescription, _ options: FetchOptions) throws -> [NSDictionary] {
    if let answers = options.answers { return answers.dictionaries }
    return try coordinator(for: "fetch(_:)").dictionaries(
      for: runningCode(of: description, options), for: self, stores: options.stores, source.generation(for: self))
  }

  func count(_ description: FetchDescription, _ options: FetchOptions) throws -> Int {
    if try options.pendingChanges && hasPendingChanges(touching: description)
      || runsCodeHere(description, options)
    {
      var whole = description
      whole.output = .rows
      return try objects(whole, options).count
    }
    return try source.count(description, options, for: self)
  }

  func objects(_ description: FetchDescription, _ options: FetchOptions) throws -> [NSManagedObject] {
    var objects: [NSManagedObject]
    if try runsCodeHere(description, options) {
      objects = try foundByCode(description, options)
    } else if options.pendingChanges, hasPendingChanges(touching: description) {
      objects = try overlaid(description, options)
    } else {
      objects = try source.objects(description, options, for: self)
    }
    if objects.isEmpty { description.warnOfTexts() }
    if !options.asFaults { objects.forEachHeld { if $0.state.contains(.fault) { $0.fire() } } }
    for path in options.prefetching { try prefetch(path, from: objects) }
    return objects
  }

  /// The ids that a fetch finds, without making objects; nil if the fetch needs the objects.
  private func committedIDs(_ description: FetchDescription, _ options: FetchOptions) throws -> [NSManagedObjectID]? {
    if retainsRegisteredObjects || !options.asFaults || !options.prefetching.isEmpty { return nil }
    if try runsCodeHere(description, options) { return nil }
    if options.pendingChanges, hasPendingChanges(touching: description) { return nil }
    return try source.ids(description, options, for: self)
  }

  /// Throws if the results are not of the class that the request is for. Without this check it would return objects of
  /// a wrong type.
  func checkResult<Result: NSFetchRequestResult>(
    of request: NSFetchRequest<Result>, _ description: FetchDescription
  ) throws {
    guard let wanted = Result.self as? NSManagedObject.Type else { return try checkResultType(of: request) }
    switch description.output {
    case .count, .dictionaries: return try checkResultType(of: request)
    case .references, .rows: break
    }
    let given = description.layout.objectClass
    if given == wanted || NSManagedObject.isClass(given, under: wanted) { return }
    throw Failure.malformedFetchRequest(
      entity: description.layout.name,
      what: "The request is for \(wanted), but the entity's objects are \(given): name the class in the model."
    ).nsError
  }

  /// Throws if the request's `resultType` makes other results than its class says. Does not look at the entity's class.
  private func checkResultType<Result: NSFetchRequestResult>(of request: NSFetchRequest<Result>) throws {
    guard !request.isForAnyResults, let wanted = Result.self as? NSObject.Type else { return }
    let isForObjects = wanted is NSManagedObject.Type
    let given: NSObject.Type
    switch request.resultType {
    case .dictionaryResultType: given = NSDictionary.self
    case .countResultType: given = NSNumber.self
    case .managedObjectIDResultType where !isForObjects: given = NSManagedObjectID.self
    default: given = NSManagedObject.self
    }
    if isForObjects ? given == NSManagedObject.self : NSManagedObject.isClass(given, under: wanted) { return }
    throw Failure.malformedFetchRequest(
      entity: request.entityName,
      what: "The request is for \(wanted), but its resultType asks for \(given): set resultType."
    ).nsError
  }

  /// `Result` is a class or the one-word existential of a marker protocol, so the elements need no conversion.
  private func cast<Result: NSFetchRequestResult>(_ objects: [some AnyObject]) -> [Result] {
    precondition(MemoryLayout<Result>.size == MemoryLayout<AnyObject>.size)
    return unsafeBitCast(objects, to: [Result].self)
  }
}

/// The forms of `fetch(_:)` and `count(for:)` that subclasses override. A call through the protocol can't mean the
/// generic ones.
private protocol FetchAnswering {
  func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any]
  func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int
}

extension NSManagedObjectContext: FetchAnswering {}

extension NSManagedObject {
  fileprivate static func isClass(_ type: AnyClass, under other: AnyClass) -> Bool {
    var current: AnyClass? = type
    while let found = current {
      if found == other { return true }
      current = _getSuperclass(found)
    }
    return false
  }
}
