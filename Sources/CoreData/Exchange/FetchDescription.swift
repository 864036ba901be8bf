/// A resolved fetch, as a value: its entity is found, its predicate checked, its constants normalised.
///
/// The context passes this on instead of its `NSFetchRequest`, which the client may change at any time.
package struct FetchDescription {
  package let layout: EntityLayout
  package var includesSubentities = true
  /// Managed objects among the constants have become their `NSManagedObjectID`.
  var predicate: PredicateNode?
  /// Whether the predicate has FETCH expressions; their requests are `SubFetch`es.
  package var hasFetches = false
  /// Whether its FETCH expressions have been replaced by their results.
  package var hadFetches = false
  var sort: [SortKey] = []
  /// 0 for no limit.
  package var limit = 0
  package var offset = 0
  package var output: Output = .rows
  /// The client's request, for a store that takes one. The client may change it as soon as the fetch is over.
  package var request: NSPersistentStoreRequest?
  /// Watches the fetch and can cancel it; nil for a caller that waits for it.
  package var watch: FetchWatch?

  package enum Output {
    /// Whole rows.
    case rows
    /// Keys only, in order.
    case references
    case count
    /// A dictionary for each row, or for each group.
    case dictionaries(DictionaryFetch)
  }

  /// How many results there are up to the last one of the part that offset and limit leave; 0 for all.
  package var limitWithOffset: Int {
    if limit == 0 { return 0 }
    let (sum, overflow) = offset.addingReportingOverflow(limit)
    return overflow ? 0 : sum
  }

  /// The part of all results that offset and limit leave.
  package func cut<Element>(_ found: [Element]) -> [Element] {
    if offset == 0 && limit == 0 { return found }
    let rest = found.dropFirst(offset)
    return Array(limit == 0 ? rest : rest.prefix(limit))
  }

  /// How many of `count` results offset and limit leave.
  package func cut(count: Int) -> Int {
    let rest = max(count - offset, 0)
    return limit > 0 ? min(rest, limit) : rest
  }

  /// The same fetch without offset and limit.
  package var uncut: FetchDescription {
    var whole = self
    whole.limit = 0
    whole.offset = 0
    return whole
  }

  /// Indexes of the entities whose rows may be returned.
  package var entities: Range<Int> {
    includesSubentities ? layout.subtree : layout.index..<(layout.index + 1)
  }
}

/// The columns of a dictionary fetch.
package struct DictionaryFetch {
  package struct Column {
    package let name: String
    let expression: ExpressionNode
    /// The declared type of the result; nil for the type of the property.
    package let type: NSAttributeType?
  }

  package var columns: [Column]
  package var isDistinct = false
  var groupBy: [ExpressionNode] = []
  var having: PredicateNode?
}

extension FetchDescription {
  /// What a store computes for each row, as text for an error: the condition, and columns that are no attributes.
  package var computations: String {
    var found = predicate.map { [PredicatePrinter.print($0)] } ?? []
    if case .dictionaries(let request) = output {
      for column in request.columns {
        if case .keyPath = column.expression { continue }
        found.append(PredicatePrinter.print(column.expression))
      }
      if let having = request.having { found.append(PredicatePrinter.print(having)) }
    }
    return String(found.joined(separator: ", ").prefix(500))
  }
}

extension Double {
  /// A number in a column of dictionaries that is declared as a text: 15 digits, as SQLite writes them.
  package var columnText: String {
    let text = String(format: "%.15g", self)
    return text.allSatisfy { $0.isNumber || $0 == "-" } ? text + ".0" : text
  }
}

/// A store's answer to a fetch.
package enum FetchOutcome {
  case rows([RowSnapshot])
  case references(RowReferences)
  /// References to objects that the asking context has already. Keep `held` until you have used them, or the objects
  /// would be made twice.
  case objects(RowReferences, held: [AnyObject])
  case count(Int)
  /// A missing value has no key. Values are those of KVC.
  case dictionaries([NSDictionary])

  /// The result as keys only; nil for counts and dictionaries.
  var references: RowReferences? {
    switch self {
    case .rows(let rows): RowReferences(rows.lazy.map(\.reference))
    case .references(let references), .objects(let references, _): references
    case .count, .dictionaries: nil
    }
  }
}
