import Foundation
import Testing

@testable import CoreData

/// Stores that check constraints themselves, all but incremental ones.
private let kinds = StoreKind.allCases + [.csv]

private let policies: [NSMergePolicy] = [
  .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
]

/// Person: unique mail, unique position, unique (team, number). Team.members deletes along; Captain is a Person.
private func people() -> NSManagedObjectModel {
  let team = entity("Team", [attribute("name")])
  let person = entity(
    "Person",
    [
      attribute("name"), attribute("mail"), attribute("position", .integer32AttributeType),
      attribute("number", .integer16AttributeType),
    ])
  let captain = entity("Captain", [attribute("since", .integer16AttributeType)])
  person.subentities = [captain]
  join(
    relate(team, "members", .many, to: person, rule: .cascadeDeleteRule),
    relate(person, "team", .one, to: team))
  team.uniquenessConstraints = [["name"]]
  person.uniquenessConstraints = [["mail"], ["position"], ["team", "number"]]
  captain.uniquenessConstraints = [["since"]]
  return model([team, person, captain])
}

private func withPeople(
  _ kind: StoreKind, _ policy: NSMergePolicy = .error, _ body: (Stack, NSManagedObjectContext) throws -> Void
) throws {
  try withStack(kind, people()) { stack, context in
    context.mergePolicy = policy
    try body(stack, context)
  }
}

extension NSManagedObjectContext {
  @discardableResult
  fileprivate func person(_ mail: String, _ values: [String: Any] = [:]) -> NSManagedObject {
    new("Person", values.merging(["mail": mail, "name": mail.uppercased()]) { first, _ in first })
  }
}

extension Stack {
  /// What the store has, as "name mail", by name.
  fileprivate func stored() throws -> [String] {
    try elsewhere { other in
      try other.all("Person").map { "\($0.string("name") ?? "-") \($0.string("mail") ?? "-")" }.sorted()
    }
  }
}

@Suite("Saves that end within their uniqueness constraints")
struct ConstraintSaveTests {
  @Test("Of ten rows with a position each the last is dragged to the top", arguments: kinds, policies)
  func reorder(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withPeople(kind, policy) { stack, context in
      var rows = (0..<10).map { context.person("\($0)", ["position": $0]) }
      try context.save()
      rows.insert(rows.removeLast(), at: 0)
      for (position, row) in rows.enumerated() { row["position"] = position }
      try context.save()
      let order = try stack.elsewhere { other in
        try other.all("Person").sorted { $0.int("position")! < $1.int("position")! }.map {
          $0.string("mail")!
        }
      }
      #expect(order == ["9", "0", "1", "2", "3", "4", "5", "6", "7", "8"])
      #expect(!context.hasChanges && rows.allSatisfy { $0.managedObjectContext === context })
    }
  }

  @Test(
    "Two exchange their values, three rotate theirs, and some move up into a free one", arguments: kinds,
    policies)
  func exchange(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withPeople(kind, policy) { stack, context in
      let rows = ["a", "b", "c"].map { context.person($0) }
      try context.save()
      for targets in [
        ["b", "a", "c"], ["c", "b", "a"], ["a", "c", "b"], ["d", "a", "c"], ["e", "d", "a"],
      ] {
        for (row, mail) in zip(rows, targets) { row["mail"] = mail }
        try context.save()
        #expect(try stack.stored() == zip(["A", "B", "C"], targets).map { "\($0) \($1)" })
      }
      #expect(try context.all("Person").count == 3)
    }
  }

  @Test(
    "Values of several properties, relationships among them, are exchanged, and by objects of subentities",
    arguments: kinds, policies)
  func composite(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withPeople(kind, policy) { stack, context in
      let teams = ["x", "y"].map { context.new("Team", ["name": $0]) }
      let a = context.person("a", ["team": teams[0], "number": 1])
      let b = context.new("Captain", ["mail": "b", "name": "B", "team": teams[1], "number": 1, "since": 1])
      let c = context.new("Captain", ["mail": "c", "name": "C", "team": teams[1], "number": 2, "since": 2])
      try context.save()
      (a["team"], b["team"]) = (teams[1], teams[0])
      (b["since"], c["since"]) = (2, 1)
      (a["mail"], c["mail"]) = ("c", "a")
      try context.save()
      (a["number"], c["number"]) = (2, 1)
      try context.save()
      let found = try stack.elsewhere { other in
        try other.all("Person").map {
          "\($0.string("name")!) \($0.string("mail")!) \($0.object("team")!.string("name")!) \($0.int("number")!)"
        }.sorted()
      }
      #expect(found == ["A c y 2", "B b x 1", "C a y 1"])
      #expect(try stack.elsewhere { try $0.all("Captain").map { $0.int("since")! }.sorted() } == [1, 2])
    }
  }

  @Test(
    "What a deletion frees, with what goes along, is taken in the same save", arguments: kinds, policies)
  func freed(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withPeople(kind, policy) { stack, context in
      let team = context.new("Team", ["name": "x"])
      for mail in ["a", "b"] { context.person(mail)["team"] = team }
      let (c, d) = (context.person("c"), context.person("d"))
      try context.save()
      context.delete(team)
      context.delete(d)
      c["mail"] = "a"
      context.person("b")
      context.person("d")
      context.new("Team", ["name": "x"])
      try context.save()
      #expect(try stack.stored() == ["B b", "C a", "D d"])
      #expect(try stack.elsewhere { try $0.all("Team").count } == 1)
    }
  }

