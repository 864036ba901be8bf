import CoreData

/// One shape's objects in a context, beside what the rules say of them.
class RelationshipGraph {
  let number: Int
  var expected: RelationshipModel
  var objects: [Int: NSManagedObject] = [:]

  init(_ number: Int, _ expected: RelationshipModel) {
    self.number = number
    self.expected = expected
  }

  var shape: RelationshipShape { expected.shape }

  func insert(_ members: [Int], into context: NSManagedObjectContext) {
    for member in members {
      objects[member] = context.new(
        (expected.isOwner(member) ? "Owner" : "Target") + "\(number)", ["name": "\(member)"])
    }
  }

  func connect() {
    for owner in expected.members where expected.isOwner(owner) {
      let members = expected["there", owner].map { objects[$0]! }
      switch shape.there {
      case .one: objects[owner]!["there"] = members.first
      case .many: objects[owner]!["there"] = Set(members)
      case .ordered: objects[owner]!["there"] = NSOrderedSet(array: members)
      }
    }
    // The order at the other side is that of the connections; the graph's own is as good.
    for target in expected.members
    where shape.owners == .ordered && expected.keys(target).contains("back") {
      objects[target]!["back"] = NSOrderedSet(array: expected["back", target].map { objects[$0]! })
    }
  }

  /// What the objects that stay lead to, in the words of `RelationshipModel`.
  func description(_ object: (Int) -> NSManagedObject?) -> [Int: String] {
    let ids = objects.map { (number: $0, id: $1.objectID) }
    func number(_ object: NSManagedObject) -> Int {
      let id = object.objectID
      return ids.first { $0.id === id || $0.id == id }?.number ?? -1
    }
    var lines: [Int: String] = [:]
    for member in expected.members {
      guard let found = object(member), !found.isDeleted, found.managedObjectContext != nil else {
        continue
      }
      lines[member] = expected.keys(member).map { key in
        let leads: [Int] =
          switch found[key] {
          case let one as NSManagedObject: [number(one)]
          case let set as NSSet: set.map { number($0 as! NSManagedObject) }.sorted()
          case let list as NSOrderedSet: list.map { number($0 as! NSManagedObject) }
          default: []
          }
        return "\(key) = \(leads)"
      }.joined(separator: "; ")
    }
    return lines
  }
}

extension [Int: String] {
  var lines: String {
    keys.sorted().map { "\($0): \(self[$0]!)" }.joined(separator: " | ")
  }
}
