import Foundation
import TestDice
import Testing

@testable import CoreData

/// Random programs in two to four contexts, beside the oracle in `Oracle/`, which has the rules as plain values and
/// sets. What fails is printed as the shortest program that still does.
///
/// `STRATA_ORACLE_STEPS` says how many steps each arrangement of contexts takes, `STRATA_ORACLE_SEED` where the seeds
/// begin.
@Suite("Contexts and the oracle")
struct ModelBasedTests {
  /// For each context its parent.
  static let families: [[Int?]] = [
    [nil], [nil, nil], [nil, 0], [nil, nil, nil], [nil, nil, 0, 2],
  ]

  @Test("Random programs do what the rules say", arguments: StoreKind.allCases, families)
  func programs(_ kind: StoreKind, _ parents: [Int?]) {
    var left = RandomTest.count("STRATA_ORACLE_STEPS", 500)
    var seed = RandomTest.seed("STRATA_ORACLE_SEED")
    while left > 0 {
      // Under stress nothing that was read stays as it is.
      for keepsObjects in Stress.isOn ? [false] : [true, false] {
        var setting = OracleSetting(kind: kind, parents: parents, keepsObjects: keepsObjects)
        // Only without parents: no rule says how a parent undoes what its child saved.
        setting.undoes = parents.allSatisfy { $0 == nil } && seed % 2 == 0
        let (taken, failure) = OracleDriver.explore(
          setting, seed: seed, steps: min(100, max(left, 1)))
        left -= taken
        if let failure {
          Issue.record("\(failure.shrunk())")
          return
        }
      }
      seed += 1
    }
  }
}
