import Foundation
import Testing

@testable import CoreData

/// Stores that check constraints themselves, all but incremental ones.
private let kinds = StoreKind.allCases + [.csv]

private let policies: [NSMergePolicy] = [
  .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
]

/// User: unique mail, unique nick. Group.users deletes along; User.notes does not.
private func users() -> NSManagedObjectModel {
  let group = entity("Group", [attribute("name")])
  let user = entity("User", [attribute("name"), attribute("mail"), attribute("nick")])
  let note = entity("Note", [attribute("text")])
  join(
    relate(group, "users", .many, to: user, rule: .cascadeDeleteRule), relate(user, "group", .one, to: group))
  join(relate(user, "notes", .many, to: note), relate(note, "user", .one, to: user))
  group.uniquenessConstraints = [["name"]]
  user.uniquenessConstraints = [["mail"], ["nick"]]
  return model([group, user, note])
}

private func withUsers(
  _ kind: StoreKind, _ policy: NSMergePolicy = .error, _ body: (Stack, NSManagedObjectContext) throws -> Void
) throws {
  try withStack(kind, users()) { stack, context in
    context.mergePolicy = policy
    try body(stack, context)
  }
}

extension NSManagedObjectContext {
  @discardableResult
  fileprivate func user(_ mail: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    new("User", values.merging(["mail": mail, "name": mail.uppercased()]) { first, _ in first })
  }
}

extension Stack {
  /// What the store has, as "name mail nick", by name.
  fileprivate func stored() throws -> [String] {
    try elsewhere { other in
      try other.all("User").map { user in
        ["name", "mail", "nick"].map { user.string($0) ?? "-" }.joined(separator: " ")
      }.sorted()
    }
  }
}

private func conflicts(_ error: NSError?) -> [NSConstraintConflict] {
  error?.userInfo[NSConflictListErrorKey] as? [NSConstraintConflict] ?? []
}

extension NSMergePolicy {
  fileprivate var keepsStored: Bool {
    mergeType == .rollbackMergePolicyType || mergeType == .mergeByPropertyStoreTrumpMergePolicyType
  }

  fileprivate var overwrites: Bool { !keepsStored && mergeType != .errorMergePolicyType }
}

