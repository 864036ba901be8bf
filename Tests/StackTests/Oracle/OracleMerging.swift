import Foundation

// A context's changes since it last had the same as its store or parent, applied to what these have now: what a save
// does to a store or a parent, and what a refresh or a merge does to a context.
extension OracleGraph {
  /// This graph with the changes from `base` to `mine`.
  ///
  /// Links of deleted objects are not taken over: the objects that stay say whether they still lead to them.
  func merging(_ mine: OracleGraph, since base: OracleGraph, deleted: Set<Int> = []) throws
    -> OracleGraph
  {
    if self == base { return mine }
    try mine.check(since: base, against: self)
    var result = self
    for number in base.numbers where mine[number] == nil && result[number] != nil {
      for relationship in result.relationships(of: number) {
        for member in result.links(number, relationship.name) {
          result.unlink(number, relationship, member)
        }
      }
      result.forget(number)
    }
    for number in mine.numbers where base[number] == nil {
      var record = mine[number]!
      record.links = record.links.mapValues { _ in [] }
      result.insert(number, record)
    }
    for number in mine.numbers {
      for (key, value) in mine[number]!.values where base[number]?.values[key] != value {
        result.set(number, key, value)
      }
    }
    try result.mergeLinks(mine, mine.numbers.filter { !deleted.contains($0) }, since: base)
    _ = result.takeTouched()
    return result
  }

  /// Members that came and went; an order that was changed is taken whole.
  private mutating func mergeLinks(_ mine: OracleGraph, _ living: [Int], since base: OracleGraph)
    throws
  {
    for isComing in [false, true] {
      for number in living {
        for relationship in mine.relationships(of: number) {
          let now = mine.links(number, relationship.name)
          let then = base.links(number, relationship.name)
          for member in isComing ? now : then where !(isComing ? then : now).contains(member) {
            let isIn = links(number, relationship.name).contains(member)
            if isComing, !isIn {
              guard self[member] != nil else {
                throw Unspecified("a relationship to an object that is gone")
              }
              link(number, relationship, member)
            } else if !isComing, isIn {
              unlink(number, relationship, member)
            }
          }
        }
      }
    }
    for number in living {
      for relationship in mine.relationships(of: number) where relationship.isOrdered {
        let now = mine.links(number, relationship.name)
        if now != base.links(number, relationship.name) { assign(number, relationship.name, now) }
      }
    }
  }

  /// Where two changed the same thing in ways that the rules do not settle.
  private func check(since base: OracleGraph, against theirs: OracleGraph) throws {
    for number in base.numbers where self[number] != base[number] {
      guard let other = theirs[number] else {
        if self[number] == nil { continue }
        throw Unspecified("a change of an object that is gone")
      }
      guard let own = self[number] else {
        if other != base[number] { throw Unspecified("a deletion of an object that was changed") }
        continue
      }
      for relationship in relationships(of: number)
      where !relationship.isToMany || relationship.isOrdered {
        let then = base.links(number, relationship.name)
        let name = relationship.name
        if own.links[name] != then, other.links[name] != then, own.links[name] != other.links[name] {
          throw Unspecified("two changes of \(name)")
        }
      }
    }
    for number in numbers where base[number] == nil && theirs[number] != nil {
      throw Unspecified("an object that came from two sides")
    }
  }
}
