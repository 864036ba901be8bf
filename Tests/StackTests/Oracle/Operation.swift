import Foundation

/// A step of a program. Contexts and objects are named by number, so that a program means the same whatever
/// steps are taken out of it; a step whose objects are not there is passed over.
struct OracleStep: CustomStringConvertible {
  let context: Int
  let action: OracleAction

  var description: String { "context \(context): \(action)" }
}

enum OracleAction: CustomStringConvertible {
  case insert(Int, String)
  case set(Int, String, OracleValue)
  /// Members of any relationship, for key-value coding: one or none for a to-one.
  case assign(Int, String, [Int])
  /// The same through `mutableSetValue(forKey:)` or `mutableOrderedSetValue(forKey:)`.
  case add(Int, String, Int)
  case remove(Int, String, Int)
  case move(Int, String, from: Int, to: Int)
  case delete(Int)
  case process
  case save
  case policy(OraclePolicy)
  case rollback
  case refresh(Int, merging: Bool)
  case refreshAll
  case reset
  /// Takes over, from their notifications, all saves of siblings that this context has not seen.
  case merge
  case obtainIDs
  case undo
  case redo
  case fetch(OracleFetch)
  /// Reads everything and compares it.
  case look

  /// Whether changes are processed before the step: no rule says that these steps process them.
  var endsEvent: Bool {
    switch self {
    case .refreshAll, .merge: true
    default: false
    }
  }

  /// Whether the step changes objects, so that it can be undone.
  var changesObjects: Bool {
    switch self {
    case .insert, .set, .assign, .add, .remove, .move, .delete: true
    default: false
    }
  }

  /// Whether contexts below start again with the one of the step.
  var startsAgain: Bool {
    switch self {
    case .rollback, .reset: true
    default: false
    }
  }

  var description: String {
    func list(_ members: [Int]) -> String {
      "[" + members.map { "#\($0)" }.joined(separator: ", ") + "]"
    }
    switch self {
    case .insert(let number, let entity): return "insert \(entity) #\(number)"
    case .set(let number, let key, let value): return "#\(number).\(key) = \(value)"
    case .assign(let number, let key, let members): return "#\(number).\(key) = \(list(members))"
    case .add(let number, let key, let member): return "#\(number).\(key).add(#\(member))"
    case .remove(let number, let key, let member): return "#\(number).\(key).remove(#\(member))"
    case .move(let number, let key, let from, let to):
      return "#\(number).\(key): move \(from) to \(to)"
    case .delete(let number): return "delete #\(number)"
    case .process: return "processPendingChanges"
    case .save: return "save"
    case .policy(let policy): return "mergePolicy = \(policy)"
    case .rollback: return "rollback"
    case .refresh(let number, let merging): return "refresh(#\(number), mergeChanges: \(merging))"
    case .refreshAll: return "refreshAllObjects"
    case .reset: return "reset"
    case .merge: return "mergeChanges(fromContextDidSave:)"
    case .obtainIDs: return "obtainPermanentIDs of all inserted objects"
    case .fetch(let fetch): return "fetch \(fetch)"
    case .undo: return "undo"
    case .redo: return "redo"
    case .look: return "look at everything"
    }
  }
}

enum OraclePolicy: CaseIterable { case error, storeTrump, objectTrump, overwrite, rollback }

/// A request. Results are in the order of `count`, then of `serial`, which no two objects share.
struct OracleFetch: CustomStringConvertible {
  enum Condition {
    case all
    case countAbove(Int)
    case titleMissing
    case titleBegins(String)
    /// Over a to-one relationship.
    case title(String, over: String)
    /// Over a to-many relationship.
    case anyTitle(String, over: String)
    case members(String, atLeast: Int)
    case leadsTo(String, Int)
  }

  let entity: String
  let condition: Condition
  var isDescending = false
  var limit = 0
  var offset = 0
  var withPendingChanges = true

  /// As Core Data's format language says it; an object stands for `%@`.
  var format: String {
    switch condition {
    case .all: "TRUEPREDICATE"
    case .countAbove(let value): "count > \(value)"
    case .titleMissing: "title == nil"
    case .titleBegins(let prefix): "title BEGINSWITH '\(prefix)'"
    case .title(let title, let name): "\(name).title == '\(title)'"
    case .anyTitle(let title, let name): "ANY \(name).title == '\(title)'"
    case .members(let name, let count): "\(name).@count >= \(count)"
    case .leadsTo(let name, _): "\(name) == %@"
    }
  }

  var description: String {
    var text = "\(entity) where \(format)"
    if case .leadsTo(_, let number) = condition { text += " (#\(number))" }
    if isDescending { text += ", descending" }
    if limit > 0 { text += ", limit \(limit)" }
    if offset > 0 { text += ", offset \(offset)" }
    return text + (withPendingChanges ? "" : ", without pending changes")
  }

  /// What the request finds among these objects.
  func results(in graph: OracleGraph) -> [Int] {
    let kinds = OracleSchema.house.kinds(of: entity)
    var found = graph.numbers.filter { kinds.contains(graph[$0]!.entity) && matches($0, graph) }
    func count(_ number: Int) -> Int {
      // No value comes before every value.
      if case .integer(let value) = graph[number]!.values["count"] { value } else { Int.min }
    }
    found.sort { one, other in
      if count(one) == count(other) { return one < other }
      return (count(one) < count(other)) != isDescending
    }
    found = Array(found.dropFirst(offset))
    return limit > 0 ? Array(found.prefix(limit)) : found
  }

  private func matches(_ number: Int, _ graph: OracleGraph) -> Bool {
    let record = graph[number]!
    switch condition {
    case .all: return true
    case .countAbove(let value):
      if case .integer(let count) = record.values["count"] { return count > value }
      return false
    case .titleMissing: return record.values["title"] == .null
    case .titleBegins(let prefix):
      if case .text(let title) = record.values["title"] { return title.hasPrefix(prefix) }
      return false
    case .title(let title, let name), .anyTitle(let title, let name):
      return record.links[name]!.contains { graph[$0]?.values["title"] == .text(title) }
    case .members(let name, let count): return record.links[name]!.count >= count
    case .leadsTo(let name, let member): return record.links[name] == [member]
    }
  }
}
