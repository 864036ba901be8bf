import Foundation
import SwiftData
import TestFiles
import Testing

@Model final class Member {
  @Attribute(.unique, .preserveValueOnDeletion) var number: Int
  var name: String
  @Attribute(.preserveValueOnDeletion) var note: String?
  init(number: Int, name: String) {
    self.number = number
    self.name = name
  }
}

/// Values of every form in which a property is stored.
@Model final class Pass {
  enum Kind: String, Codable { case day, week }
  enum Zone: Codable, Hashable {
    case inner
    case ring(Int, name: String)
  }
  struct Span: Codable, Hashable {
    var first: Int
    var names: [String]
    var last: Date?
  }
  @Attribute(.preserveValueOnDeletion) var kind: Kind = Kind.day
  @Attribute(.preserveValueOnDeletion) var zone: Zone?
  @Attribute(.preserveValueOnDeletion) var span = Span(first: 1, names: [])
  @Attribute(.preserveValueOnDeletion) var tags: [String] = []
  @Attribute(.preserveValueOnDeletion) var marks: Set<Int>?
  @Attribute(.preserveValueOnDeletion) var price: Decimal = 1
  @Attribute(.preserveValueOnDeletion) var former: Kind?
  var other: Kind = Kind.week
  init() {}
}

@Suite("The history of models")
struct HistoryTests {
  private func club(_ folder: TemporaryFolder) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Member.self, configurations: ModelConfiguration(url: folder.file())))
  }

  /// Inserts, changes and deletes one of two members, in three transactions.
  private func filled(_ folder: TemporaryFolder) throws -> ModelContext {
    let context = try club(folder)
    context.author = "first"
    let (ada, bo) = (Member(number: 1, name: "Ada"), Member(number: 2, name: "Bo"))
    context.insert(ada)
    try context.save()
    context.insert(bo)
    ada.name = "Ada L."
    try context.save()
    context.author = "second"
    ada.note = "n"
    try context.save()
    context.delete(ada)
    try context.save()
    return context
  }

  private func all(_ context: ModelContext) throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  @Test("A token is expired once transactions after it were deleted")
  func expiredTokens() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let tokens = try all(context).map(\.token)
    let (first, second, third) = (tokens[0], tokens[1], tokens[2])
    func after(_ token: DefaultHistoryToken) throws -> [Int64] {
      let later = #Predicate<DefaultHistoryTransaction> { $0.token > token && $0.author != nil }
      return try context.fetchHistory(HistoryDescriptor(predicate: later)).map(\.transactionIdentifier)
    }
    #expect(try after(first) == [2, 3, 4])
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
    #expect(throws: SwiftDataError.historyTokenExpired) { try after(first) }
    #expect(try after(second) == [3, 4])
    // Deleting asks for less than that.
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= first }))
    #expect(try after(third) == [4])
    #expect(try all(context).count == 2)
  }

  @Test("Transactions tell what became of which model, and of which of its properties")
  func changes() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let transactions = try all(context)
    #expect(transactions.map(\.author) == ["first", "first", "second", "second"])
    #expect(transactions.map(\.transactionIdentifier) == [1, 2, 3, 4])
    #expect(transactions.allSatisfy { !$0.processIdentifier.isEmpty && $0.timestamp <= Date() })
    let bo = try #require(try context.fetch(FetchDescriptor<Member>()).first)
    #expect(transactions.allSatisfy { $0.storeIdentifier == bo.persistentModelID.storeIdentifier })
    guard case .insert(let insert as DefaultHistoryInsert<Member>) = transactions[0].changes.first else {
      Issue.record("\(transactions[0].changes)")
      return
    }
    let second = transactions[1].changes
    #expect(second.count == 2 && second.contains { $0.changedPersistentIdentifier == bo.persistentModelID })
    for change in second {
      guard case .update(let update as DefaultHistoryUpdate<Member>) = change else { continue }
      #expect(update.updatedAttributes == [\.name] && update.transactionIdentifier == 2)
      #expect(update.changedPersistentIdentifier == insert.changedPersistentIdentifier)
    }
    #expect(second.contains { if case .update = $0 { true } else { false } })
    guard case .delete(let deletion as DefaultHistoryDelete<Member>) = transactions[3].changes.first else {
      Issue.record("\(transactions[3].changes)")
      return
    }
    #expect(deletion.changedPersistentIdentifier == insert.changedPersistentIdentifier)
    #expect(deletion.tombstone[\.number] as? Int == 1 && deletion.tombstone[\.note] as? String == "n")
    let properties: [PartialKeyPath<Member>] = [\.note, \.name]
    #expect(properties.map { deletion.tombstone[$0] as? String } == ["n", nil])
    #expect(deletion.tombstone[\.name] == nil && deletion.tombstone.map(\.key) == [\Member.number, \Member.note])
  }

  @Test("Transactions, tokens and changes are compared, ordered and kept in sets")
  func values() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let (once, again) = (try all(context), try all(context))
    #expect(once == again && Set(once).union(again).count == 4)
    #expect(Set(once.map(\.token)).union(again.map(\.token)).count == 4)
    func numbers<T: HistoryTransaction>(_ transactions: [T]) -> [T.TransactionIdentifier] {
      #expect(Set(transactions.map(\.id)).count == transactions.count)
      #expect(transactions.map(\.token.id) == transactions.map(\.token.id))
      return transactions.map(\.transactionIdentifier).sorted { $0 > $1 }
    }
    #expect(numbers(once) == [4, 3, 2, 1])
    func updates(_ transactions: [DefaultHistoryTransaction]) -> [DefaultHistoryUpdate<Member>] {
      transactions.flatMap(\.changes).compactMap {
        if case .update(let update as DefaultHistoryUpdate<Member>) = $0 { update } else { nil }
      }
    }
    #expect(updates(once) == updates(again) && Set(updates(once) + updates(again)).count == 2)
    let changed: [any DefaultHistoryUpdate<Member>.PropertyUpdate] = updates(once).flatMap(\.updatedAttributes)
    #expect(changed.contains(\.note) && changed.contains(\.name) && !changed.contains(\.number))
    func value<Token: HistoryToken>(_ token: Token) -> Token.TokenType? { token.tokenValue }
    #expect(value(once[0].token)?.values.max() == 1)
  }

  @Test("Enumerations, structs and collections are kept of a deleted model as simple values are")
  func tombstones() throws {
    let folder = TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(for: Pass.self, configurations: ModelConfiguration(url: folder.file())))
    let pass = Pass()
    let span = Pass.Span(first: 3, names: ["a", "b"], last: Date(timeIntervalSinceReferenceDate: 5))
    (pass.kind, pass.zone, pass.span) = (.week, .ring(2, name: "C"), span)
    (pass.tags, pass.marks, pass.price) = (["x", "y"], [1, 2], 2.5)
    context.insert(pass)
    try context.save()
    context.delete(pass)
    try context.save()
    guard case .delete(let deletion as DefaultHistoryDelete<Pass>) = try all(context).last?.changes.first else {
      Issue.record("The deletion is not in the history.")
      return
    }
    let kept = Dictionary(uniqueKeysWithValues: deletion.tombstone.map { ($0.key, $0.value as Any) })
    #expect(kept[\Pass.kind] as? Pass.Kind == .week && kept[\Pass.zone] as? Pass.Zone == .ring(2, name: "C"))
    #expect(kept[\Pass.span] as? Pass.Span == span && kept[\Pass.price] as? Decimal == 2.5)
    #expect(kept[\Pass.tags] as? [String] == ["x", "y"] && kept[\Pass.marks] as? Set<Int> == [1, 2])
    #expect(kept.count == 6 && deletion.tombstone[\.kind] != nil && deletion.tombstone[\.tags] != nil)
    #expect(kept[\Pass.former] == nil && kept[\Pass.other] == nil)
  }

  @Test("A value of a deleted model that its type no longer has is left out")
  func tombstonesOfOtherVersions() throws {
    let folder = TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(for: Pass.self, configurations: ModelConfiguration(url: folder.file())))
    let pass = Pass()
    pass.tags = ["x"]
    context.insert(pass)
    try context.save()
    context.delete(pass)
    try context.save()
    let columns = try SQLiteText.rows(folder.file(), "SELECT name FROM pragma_table_info('ACHANGE')")
    for column in columns where column.hasPrefix("ZTOMBSTONE") {
      _ = try SQLiteText.rows(folder.file(), "UPDATE ACHANGE SET \(column) = 'year' WHERE \(column) = 'day'")
    }
    guard case .delete(let deletion as DefaultHistoryDelete<Pass>) = try all(context).last?.changes.first else {
      Issue.record("The deletion is not in the history.")
      return
    }
    #expect(!deletion.tombstone.contains { $0.key == \Pass.kind } && deletion.tombstone[\.tags] != nil)
  }

  @Test("A store's transactions are in the order in which they were written, though the clock was set back")
  func clockSetBack() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    // The third was written an hour before the others.
    _ = try SQLiteText.rows(folder.file(), "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 3600 WHERE Z_PK = 3")
    #expect(try all(context).map(\.transactionIdentifier) == [1, 2, 3, 4])
    let newest = try #require(try all(context).last?.token)
    #expect(newest.tokenValue?.values.sorted() == [4])
    #expect(
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > newest })
      )
      .isEmpty)
    let third = Int64(3)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier == third }))
    #expect(try all(context).map(\.transactionIdentifier) == [1, 2, 4])
  }

  @Test("What is deleted by time is what has that time, though a later transaction has an earlier one")
  func deletionByTime() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    _ = try SQLiteText.rows(folder.file(), "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 3600 WHERE Z_PK = 3")
    let date = Date(timeIntervalSinceNow: -1800)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.timestamp < date }))
    #expect(try all(context).map(\.transactionIdentifier) == [1, 2, 4])
  }

  @Test("The highest numbers that a token or a file can have are compared and deleted as others are")
  func highestNumbers() throws {
    func token(_ numbers: [String: Int64]) throws -> DefaultHistoryToken {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(["tokenValue": numbers]))
    }
    let (high, higher) = (try token(["A": .max, "B": 1]), try token(["A": .max, "B": 2]))
    #expect(high < higher && !(higher < high))
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let highest = Int64.max
    _ = try SQLiteText.rows(folder.file(), "UPDATE ATRANSACTION SET Z_PK = \(highest) WHERE Z_PK = 4")
    _ = try SQLiteText.rows(folder.file(), "UPDATE ACHANGE SET ZTRANSACTIONID = \(highest) WHERE ZTRANSACTIONID = 4")
    #expect(try all(context).map(\.transactionIdentifier) == [1, 2, 3, highest])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try all(context).isEmpty)
  }

  @Test("What is deleted by what transactions themselves say is deleted without reading their changes")
  func deletionWithoutReading() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let second = try all(context)[1].token
    // A change that no reader accepts.
    _ = try SQLiteText.rows(folder.file(), "UPDATE ACHANGE SET ZENTITYPK = 0 WHERE ZTRANSACTIONID = 3")
    #expect(throws: (any Error).self) { try all(context) }
    #expect(throws: (any Error).self) {
      try context.deleteHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.changes.count > 0 }))
    }
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
    #expect(try SQLiteText.rows(folder.file(), "SELECT Z_PK FROM ATRANSACTION") == ["3", "4"])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try all(context).isEmpty)
  }

  @Test("Only what is behind a token is read, if the predicate asks for that")
  func readingBehindTokens() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let before = try all(context)
    let (first, second) = (before[0].token, before[1].token)
    let author = "second"
    // A change that no reader accepts.
    _ = try SQLiteText.rows(folder.file(), "UPDATE ACHANGE SET ZENTITYPK = 0 WHERE ZTRANSACTIONID = 1")
    #expect(throws: (any Error).self) { try all(context) }
    let predicates: [Predicate<DefaultHistoryTransaction>] = [
      #Predicate { $0.token > second }, #Predicate { second < $0.token },
      #Predicate { $0.author == author && $0.token > first },
      #Predicate { $0.token > first && ($0.token > second && $0.author == author) },
    ]
    for predicate in predicates {
      let found = try context.fetchHistory(HistoryDescriptor(predicate: predicate))
      #expect(found.map(\.transactionIdentifier) == [3, 4] && found.map(\.token) == before.suffix(2).map(\.token))
    }
    for predicate: Predicate<DefaultHistoryTransaction> in [
      #Predicate { $0.token > second || $0.author == author }, #Predicate { !($0.token > second) },
    ] {
      #expect(throws: (any Error).self) { try context.fetchHistory(HistoryDescriptor(predicate: predicate)) }
    }
  }

  @Test("No changes are read to find out whether a token is expired")
  func checkingTokens() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let before = try all(context)
    let (first, second) = (before[0].token, before[1].token)
    // Changes that no reader accepts.
    _ = try SQLiteText.rows(folder.file(), "UPDATE ACHANGE SET ZENTITYPK = 0 WHERE ZTRANSACTIONID <= 2")
    let predicate = #Predicate<DefaultHistoryTransaction> { $0.token > first && $0.token > second }
    let found = try context.fetchHistory(HistoryDescriptor(predicate: predicate))
    #expect(found.map(\.transactionIdentifier) == [3, 4])
  }

  @Test("A token that was written down tells what is new since")
  func tokens() throws {
    let folder = TemporaryFolder()
    let data: Data
    do {
      let context = try filled(folder)
      data = try JSONEncoder().encode(try #require(try all(context).dropLast(2).last).token)
    }
    let context = try club(folder)
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    let news = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    #expect(news.map(\.transactionIdentifier) == [3, 4])
    let author = "first"
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.author == author }, sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [2, 1])
    descriptor.fetchLimit = 1
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [2])
    #expect(token.tokenValue?.values.sorted() == [2])
  }

  @Test("History is deleted from its beginning")
  func deletion() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let (second, last) = (try all(context)[1].token, try all(context)[3].token)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < second }))
    #expect(try all(context).map(\.transactionIdentifier) == [2, 3, 4])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(try all(context).isEmpty)
    context.insert(Member(number: 3, name: "Cy"))
    try context.save()
    let after = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
    #expect(after.count == 1)
  }

  @Test("Transactions between others are deleted too, by an author or by a number, and tokens stay of use")
  func deletionsBetween() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let before = try all(context)
    let first = before[0].token
    let author = before[2].author
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first && $0.author == author }))
    let left = before.filter { $0.token <= first || $0.author != author }
    #expect(left.count < before.count && left.count > 1)
    #expect(try all(context).map(\.id) == left.map(\.id))
    #expect(
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first })
      ).map(\.id) == left.dropFirst().map(\.id))
    var limited = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    limited.fetchLimit = 1
    try context.deleteHistory(limited)
    #expect(try all(context).map(\.id) == left.dropLast().map(\.id))
  }

  @Test("The stores of one container have one order, and tokens that know of both")
  func twoStores() throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(
      for: Schema([Member.self, Garden.Bed.self]),
      configurations: [
        ModelConfiguration("members", schema: Schema([Member.self]), url: folder.file("a.store")),
        ModelConfiguration("beds", schema: Schema([Garden.Bed.self]), url: folder.file("b.store")),
      ])
    let context = ModelContext(container)
    for number in 0..<3 {
      context.insert(Member(number: number, name: "N"))
      try context.save()
      context.insert(Garden.Bed(number: number))
      try context.save()
    }
    let found = try all(context)
    #expect(found.count == 6 && found.last?.token.tokenValue?.count == 2)
    for (earlier, later) in zip(found, found.dropFirst()) { #expect(earlier.token < later.token) }
    let token = found[2].token
    let news = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    #expect(news.map(\.id) == found.dropFirst(3).map(\.id))
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
    #expect(try all(context).map(\.id) == found.dropFirst(3).map(\.id))
  }

  @Test("A store in memory has a history of its own, which is new once the store was erased")
  func inMemory() throws {
    let (one, other) = (try memory(Member.self), try memory(Member.self))
    one.author = "first"
    one.insert(Member(number: 1, name: "Ada"))
    try one.save()
    one.insert(Member(number: 2, name: "Bo"))
    try one.save()
    #expect(try all(other).isEmpty)
    #expect(try other.fetchCount(FetchDescriptor<Member>()) == 0)
    let found = try all(one)
    #expect(found.map(\.author) == ["first", "first"] && found.map(\.changes.count) == [1, 1])
    let token = found[0].token
    let news = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    #expect(try one.fetchHistory(news).map(\.id) == [2])
    try one.deleteHistory(news)
    #expect(try all(one).map(\.id) == [1])
    try one.container.erase()
    #expect(try all(one).isEmpty)
    one.insert(Member(number: 3, name: "Cy"))
    try one.save()
    #expect(try all(one).map(\.id) == [1])
  }

  @Test("A store in memory that may not be saved to opens empty, and refuses")
  func readOnlyInMemory() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true, allowsSave: false)
    let context = ModelContext(try ModelContainer(for: Member.self, configurations: configuration))
    #expect(try context.fetchCount(FetchDescriptor<Member>()) == 0)
    context.insert(Member(number: 1, name: "Ada"))
    #expect(throws: (any Error).self) { try context.save() }
  }
}
