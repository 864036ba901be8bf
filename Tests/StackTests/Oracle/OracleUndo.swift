import Foundation

/// A context's objects at one moment, without those that are deleted.
struct OracleMoment {
  let now: OracleGraph
  let living: [Int]

  init(_ context: OracleContext) {
    now = context.now
    living = context.living
  }

  var outcome: OracleGraph {
    var graph = OracleGraph()
    for number in living { graph.insert(number, now[number]!) }
    return graph
  }
}

/// What can be undone, and what redone.
///
/// In these programs a step is a group. What came from another context is not undone. No rule says what undoing an
/// older step does to it, so the list of steps starts again there. A save changes nothing that could be undone.
struct OracleUndo {
  private(set) var past: [(before: OracleMoment, after: OracleMoment)] = []
  private(set) var future: [(before: OracleMoment, after: OracleMoment)] = []

  mutating func record(_ before: OracleMoment, _ after: OracleMoment) {
    past.append((before, after))
    future = []
  }

  mutating func clear() {
    past = []
    future = []
  }

  /// The moment to go back to.
  mutating func undo() throws -> OracleMoment {
    guard let step = past.popLast() else { throw Unspecified("nothing to undo") }
    future.append(step)
    return step.before
  }

  mutating func redo() throws -> OracleMoment {
    guard let step = future.popLast() else { throw Unspecified("nothing to redo") }
    past.append(step)
    return step.after
  }
}