@Suite("Saves that end outside their uniqueness constraints")
struct ConstraintPolicyTests {
  @Test(
    "A stored object that is edited to another one's value: the edit is taken back, or the save fails and nothing changes",
    arguments: kinds, policies)
  func edited(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withUsers(kind, policy) { stack, context in
      let (a, b) = (context.user("a"), context.user("b"))
      try context.save()
      a["mail"] = "b"
      a["name"] = "A2"
      context.user("c")
      guard policy.keepsStored else {
        let error = failure { try context.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        #expect(
          conflicts(error).map(\.databaseObject) == [b] && conflicts(error)[0].conflictingObjects == [a])
        #expect(
          context.updatedObjects == [a] && context.insertedObjects.count == 1
            && context.deletedObjects.isEmpty)
        #expect(a.string("mail") == "b")
        #expect(try stack.stored() == ["A a -", "B b -"])
        return
      }
      try context.save()
      // By property, or all of it.
      let name = policy.mergeType == .rollbackMergePolicyType ? "A" : "A2"
      #expect(try stack.stored() == ["\(name) a -", "B b -", "C c -"])
      #expect(a.string("mail") == "a" && a.string("name") == name && !context.hasChanges)
    }
  }

  @Test("Two stored objects that are edited to one value", arguments: kinds, policies)
  func bothEdited(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withUsers(kind, policy) { stack, context in
      let (a, b) = (context.user("a"), context.user("b"))
      try context.save()
      (a["mail"], b["mail"]) = ("c", "c")
      let error = failure { try context.save() }
      #expect((error == nil) == policy.keepsStored)
      #expect(try stack.stored() == ["A a -", "B b -"])
      guard let error else { return }
      #expect(conflicts(error).map(\.databaseObject) == [nil])
      #expect(conflicts(error).map(\.conflictingObjects) == [[a, b]])
    }
  }

  @Test("An edit that is taken back takes back those that counted on it, however many", arguments: kinds)
  func chain(_ kind: StoreKind) throws {
    for policy in policies where policy.keepsStored {
      try withUsers(kind, policy) { stack, context in
        let rows = (0..<300).map { context.user("\($0)", ["name": String(1000 + $0)]) }
        try context.save()
        // The last has what nobody gives up.
        for index in 0..<299 { rows[index]["mail"] = "\(index + 1)" }
        let new = context.user("0", ["name": "new"])
        let free = context.user("300", ["name": "300"])
        try context.save()
        #expect(try stack.stored() == (0..<300).map { "\(1000 + $0) \($0) -" } + ["300 300 -"])
        #expect(new.managedObjectContext == nil && free.managedObjectContext === context)
      }
    }
  }

  @Test(
    "A new object with an edited one's new value goes, and the edited one stays as it is", arguments: kinds,
    policies)
  func newAndEdited(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withUsers(kind, policy) { stack, context in
      let a = context.user("a")
      try context.save()
      a["mail"] = "b"
      let new = context.user("b", ["name": "new"])
      let error = failure { try context.save() }
      guard policy !== NSMergePolicy.error else {
        #expect(conflicts(error).map(\.databaseObject) == [nil])
        #expect(conflicts(error).map(\.conflictingObjects) == [[a, new]])
        #expect(try stack.stored() == ["A a -"])
        return
      }
      #expect(error == nil)
      #expect(try stack.stored() == ["A b -"])
      #expect(new.managedObjectContext == nil)
    }
  }

  @Test("A new object that agrees with two stored ones goes, or the save fails", arguments: kinds, policies)
  func between(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withUsers(kind, policy) { stack, context in
      context.user("a", ["nick": "x"])
      context.user("b", ["nick": "y"])
      try context.save()
      let new = context.user("a", ["name": "new", "nick": "y"])
      let error = failure { try context.save() }
      #expect((error == nil) == policy.keepsStored)
      if let error {
        #expect(error.code == NSManagedObjectConstraintMergeError && conflicts(error).count == 2)
        #expect(context.insertedObjects == [new])
      }
      #expect(try stack.stored() == ["A a x", "B b y"])
    }
  }

  @Test(
    "A new object that goes takes no stored object along: they return to where they were, or join the row that stays, as new ones do",
    arguments: kinds, policies.filter { $0 !== NSMergePolicy.error })
  func cascade(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withUsers(kind, policy) { stack, context in
      let (x, y) = (context.new("Group", ["name": "x"]), context.new("Group", ["name": "y"]))
      let (a, b, c) = (context.user("a", ["group": x]), context.user("b"), context.user("c", ["group": y]))
      let note = context.new("Note", ["text": "t", "user": c])
      try context.save()
      let twin = context.new("Group", ["name": "x"])
      let new = context.user("new", ["group": twin])
      for user in [a, b, c] { user["group"] = twin }
      // Leads to a new object that goes along.
      note["user"] = new
      try context.save()
      #expect(twin.managedObjectContext == nil)
      let found = try stack.elsewhere { other in
        try other.all("User").map { "\($0.string("mail")!) \($0.object("group")?.string("name") ?? "-")" }
          .sorted()
      }
      let place = try stack.elsewhere { try $0.only("Note").object("user")?.string("mail") }
      #expect(found == (policy.overwrites ? ["a x", "b x", "c x", "new x"] : ["a x", "b -", "c y", "new x"]))
      #expect(place == "new")
      #expect(!context.hasChanges && [a, b, c].allSatisfy { $0.managedObjectContext === context })
    }
  }

  @Test(
    "Of new objects the first stays, and what only the others agreed in is free again", arguments: kinds,
    policies)
  func newOnes(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withUsers(kind, policy) { stack, context throws in
      context.user("a", ["name": "1", "nick": "x"])
      context.user("a", ["name": "2", "nick": "y"])
      context.user("b", ["name": "3", "nick": "y"])
      let error = failure { try context.save() }
      guard policy !== NSMergePolicy.error else {
        let names = conflicts(error).map { $0.conflictingObjects.map { $0.string("name")! } }
        #expect(Set(names) == [["1", "2"], ["2", "3"]])
        #expect(try stack.stored().isEmpty)
        return
      }
      #expect(try stack.stored() == ["1 a x", "3 b y"])
    }
  }

  @Test(
    "The conflict's stored object is the one that keeps the value, not one that gives it up", arguments: kinds
  )
  func databaseObject(_ kind: StoreKind) throws {
    try withUsers(kind) { stack, context in
      let (a, b, c) = (context.user("a"), context.user("b"), context.user("c"))
      try context.save()
      (a["mail"], b["mail"]) = ("b", "c")
      let new = context.user("b", ["name": "new"])
      let found = conflicts(failure { try context.save() })
      #expect(found.count == 2)
      let taken = try #require(found.first { $0.constraintValues["mail"] as? String == "b" })
      #expect(
        taken.databaseObject == nil && taken.databaseSnapshot == nil && taken.conflictingObjects == [a, new])
      #expect(taken.conflictingSnapshots.map { $0["mail"] as? String } == ["a", nil])
      let kept = try #require(found.first { $0.constraintValues["mail"] as? String == "c" })
      #expect(kept.databaseObject === c && kept.conflictingObjects == [b])
      #expect(kept.databaseSnapshot?["mail"] as? String == "c")
      #expect(try stack.stored() == ["A a -", "B b -", "C c -"])
    }
  }

  @Test(
    "A policy of the program's own deletes the losers itself, or gives them other values", arguments: kinds)
  func own(_ kind: StoreKind) throws {
    try withUsers(kind) { stack, context in
      let (a, b) = (context.user("a"), context.user("b"))
      try context.save()
      let policy = OwnPolicy(merge: .overwriteMergePolicyType)
      context.mergePolicy = policy
      (a["mail"], b["mail"]) = ("b", "a")
      context.user("a", ["name": "new"])
      policy.answer = {
        for object in $0.conflictingObjects where object.isInserted { context.delete(object) }
      }
      try context.save()
      #expect(policy.asked == [["a"]])
      #expect(try stack.stored() == ["A b -", "B a -"])
      a["mail"] = "a"
      context.user("b", ["name": "new"])
      policy.answer = {
        for object in $0.conflictingObjects { object["mail"] = "\(object.string("name")!)2" }
      }
      try context.save()
      #expect(policy.asked == [["a"], ["a"]])
      #expect(try stack.stored() == ["A A2 -", "B a -", "new b -"])
    }
  }

  @Test(
    "What another context has saved since is stored, whether this one has seen it or not", arguments: kinds,
    policies)
  func twoContexts(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withUsers(kind, policy) { stack, context in
      let (a, b) = (context.user("a"), context.user("b"))
      try context.save()
      try stack.elsewhere { other in
        other.user("c")
        other.same(b)["mail"] = "d"
        try other.save()
      }
      // One has been taken since, the other one freed.
      a["mail"] = "c"
      context.user("b", ["name": "new"])
      let error = failure { try context.save() }
      #expect((error == nil) == policy.keepsStored)
      let before = ["A a -", "B d -", "C c -"]
      #expect(try stack.stored() == (error == nil ? before + ["new b -"] : before))
    }
  }

  @Test("An update by one statement meets its own rows on the way, fails, and does nothing")
  func batchShift() throws {
    let row = entity("Row", [attribute("position", .integer32AttributeType)])
    row.uniquenessConstraints = [["position"]]
    try withStack(.sqlite, model([row])) { stack, context in
      for position in 0..<5 { context.new("Row", ["position": position]) }
      try context.save()
      let request = NSBatchUpdateRequest(entityName: "Row")
      request.propertiesToUpdate = ["position": FoundationExpression(format: "position + 1")]
      let error = failure { _ = try context.execute(request) }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(
        try stack.elsewhere { try $0.all("Row").map { $0.int("position")! }.sorted() } == [0, 1, 2, 3, 4])
    }
  }

  @Test("A store of one's own says by an error which constraints are broken, and the merge policy is asked")
  func stated() throws {
    try withStack(.dictionary) { stack, context in
      let server = DictionaryServer.at(stack.url)
      let book = context.new("Book", ["title": "a", "isbn": "1"])
      try context.save()
      let new = context.new("Book", ["title": "b", "isbn": "1"])
      let conflict = NSConstraintConflict(
        constraint: ["isbn"], database: book, databaseSnapshot: ["isbn": "1"],
        conflicting: [new],
        conflictingSnapshots: [[AnyHashable: Any]()])
      let stated = NSError(
        domain: NSCocoaErrorDomain, code: NSManagedObjectConstraintMergeError,
        userInfo: [NSPersistentStoreSaveConflictsErrorKey: [conflict]])
      server.refuse("save", with: stated)
      #expect(failure { try context.save() } === stated)
      #expect(context.insertedObjects == [new])
      server.refuse("save", with: stated)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect(book.string("title") == "b" && new.managedObjectContext == nil)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["b"])
    }
  }

  @Test("A conflict can be made without arguments")
  func empty() throws {
    let conflict = NSConstraintConflict()
    #expect(
      conflict.constraint.isEmpty && conflict.constraintValues.isEmpty && conflict.conflictingObjects.isEmpty)
    #expect(
      conflict.databaseObject == nil && conflict.databaseSnapshot == nil
        && conflict.conflictingSnapshots.isEmpty)
    for policy in policies where policy !== NSMergePolicy.error {
      try policy.resolve(constraintConflicts: [conflict])
    }
  }
}

/// Resolves constraint conflicts with `answer`, and notes the values in question.
private final class OwnPolicy: NSMergePolicy {
  var answer: (NSConstraintConflict) -> Void = { _ in }
  private(set) var asked: [[String]] = []

  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    asked.append(list.compactMap { $0.constraintValues["mail"] as? String })
    list.forEach(answer)
  }
}
