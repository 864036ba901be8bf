import CoreData

/// The module's assumptions about this version of Swift, tested in this process.
public struct RuntimeReport: Sendable {
  private let assumptions: [(assumption: RuntimeAssumption, isMet: Bool)]

  public init() {
    assumptions = RuntimeAssumption.allCases.map { ($0, $0.isMet) }
  }

  public var isWhole: Bool { assumptions.allSatisfy(\.isMet) }

  /// A line for each assumption. Below one that is not met, a line tells what the module does instead.
  public var text: String {
    let lines = assumptions.map { assumption, isMet in
      isMet ? "  yes  \(assumption.rawValue)." : "  NO   \(assumption.rawValue).\n       \(assumption.otherwise)"
    }
    let count = assumptions.count { !$0.isMet }
    let verdict = count == 0 ? "All of it is so." : "\(count) of it \(count == 1 ? "is" : "are") not so."
    return "What the module CoreData takes for granted of Swift and Foundation:\n"
      + lines.joined(separator: "\n") + "\n\(verdict)\n"
  }
}
