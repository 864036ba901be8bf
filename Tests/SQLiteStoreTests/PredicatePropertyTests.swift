import PostgreSQLTestServer
import TestDice
import Testing

/// Random models, data and requests, beside the oracle in `PredicateOracle/`, which says what predicates mean and
/// knows nothing of the module. What fails is printed as the smallest case that still does.
///
/// `STRATA_PREDICATE_CASES` says how many fetches are compared, `STRATA_PREDICATE_SEED` where the seeds begin, and
/// `STRATA_PREDICATE_FAILURES` after how many failures it ends.
@Suite("Predicates and the oracle")
struct PredicatePropertyTests {
  @Test("SQLite, memory and unsaved changes choose what the oracle chooses")
  func agreement() throws {
    var left = RandomTest.count("STRATA_PREDICATE_CASES", 20_000)
    var seed = RandomTest.seed("STRATA_PREDICATE_SEED")
    var failures = RandomTest.number("STRATA_PREDICATE_FAILURES") ?? 1
    while left > 0 {
      var generator = OracleGenerator(seed: seed)
      let model = generator.makeModel()
      let data = generator.makeData()
      let trial = PredicateTrial(model: model, data: data, changes: generator.makeChanges(data))
      let (compared, failure) = try trial.run(min(250, (left + 3) / 4)) { generator.request() }
      left -= compared
      if let failure {
        Issue.record("Seed \(seed):\n\(failure.shrunk())")
        failures -= 1
        if failures == 0 { return }
      }
      seed += 1
    }
    // SQLite takes all types, and a server most.
    let refused = ComparedStores.refusals.withLock { $0 }
    #expect(refused < (TestServer.hasAllStores ? RandomTest.count("STRATA_PREDICATE_CASES", 20_000) / 5 : 1))
  }
}
