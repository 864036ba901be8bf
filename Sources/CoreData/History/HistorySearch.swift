/// The transactions and changes that a fetch request asks for, and their order.
struct HistorySearch {
  /// Whether the fetch request is for changes.
  let isAboutChanges: Bool
  private let predicate: PredicateNode?
  private let sort: [SortKey]

  /// Throws an error for a fetch request of another entity, and for sort descriptors that stores can't use.
  init?(_ request: NSFetchRequest<NSFetchRequestResult>?) throws {
    guard let request else { return nil }
    switch request.entityName {
    case HistoryEntities.transactionName: isAboutChanges = false
    case HistoryEntities.changeName: isAboutChanges = true
    default:
      throw Failure.malformedFetchRequest(
        entity: request.entityName,
        what: "history is fetched by the requests of NSPersistentHistoryTransaction and NSPersistentHistoryChange")
    }
    predicate = try request.predicate?.node
    sort = try (request.sortDescriptors ?? []).map { try SortKey($0) }
    for key in sort { try publicErrors { try key.checkTranslatable(entity: request.entityName) } }
  }

  /// Filters the history of one store. A token in the predicate stands for the number of that store's transaction.
  /// As on Apple's systems it has to stand for one: the token of a store without history is expired in a predicate.
  func evaluator(store: String) throws -> PredicateEvaluator? {
    guard let predicate else { return nil }
    return try PredicateEvaluator(
      predicate.replacing { expression in
        guard case .constant(let constant) = expression else { return nil }
        return try HistorySearch.numbered(constant, store).map(ExpressionNode.constant)
      })
  }

  private static func numbered(_ constant: PredicateConstant, _ store: String) throws -> PredicateConstant? {
    switch constant {
    case .object(let object), .other(let object as AnyObject):
      guard let token = object as? NSPersistentHistoryToken else { return nil }
      if token.numbers[store] == 0 { throw Failure.historyTokenExpired }
      return .int(token.numbers[store] ?? 0)
    case .collection(let members):
      let tokens = try members.map { try numbered($0, store) }
      return tokens.contains { $0 != nil } ? .collection(zip(tokens, members).map { $0 ?? $1 }) : nil
    default: return nil
    }
  }

  /// Sorted as the request asks; unchanged if it doesn't.
  func sorted<Subject: PredicateSubject>(_ subjects: [Subject]) throws -> [Subject] {
    if sort.isEmpty { return subjects }
    return try sort.sorted(subjects) { subject in
      try sort.map { try PredicateEvaluator.value(of: subject, path: $0.path) }
    }
  }
}
