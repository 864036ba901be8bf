/// FETCH expressions in the predicates of fetches.
extension NSManagedObjectContext {
  /// The fetch with each FETCH expression replaced by what it finds in this context, unsaved changes included. If one
  /// SQLite store can answer with sub-selects, the fetch stays as it is.
  func answeringFetches(_ description: FetchDescription, pendingChanges: Bool) throws -> FetchDescription {
    guard description.hasFetches, let predicate = description.predicate else { return description }
    if try isTranslatable(description, pendingChanges: pendingChanges) { return description }
    var answered = description
    answered.hasFetches = false
    answered.hadFetches = true
    answered.predicate = try predicate.replacing { node in
      switch node {
      case .index(.fetch(.constant(.object(let sub as SubFetch)), _, _), .first) where sub.aggregateOfRows != nil:
        return .constant(try aggregate(sub, stores: description.request?.affectedStores))
      case .index(.fetch(let request, _, countOnly: false), .first):
        let members = try value(of: request).members ?? []
        return .constant(members.first?.fixed ?? .null)
      case .nested(.fetch(let request, _, countOnly: false), let path):
        return .constant(try CompiledKeyPath(path).value(from: value(of: request)).fixed)
      case .fetch(let request, _, let countOnly):
        return .constant(try value(of: request, countOnly: countOnly).fixed)
      default: return nil
      }
    }.normalised().decidingConstants()
    return answered
  }

  /// Evaluated here without looking at the expression's context: `isTranslatable` has made sure that it is this one.
  private func value(of request: ExpressionNode, countOnly: Bool = false) throws -> PredicateValue {
    guard case .constant(.object(let object)) = request, let sub = object as? SubFetch else {
      preconditionFailure("A FETCH expression was not resolved.")
    }
    return try sub.value(in: self, countOnly: countOnly)
  }

  /// An aggregate over all rows of an entity, with this context's unsaved changes and those of the contexts above it.
  private func aggregate(_ sub: SubFetch, stores: [NSPersistentStore]?) throws -> PredicateConstant {
    guard let (aggregate, operand) = sub.aggregateOfRows, case .keyPath(let path) = operand else { return .null }
    var rows = sub.fetch
    rows.output = .rows
    var options = FetchOptions(stores: stores)
    options.pendingChanges = sub.includesPendingChanges
    let values = try objects(rows, options).map { try PredicateEvaluator.value(of: $0, path: path).constant }
    return aggregate.value(of: values.filter { !$0.isNull })
  }

  /// Throws if a FETCH expression names another context.
  private func isTranslatable(_ description: FetchDescription, pendingChanges: Bool) throws -> Bool {
    var isTranslatable = source.translatesFetches(for: self)
    if pendingChanges, hasPendingChanges(touching: description) { isTranslatable = false }
    _ = try description.predicate?.replacing { node in
      guard case .fetch(.constant(.object(let object)), let context, _) = node, let sub = object as? SubFetch else {
        return nil
      }
      if case .constant(.object(let named)) = context, let other = named as? NSManagedObjectContext, other !== self {
        throw Failure.malformedFetchRequest(
          entity: description.layout.name,
          what: "a FETCH in its predicate names the context \(other.label), but \(label) executes it"
        ).nsError
      }
      if try !self.isTranslatable(sub.fetch, pendingChanges: sub.includesPendingChanges) { isTranslatable = false }
      return node
    }
    return isTranslatable
  }
}

extension PredicateNode {
  /// Replaces comparisons between two constants by their outcome, which is the same for all rows: a store may be unable
  /// to express them.
  fileprivate func decidingConstants() throws -> PredicateNode {
    guard case .comparison(let comparison) = self else {
      return try mapChildren({ $0 }, conditions: { try $0.decidingConstants() })
    }
    guard comparison.left.isConstant, comparison.right.isConstant else { return self }
    return .constant(try PredicateEvaluator(self).matches(PredicateValue.null))
  }
}
