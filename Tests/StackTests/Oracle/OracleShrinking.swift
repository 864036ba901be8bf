import Foundation

/// A program that fails, and how.
struct OracleFailure: CustomStringConvertible {
  let setting: OracleSetting
  let seed: UInt64
  var steps: [OracleStep]
  var mismatch: String

  var description: String {
    """
    Seed \(seed), \(setting):
    \(steps.map { "  \($0)" }.joined(separator: "\n"))
    Then \(mismatch)
    """
  }

  /// Runs a program from scratch. Nil when it does what the oracle says.
  static func run(_ steps: [OracleStep], _ setting: OracleSetting, _ seed: UInt64) -> OracleFailure? {
    var taken: [OracleStep] = []
    do {
      let driver = try OracleDriver(setting)
      for step in steps {
        let before = driver.taken
        taken.append(step)
        try driver.take(step)
        if driver.taken == before { taken.removeLast() }
      }
      try driver.finish()
      return nil
    } catch {
      return OracleFailure(setting: setting, seed: seed, steps: taken, mismatch: "\(error)")
    }
  }

  /// Takes steps out as long as what remains still fails: first many at once, in the end one by one.
  func shrunk() -> OracleFailure {
    var smallest = self
    var size = max(1, smallest.steps.count / 2)
    while true {
      var start = 0
      var isSmaller = false
      while start < smallest.steps.count {
        var fewer = smallest.steps
        fewer.removeSubrange(start..<min(start + size, fewer.count))
        if let failure = OracleFailure.run(fewer, setting, seed),
          failure.steps.count < smallest.steps.count
        {
          smallest = failure
          isSmaller = true
        } else {
          start += size
        }
      }
      if size == 1, !isSmaller { return smallest }
      size = max(1, size / 2)
    }
  }
}

extension OracleDriver {
  /// Takes random steps. The failure, not shrunk yet, with the steps up to it.
  static func explore(_ setting: OracleSetting, seed: UInt64, steps count: Int) -> (
    Int, OracleFailure?
  ) {
    var generator = OracleGenerator(seed: seed)
    var steps: [OracleStep] = []
    do {
      let driver = try OracleDriver(setting)
      while driver.taken < count {
        let step = generator.step(driver.oracle)
        let before = driver.taken
        steps.append(step)
        try driver.take(step)
        if driver.taken == before { steps.removeLast() }
      }
      try driver.finish()
      return (driver.taken, nil)
    } catch {
      return (
        steps.count, OracleFailure(setting: setting, seed: seed, steps: steps, mismatch: "\(error)")
      )
    }
  }
}
