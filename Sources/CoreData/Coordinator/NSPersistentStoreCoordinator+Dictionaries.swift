/// Fetches of dictionaries.
extension NSPersistentStoreCoordinator {
  func dictionaries(
    for description: FetchDescription, for context: NSManagedObjectContext, stores asked: [NSPersistentStore]?,
    _ generation: QueryGeneration?
  ) throws -> [NSDictionary] {
    guard case .dictionaries(let request) = description.output,
      try isSpread(description, asked: asked, generation: generation)
    else {
      return try answers(to: description, for: context, stores: asked, generation).dictionaries
    }
    if !request.groupBy.isEmpty || request.having != nil
      || request.columns.contains(where: { $0.expression.rowUse.contains(.ofMany) })
    {
      throw Failure.unsupportedFeature("Grouping, or an aggregate of all rows, in dictionaries of several stores")
        .nsError
    }
    let fetch = SpreadDictionaries(description, request)
    return fetch.merged(try answers(to: fetch.each, for: context, stores: asked, generation).dictionaries)
  }
}

/// Fetches dictionaries from several stores. Their answers are sorted, made distinct and cut together.
private struct SpreadDictionaries {
  /// The description for each store: as many results as may be needed, and with the sort keys.
  private(set) var each: FetchDescription
  private let whole: FetchDescription
  private let request: DictionaryFetch
  /// The column for each sort key.
  private let keys: [(column: String, key: SortKey)]
  private let hasHiddenColumns: Bool

  init(_ description: FetchDescription, _ request: DictionaryFetch) {
    whole = description
    self.request = request
    var columns = request.columns
    keys = description.sort.enumerated().map { index, key in
      let path = ExpressionNode.keyPath(key.path)
      if let column = request.columns.first(where: { $0.expression == path && $0.type == nil }) {
        return (column.name, key)
      }
      // No property can have such a name.
      let name = "sort key \(index)"
      columns.append(DictionaryFetch.Column(name: name, expression: path, type: nil))
      return (name, key)
    }
    hasHiddenColumns = columns.count > request.columns.count
    each = description
    var asked = request
    asked.columns = columns
    if hasHiddenColumns { asked.isDistinct = false }
    each.output = .dictionaries(asked)
    each.offset = 0
    let isMadeDistinctLater = request.isDistinct && hasHiddenColumns
    each.limit = isMadeDistinctLater ? 0 : description.limitWithOffset
  }

  func merged(_ found: [NSDictionary]) -> [NSDictionary] {
    var rows = sorted(found)
    if request.isDistinct {
      var seen: Set<[PredicateConstant]> = []
      rows = rows.filter { row in
        seen.insert(request.columns.map { PredicateConstant(any: row.object(forKey: $0.name)).distinction }).inserted
      }
    }
    rows = whole.cut(rows)
    guard hasHiddenColumns else { return rows }
    return rows.map { row in
      let visible = NSMutableDictionary()
      for column in request.columns {
        if let value = row.object(forKey: column.name) { visible.setObject(value, forKey: column.name as NSString) }
      }
      return visible
    }
  }

  private func sorted(_ rows: [NSDictionary]) -> [NSDictionary] {
    keys.map(\.key).sorted(rows) { row in
      keys.map { .constant(PredicateConstant(any: row.object(forKey: $0.column))) }
    }
  }
}
