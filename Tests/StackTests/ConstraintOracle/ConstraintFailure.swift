/// Rounds that do not lead to what the oracle says.
struct ConstraintFailure: CustomStringConvertible {
  let place: ConstraintTrial.Place
  let seed: UInt64
  var rounds: [ConstraintRound]
  let mismatch: String

  var description: String {
    "Seed \(seed), \(place):\n" + rounds.map { "  \($0)" }.joined(separator: "\n") + "\nThen \(mismatch)"
  }

  /// Takes rounds from scratch. Nil when all goes as the oracle says.
  private func again(_ fewer: [ConstraintRound]) -> ConstraintFailure? {
    var taken: [ConstraintRound] = []
    do {
      let trial = try ConstraintTrial(place)
      for round in fewer {
        taken.append(round)
        try trial.take(round)
      }
      return nil
    } catch {
      return ConstraintFailure(place: place, seed: seed, rounds: taken, mismatch: "\(error)")
    }
  }

  /// The smallest that still fails: without rounds, then without single edits.
  func shrunk() -> ConstraintFailure {
    var smallest = again(rounds) ?? self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      func attempt(_ change: (inout [ConstraintRound]) -> Void) -> Bool {
        var fewer = smallest.rounds
        change(&fewer)
        guard let failure = again(fewer) else { return false }
        smallest = failure
        isSmaller = true
        return true
      }
      for index in smallest.rounds.indices.reversed() where index < smallest.rounds.count {
        if attempt({ $0.remove(at: index) }) { continue }
        for lists in [\ConstraintRound.other, \.child, \.edits] {
          for edit in smallest.rounds[index][keyPath: lists].indices.reversed() {
            guard index < smallest.rounds.count, edit < smallest.rounds[index][keyPath: lists].count else {
              continue
            }
            _ = attempt { $0[index][keyPath: lists].remove(at: edit) }
          }
        }
        if index < smallest.rounds.count, !smallest.rounds[index].read.isEmpty {
          _ = attempt { $0[index].read = [] }
        }
      }
    }
    return smallest
  }
}