  @Test("A new object takes what an edited one gives up", arguments: kinds, policies)
  func givenUp(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withPeople(kind, policy) { stack, context in
      let (a, b) = (context.person("a"), context.person("b"))
      try context.save()
      a["mail"] = "b"
      b["mail"] = nil
      context.person("a", ["name": "new"])
      try context.save()
      #expect(try stack.stored() == ["A b", "B -", "new a"])
    }
  }

  @Test("Many have nil", arguments: kinds, policies)
  func null(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withPeople(kind, policy) { stack, context in
      let team = context.new("Team")
      context.new("Team")
      for name in ["a", "b", "c"] { context.new("Person", ["name": name, "team": team]) }
      let d = context.person("d", ["name": "d", "team": team, "number": 1])
      try context.save()
      d["mail"] = nil
      d["number"] = nil
      try context.save()
      #expect(try stack.stored() == ["a -", "b -", "c -", "d -"])
    }
  }

  @Test("A child's exchange reaches the store with the root's save", arguments: kinds, policies)
  func child(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withPeople(kind, policy) { stack, context in
      let rows = ["a", "b", "c"].map { context.person($0) }
      try context.save()
      let child = NSManagedObjectContext.child(of: context)
      try child.performAndWait {
        for (row, mail) in zip(rows, ["b", "c", "a"]) { child.same(row)["mail"] = mail }
        try child.save()
      }
      try context.save()
      #expect(try stack.stored() == ["A b", "B c", "C a"])
      try child.performAndWait {
        child.delete(child.same(rows[0]))
        child.person("b", ["name": "new"])
        try child.save()
      }
      try context.save()
      #expect(try stack.stored() == ["B c", "C a", "new b"])
    }
  }

  @Test("Decimals with other zeros, and zeros with a sign, are the same number", arguments: kinds)
  func numbers(_ kind: StoreKind) throws {
    let item = entity(
      "Item", [attribute("price", .decimalAttributeType), attribute("weight", .doubleAttributeType)])
    item.uniquenessConstraints = [["price"], ["weight"]]
    let one = Decimal(sign: .plus, exponent: -2, significand: 100)
    for (key, first, second) in [("price", one, Decimal(1)), ("weight", 0.0, -0.0)] as [(String, Any, Any)] {
      try withStack(kind, model([item.copy() as! NSEntityDescription])) { _, context in
        context.new("Item", [key: first])
        try context.save()
        context.new("Item", [key: second])
        #expect(failure { try context.save() }?.code == NSManagedObjectConstraintMergeError, "\(key)")
      }
    }
  }

  @Test("Values in files of their own follow their rows when unique values are exchanged")
  func files() throws {
    let page = entity("Page", [attribute("name"), attribute("image", .binaryDataAttributeType)])
    page.attributesByName["image"]!.allowsExternalBinaryDataStorage = true
    page.uniquenessConstraints = [["name"]]
    try withStack(.sqlite, model([page])) { stack, context in
      func image(_ byte: UInt8) -> Data { Data(repeating: byte, count: 300_000) }
      let pages = (0..<2).map { context.new("Page", ["name": "\($0)", "image": image(UInt8($0))]) }
      try context.save()
      for (index, page) in pages.enumerated() {
        page["name"] = "\(1 - index)"
        page["image"] = image(UInt8(index + 10))
      }
      try context.save()
      let found = try stack.elsewhere { other in
        try other.all("Page").map { "\($0.string("name")!) \(($0["image"] as! Data)[0])" }.sorted()
      }
      #expect(found == ["0 11", "1 10"])
      let folder = stack.url.deletingLastPathComponent()
        .appendingPathComponent(
          ".\(stack.url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
      // The former files are removed when nobody needs them, which may be later than the save.
      func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder.path).count }
      for _ in 0..<200 where try count() != 2 { usleep(50_000) }
      #expect(try count() == 2)
    }
  }

  @Test("An exchange is one update of each row in the history")
  func history() throws {
    let stack = try Stack(.sqlite, people(), options: [NSPersistentHistoryTrackingKey: true])
    try stack.context.performAndWait {
      let (a, b) = (stack.context.person("a"), stack.context.person("b"))
      try stack.context.save()
      (a["mail"], b["mail"]) = ("b", "a")
      try stack.context.save()
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      let result = try #require(try stack.context.execute(request) as? NSPersistentHistoryResult)
      let last = try #require((result.result as? [NSPersistentHistoryTransaction])?.last)
      #expect(last.changes?.count == 2 && last.changes?.allSatisfy { $0.changeType == .update } == true)
      #expect(last.changes?.allSatisfy { $0.updatedProperties?.map(\.name) == ["mail"] } == true)
    }
  }

  @Test("Only rows that are refused cost a statement more")
  func statements() throws {
    try withPeople(.sqlite) { stack, context in
      let rows = ["a", "b", "c", "d"].map { context.person($0) }
      try context.save()
      let trace = StatementTrace(level: 1, isRecording: true)
      (stack.store as! SQLiteStore).pool.write { $0.trace = trace }
      for (row, mail) in zip(rows, ["e", "a", "b", "c"]) { row["mail"] = mail }
      try context.save()
      let free = trace.takeRecorded().filter { $0.hasPrefix("UPDATE") && $0.contains("ZPERSON") }
      #expect(free.count == 4)
      (rows[0]["mail"], rows[1]["mail"]) = ("a", "e")
      rows[2]["name"] = "other"
      try context.save()
      let exchange = trace.takeRecorded().filter { $0.hasPrefix("UPDATE") && $0.contains("ZPERSON") }
      // Both are refused, go out of the way, and come again.
      #expect(exchange.count == 7 && exchange.filter { $0.contains("ZMAIL = NULL") }.count == 2)
    }
  }
}
