/// A fetch, resolved and frozen: entity found, predicate read and checked, constants normalised.
///
/// What the context hands down instead of its `NSFetchRequest`, which the client may change at any time.
package struct FetchDescription {
  package let layout: EntityLayout
  package var includesSubentities = true
  /// Managed objects among the constants have become their `NSManagedObjectID`.
  var predicate: PredicateNode?
  /// Whether the predicate has FETCH expressions; their requests are `SubFetch`es.
  package var hasFetches = false
  /// Whether it had such, and has what they found instead.
  package var hadFetches = false
  var sort: [SortKey] = []
  /// 0 for no limit.
  package var limit = 0
  package var offset = 0
  package var output: Output = .rows
  /// The client's request, for a store that is handed one. It may be changed as soon as the fetch is over.
  package var request: NSPersistentStoreRequest?
  /// Who may call the fetch off while it runs; nil for a caller that waits for it.
  package var watch: FetchWatch?

  package enum Output {
    /// Whole rows.
    case rows
    /// Keys only, in order.
    case references
    case count
    /// One dictionary a row, or a group.
    case dictionaries(DictionaryFetch)
  }

  /// What offset and limit leave of everything that was found.
  package func cut<Element>(_ found: [Element]) -> [Element] {
    if offset == 0 && limit == 0 { return found }
    let rest = found.dropFirst(offset)
    return Array(limit == 0 ? rest : rest.prefix(limit))
  }

  /// Indexes of the entities whose rows may be returned.
  package var entities: Range<Int> {
    includesSubentities ? layout.subtree : layout.index..<(layout.index + 1)
  }
}

/// What a dictionary fetch returns.
package struct DictionaryFetch {
  package struct Column {
    package let name: String
    let expression: ExpressionNode
    /// The declared type of the result, or nil for that of the property.
    package let type: NSAttributeType?
  }

  package var columns: [Column]
  package var isDistinct = false
  var groupBy: [ExpressionNode] = []
  var having: PredicateNode?
}

/// What a store answers.
package enum FetchOutcome {
  case rows([RowSnapshot])
  case references([RowReference])
  /// References of objects that the context which asks has by now. Whoever takes them up keeps `held` until then: the
  /// objects would be made twice.
  case objects([RowReference], held: [AnyObject])
  case count(Int)
  /// A missing value has no key. Values are those of KVC.
  case dictionaries([NSDictionary])

  /// What was found, as keys alone; nil for counts and dictionaries.
  var references: [RowReference]? {
    switch self {
    case .rows(let rows): rows.map(\.reference)
    case .references(let references), .objects(let references, _): references
    case .count, .dictionaries: nil
    }
  }
}
