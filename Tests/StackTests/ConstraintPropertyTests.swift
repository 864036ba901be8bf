import TestDice
import Testing

/// Random saves of objects with uniqueness constraints, beside the oracle in `ConstraintOracle/`, which says over plain
/// values what they have to lead to. What fails is printed as the shortest program that still does.
///
/// `STRATA_CONSTRAINT_CASES` says how many saves are compared, `STRATA_CONSTRAINT_SEED` where the seeds begin.
@Suite("Uniqueness constraints and the oracle")
struct ConstraintPropertyTests {
  @Test(
    "Saves that end within the constraints succeed; others end as the policy says, and no stored object goes")
  func agreement() throws {
    let cases = RandomTest.count("STRATA_CONSTRAINT_CASES", 5_000)
    var (left, clashes, refusals) = (cases, 0, 0)
    var seed = RandomTest.seed("STRATA_CONSTRAINT_SEED")
    while left > 0 {
      // Of ten trials seven have SQLite in memory, two the store in memory, one a file.
      let turn = seed / 20 % 10
      let place: ConstraintTrial.Place = turn < 2 ? .memory : turn == 2 ? .file : .database
      let trial = try ConstraintTrial(place)
      for _ in 0..<20 where left > 0 {
        var generator = ConstraintGenerator(seed: seed)
        var rounds: [ConstraintRound] = []
        do {
          for _ in 0..<min(25, left) {
            rounds.append(generator.round(trial.stored))
            try trial.take(rounds.last!)
            left -= 1
          }
          try trial.clear()
        } catch {
          let failure = ConstraintFailure(place: place, seed: seed, rounds: rounds, mismatch: "\(error)")
          Issue.record("\(failure.shrunk())")
          return
        }
        seed += 1
      }
      clashes += trial.clashes
      refusals += trial.refusals
    }
    if cases >= 1000 {
      // The generator has thought of both kinds, and not of one almost alone.
      #expect(clashes > cases / 5 && clashes < cases * 4 / 5, "\(clashes) of \(cases)")
      #expect(refusals > cases / 50)
    }
    if RandomTest.number("STRATA_CONSTRAINT_CASES") != nil {
      print("\(cases) saves, \(clashes) with clashes, \(refusals) refused")
    }
  }
}
