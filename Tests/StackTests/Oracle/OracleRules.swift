import Foundation

/// What a save checks, and what it does about conflicts.
enum OracleRules {
  enum Problem: Int {
    case missingValue = 1570
    case deleteDenied = 1600
    case numberTooLarge = 1610
    case numberTooSmall = 1620
    case textTooLong = 1660
    case textTooShort = 1670
  }

  /// What validation finds: deleted objects must not deny, inserted and updated ones must keep their limits.
  static func problems(_ context: OracleContext) throws -> [Problem] {
    var problems: [Problem] = []
    for number in context.deleted {
      for relationship in context.now.relationships(of: number) where relationship.rule == .deny {
        let stay = context.now.links(number, relationship.name).contains {
          !context.deleted.contains($0)
        }
        if stay { problems.append(.deleteDenied) }
      }
    }
    for number in context.living
    where context.inserted.contains(number) || context.touched[number] != nil {
      let own = self.problems(context.now[number]!, deleted: context.deleted)
      // Only in a child can an unchanged object be invalid: its parent may hold invalid values.
      if !own.isEmpty, !context.inserted.contains(number), !context.updated.must.contains(number) {
        throw Unspecified("whether an equal object is checked")
      }
      problems += own
    }
    return problems
  }

  private static func problems(_ record: OracleRecord, deleted: Set<Int>) -> [Problem] {
    var problems: [Problem] = []
    for attribute in OracleSchema.house.attributes(of: record.entity) {
      let limits = attribute.limits ?? (Int.min...Int.max)
      switch record.values[attribute.name]! {
      case .null: if !attribute.isOptional { problems.append(.missingValue) }
      case .integer(let value):
        if value > limits.upperBound { problems.append(.numberTooLarge) }
        if value < limits.lowerBound { problems.append(.numberTooSmall) }
      case .text(let value):
        if value.count > limits.upperBound { problems.append(.textTooLong) }
        if value.count < limits.lowerBound { problems.append(.textTooShort) }
      case .real, .flag: break
      }
    }
    for relationship in OracleSchema.house.relationships(of: record.entity)
    where !relationship.isOptional {
      if record.links[relationship.name]!.filter({ !deleted.contains($0) }).isEmpty {
        problems.append(.missingValue)
      }
    }
    return problems
  }

  /// Objects that were saved elsewhere since the context read them.
  static func conflicts(_ context: OracleContext, _ store: OracleStore) throws -> Set<Int> {
    var conflicts = Set<Int>()
    for number in context.deleted.union(context.differing) {
      let read = context.versions[number]!
      let stored = store.versions[number]
      if stored?.sure != read.sure {
        conflicts.insert(number)
      } else if stored?.doubtful != read.doubtful {
        throw Unspecified("a version that may have grown")
      }
    }
    for number in context.touched.keys
    where context.base[number] != nil && !conflicts.contains(number) {
      if context.versions[number] != store.versions[number] {
        throw Unspecified("a conflict of an equal object")
      }
    }
    return conflicts
  }

  /// What a context has to write when a policy has settled its conflicts.
  ///
  /// Which object is right is said for attributes. What becomes of both ends of a relationship, of objects
  /// that were deleted on one side, and of an order, is not.
  static func settle(
    _ conflicts: Set<Int>, _ policy: OraclePolicy, _ context: OracleContext, _ store: OracleStore
  ) throws -> OracleGraph {
    var mine = context.outcome
    for number in conflicts {
      guard let own = mine[number], let stored = store.graph[number],
        let base = context.base[number]
      else {
        throw Unspecified("a conflict over a deleted object")
      }
      if own.links != base.links { throw Unspecified("a conflict over relationships") }
      if policy == .overwrite, stored.links != base.links {
        throw Unspecified("relationships that are overwritten")
      }
      let sets = mine.relationships(of: number).filter { $0.isToMany && !$0.isOrdered }.map(\.name)
      let equal = (context.touched[number] ?? []).subtracting(own.differences(from: base))
        .subtracting(sets)
      if policy == .objectTrump, !equal.isDisjoint(with: stored.differences(from: base)) {
        throw Unspecified("whether a value that was set to what it was trumps")
      }
      for (key, value) in base.values {
        switch policy {
        case .error, .objectTrump, .overwrite: break
        case .storeTrump: if stored.values[key] != value { mine.set(number, key, value) }
        case .rollback: mine.set(number, key, value)
        }
      }
    }
    return mine
  }
}
