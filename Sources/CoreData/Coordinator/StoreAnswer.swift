/// One store's answer to a fetch.
typealias StoreAnswer = (store: StoreIdentity, outcome: FetchOutcome)

extension [StoreAnswer] {
  /// The sum of the stores' counts.
  var total: Int {
    reduce(0) { sum, answer in
      guard case .count(let count) = answer.outcome else { return sum }
      return sum + count
    }
  }

  var dictionaries: [NSDictionary] {
    flatMap { answer in
      guard case .dictionaries(let rows) = answer.outcome else { return [NSDictionary]() }
      return rows
    }
  }
}
