import CoreData
import TestDice

/// Which entities the two ends of a relationship belong to.
enum Topology: CaseIterable, Sendable {
  case twoEntities
  /// Both relationships are the entity's own.
  case sameEntity
  /// The relationships are declared by parent entities; the objects are of their subentities.
  case subentities
}

/// Over each kind of store every round of a test takes place; the topologies take turns at it, since all of
/// them in all rounds take minutes. `STRATA_SOAK=1` runs them.
enum Turns {
  static func of<Round>(
    _ rounds: [Round], _ kind: StoreKind, _ topology: Topology, every count: Int
  ) -> [Round] {
    if RandomTest.soak != nil { return rounds }
    let turn = Topology.allCases.firstIndex(of: topology)! + (kind == .sqlite ? 1 : 0)
    return rounds.enumerated().filter { $0.offset % count == turn % count }.map(\.element)
  }
}

/// One pair of relationships: `there` from an owner to targets, `back` from a target to owners.
struct RelationshipShape: CustomStringConvertible {
  enum Return {
    /// `there` has no inverse.
    case none
    case inverse(Count, NSDeleteRule)
    /// `there` is its own inverse.
    case symmetric
  }

  var topology: Topology
  var there: Count
  var rule: NSDeleteRule
  var back: Return

  static let rules: [NSDeleteRule] = [
    .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule, .noActionDeleteRule,
  ]

  /// Every combination of cardinality, order and rule on each side, with and without an inverse.
  static func all(_ topology: Topology, rules: [NSDeleteRule] = rules) -> [RelationshipShape] {
    var shapes: [RelationshipShape] = []
    for there in Count.allCases {
      for rule in rules {
        var returns: [Return] = [.none]
        if topology == .sameEntity { returns.append(.symmetric) }
        for count in Count.allCases { returns += rules.map { .inverse(count, $0) } }
        shapes += returns.map {
          RelationshipShape(topology: topology, there: there, rule: rule, back: $0)
        }
      }
    }
    return shapes
  }

  var description: String {
    let way =
      switch back {
      case .none: "\(there)/\(rule.word), no inverse"
      case .symmetric: "\(there)/\(rule.word), its own inverse"
      case .inverse(let count, let backRule): "\(there)/\(rule.word) <-> \(count)/\(backRule.word)"
      }
    return "\(topology): \(way)"
  }

  /// How many owners a target may have. Without an inverse a to-many is a column of the destination, which
  /// one owner can have.
  var owners: Count {
    switch back {
    case .none: there == .one ? .many : .one
    case .symmetric: there
    case .inverse(let count, _): count
    }
  }

  var hasInverse: Bool { if case .none = back { false } else { true } }
  var isSymmetric: Bool { if case .symmetric = back { true } else { false } }

  /// The name of the relationship that leads back from a destination of `key`.
  func inverse(of key: String) -> String? {
    switch back {
    case .none: nil
    case .symmetric: "there"
    case .inverse: key == "there" ? "back" : "there"
    }
  }

  func count(of key: String) -> Count { key == "there" ? there : owners }

  func deleteRule(of key: String) -> NSDeleteRule {
    if key == "there" { return rule }
    if case .inverse(_, let rule) = back { return rule }
    return .noActionDeleteRule
  }

  /// The entities of the shape, with a number in their names, so that one model has many shapes.
  func entities(_ number: Int) -> [NSEntityDescription] {
    func make(_ name: String) -> NSEntityDescription {
      entity("\(name)\(number)", [attribute("name")])
    }
    let owner = make(topology == .subentities ? "AnyOwner" : "Owner")
    let target =
      topology == .sameEntity ? owner : make(topology == .subentities ? "AnyTarget" : "Target")
    let out = relate(owner, "there", there, to: target, rule: rule)
    switch back {
    case .none: break
    case .symmetric: out.inverseRelationship = out
    case .inverse(let count, let rule):
      join(out, relate(target, "back", count, to: owner, rule: rule))
    }
    switch topology {
    case .sameEntity: return [owner]
    case .twoEntities: return [owner, target]
    case .subentities:
      let (subowner, subtarget) = (entity("Owner\(number)"), entity("Target\(number)"))
      owner.subentities = [subowner]
      target.subentities = [subtarget]
      return [owner, target, subowner, subtarget]
    }
  }
}

extension Count: CaseIterable {
  static let allCases: [Count] = [.one, .many, .ordered]
}

extension NSDeleteRule {
  var word: String {
    switch self {
    case .noActionDeleteRule: "no action"
    case .nullifyDeleteRule: "nullify"
    case .cascadeDeleteRule: "cascade"
    case .denyDeleteRule: "deny"
    @unknown default: "?"
    }
  }
}
