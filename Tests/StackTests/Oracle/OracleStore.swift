import Foundation

/// How often a row was saved: grows with every save that changed it. No rule says whether some saves count, for example
/// one in which only the order around an object changed.
struct OracleVersion: Equatable {
  var sure = 0
  var doubtful = 0
}

/// What is saved.
struct OracleStore {
  var graph = OracleGraph()
  var versions: [Int: OracleVersion] = [:]

  /// Writes what a context changed since it read, and counts versions.
  mutating func commit(_ mine: OracleGraph, of context: OracleContext) throws {
    let before = graph
    graph = try before.merging(mine, since: context.base)
    guard graph.isClosed else { throw Unspecified("a row that leads nowhere") }
    for number in before.numbers where graph[number] == nil { versions[number] = nil }
    for number in graph.numbers {
      if before[number] == nil {
        versions[number] = OracleVersion()
      } else if before[number] != graph[number] {
        versions[number]!.sure += 1
      } else if context.touched[number] != nil {
        versions[number]!.doubtful += 1
      }
      for relationship in graph.relationships(of: number) where relationship.isOrdered {
        let now = graph.links(number, relationship.name)
        let then = before.links(number, relationship.name)
        for member in Set(now + then) where now != then { versions[member]?.doubtful += 1 }
      }
    }
  }
}
