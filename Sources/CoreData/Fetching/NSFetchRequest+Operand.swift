/// Fetch requests inside predicates.
extension NSFetchRequest: FetchOperand {
  /// The results of the request in a context: objects, ids, the values of the only column of its dictionaries, or their
  /// number. Its offset is ignored.
  func value(in context: Any?, countOnly: Bool) throws -> PredicateValue {
    guard let context = context as? NSManagedObjectContext else {
      throw problem("a FETCH in a predicate needs a context to run in, not \(context ?? "nil")")
    }
    let request = twin.forAnyResults
    request.fetchOffset = 0
    if countOnly || resultType == .countResultType {
      return .constant(.int(Int64(try context.count(for: request))))
    }
    let found = try context.fetch(request)
    switch resultType {
    case .dictionaryResultType:
      let name = try column()
      return .values(
        found.compactMap { row in
          unsafeDowncast(row as AnyObject, to: NSDictionary.self)[name].map(PredicateValue.init(any:))
        })
    case .managedObjectIDResultType: return .constant(.collection(found.map { .object($0) }))
    default: return .subjects(found.map { unsafeDowncast($0, to: NSManagedObject.self) })
    }
  }

  /// The request resolved against a model. Throws an error if it is invalid.
  fileprivate func subFetch(_ layouts: ModelLayouts) throws -> SubFetch {
    if resultType == .dictionaryResultType { _ = try column() }
    var description = try FetchDescription(self, layouts)
    description.offset = 0
    return SubFetch(
      description, isCount: resultType == .countResultType, includesPendingChanges: includesPendingChanges, of: self)
  }

  /// The name of the only column.
  private func column() throws -> String {
    guard let properties = propertiesToFetch, properties.count == 1 else {
      throw problem(
        "a FETCH in a predicate takes dictionaries of one column, not of \(propertiesToFetch?.count ?? 0): set "
          + "propertiesToFetch")
    }
    let property = properties[0]
    return (property as? NSPropertyDescription)?.name ?? "\(property)"
  }

  private func problem(_ what: String) -> NSError {
    Failure.malformedFetchRequest(entity: entityName, what: what).nsError
  }
}

/// A request of any type.
private protocol ResolvableRequest {
  func subFetch(_ layouts: ModelLayouts) throws -> SubFetch
}

extension NSFetchRequest: ResolvableRequest {}

extension PredicateNode {
  /// The predicate with the requests of its FETCH expressions resolved. A single value that is compared with a FETCH is
  /// compared with its first result.
  func resolvingFetches(_ layouts: ModelLayouts, entity: String) throws -> PredicateNode {
    try comparingWithFirst.replacing { node in
      guard case .fetch(let request, let context, let countOnly) = node else { return nil }
      guard case .constant(.object(let object)) = request, let resolvable = object as? any ResolvableRequest else {
        throw Failure.malformedFetchRequest(
          entity: entity,
          what: "a FETCH in its predicate has \(PredicatePrinter.print(request)) instead of a fetch request"
        ).nsError
      }
      return .fetch(.constant(.object(try resolvable.subFetch(layouts))), context, countOnly: countOnly)
    }
  }

  private var comparingWithFirst: PredicateNode {
    guard case .comparison(var comparison) = self else {
      return mapChildren({ $0 }, conditions: \.comparingWithFirst)
    }
    comparison.left = comparison.left.firstOfFetch
    if comparison.comparator != .in { comparison.right = comparison.right.firstOfFetch }
    return .comparison(comparison)
  }
}

extension ExpressionNode {
  fileprivate var firstOfFetch: ExpressionNode {
    if case .fetch(_, _, countOnly: false) = self { return .index(self, .first) }
    return self
  }
}
