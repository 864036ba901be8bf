import Foundation

/// How long random tests run, and with which seed they begin.
///
/// Normally each is short, and the same on every run, so that what fails was broken by the last change. With
/// `STRATA_SOAK=20` it runs twenty times as long, from a random seed that it prints; `Scripts/soak` sets the variable.
/// A test's own variables win over that, so that a failure can be repeated.
public enum RandomTest {
  public static let soak = number("STRATA_SOAK").map { max(1, Int($0)) }

  /// How many steps, cases or rounds: the variable's value; without one, `usual`, multiplied by the length of a soak.
  public static func count(_ variable: String, _ usual: Int) -> Int {
    number(variable).map(Int.init) ?? usual * (soak ?? 1)
  }

  public static func seed(_ variable: String, _ usual: UInt64 = 1) -> UInt64 {
    if let seed = number(variable) { return seed }
    guard soak != nil else { return usual }
    let seed = UInt64.random(in: 1...1_000_000_000)
    print("\(variable)=\(seed)")
    return seed
  }

  public static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
  }
}
