import CoreData
import Testing

@Suite("Asking for persistent history")
struct HistoryRequestTests {
  /// Three saves by "a", "b" and "a"; the second and third also change the first's tag.
  private func filled() throws -> (stack: Stack, tag: NSManagedObjectID) {
    let stack = try tracked()
    let id = try stack.context.performAndWait {
      let context = stack.context
      context.name = "first"
      let tag = context.new("Tag", ["name": "1"])
      try context.save(by: "a")
      tag["name"] = "2"
      context.new("Author")
      try context.save(by: "b")
      context.name = "second"
      tag["name"] = "3"
      try context.save(by: "a")
      return tag.objectID
    }
    return (stack, id)
  }

  @Test("History is asked for after a date, a token or a transaction; nil is all of it")
  func places() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let context = stack.context
      let all = try context.transactions()
      #expect(all.count == 3)
      func numbers(_ request: NSPersistentHistoryChangeRequest) throws -> [Int64] {
        try context.transactions(request).map(\.transactionNumber)
      }
      #expect(try numbers(.fetchHistory(after: Date.distantPast)) == [1, 2, 3])
      #expect(try numbers(.fetchHistory(after: all[1].timestamp)) == [3])
      #expect(try numbers(.fetchHistory(after: all[0].token)) == [2, 3])
      #expect(try numbers(.fetchHistory(after: all[2].token)) == [])
      #expect(try numbers(.fetchHistory(after: all[1])) == [3])
      #expect(try numbers(.fetchHistory(after: nil as NSPersistentHistoryTransaction?)) == [1, 2, 3])
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: all[0].token)
      #expect(request.token == all[0].token && request.resultType == .transactionsAndChanges)
      #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == all[2].token)
      #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: [stack.store]) == all[2].token)
      #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: []) == nil)
      let copy = request.copy() as! NSPersistentHistoryChangeRequest
      #expect(try numbers(copy) == [2, 3])
    }
  }

  @Test("The result is what the request's type says")
  func resultTypes() throws {
    let (stack, tag) = try filled()
    try stack.context.performAndWait {
      func answer(_ type: NSPersistentHistoryResultType) throws -> Any? {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
        request.resultType = type
        let result = try stack.coordinator.execute(request, with: stack.context) as! NSPersistentHistoryResult
        #expect(result.resultType == type)
        return result.result
      }
      #expect(try answer(.statusOnly) as? Bool == true)
      #expect(try answer(.count) as? Int == 4)
      let ids = try #require(try answer(.objectIDs) as? [NSManagedObjectID])
      #expect(ids.count == 2 && ids[0] == tag)
      let transactions = try #require(try answer(.transactionsOnly) as? [NSPersistentHistoryTransaction])
      #expect(transactions.count == 3 && transactions.allSatisfy { $0.changes == nil })
      #expect(transactions[0].objectIDNotification().userInfo?.isEmpty == true)
      let changes = try #require(try answer(.changesOnly) as? [NSPersistentHistoryChange])
      #expect(changes.count == 4 && changes.allSatisfy { $0.transaction == nil })
    }
  }

  @Test("A change that is kept leads to its transaction, the same one as long as that lives")
  func changesAlone() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let changes = try stack.context.transactions().flatMap { $0.changes ?? [] }
      #expect(changes.map { $0.transaction?.author } == ["a", "b", "b", "a"])
      let number = NSPredicate(format: "transaction.transactionNumber == 2")
      #expect(changes.filter { number.evaluate(with: $0) }.count == 2)
      let transaction = try #require(changes[1].transaction)
      #expect(changes[1].transaction === transaction && changes[2].transaction === transaction)
      #expect(transaction.storeID == stack.store.identifier && transaction.contextName == "first")
      #expect(transaction.changes == nil, "Those that were read went with the transaction that was read.")
      let all = try stack.context.transactions()
      for transaction in all { #expect(transaction.changes?.allSatisfy { $0.transaction === transaction } == true) }
    }
  }

  @Test(
    "Transactions are chosen by a predicate over their keys",
    arguments: [
      ("author == 'a'", [1, 3]), ("author != 'a'", [2]), ("author IN {'b', 'c'}", [2]),
      ("contextName BEGINSWITH 'f'", [1, 2]), ("contextName == 'second' AND author == 'a'", [3]),
      ("author == nil", []), ("processID != nil AND bundleID != nil", [1, 2, 3]),
      ("transactionNumber >= 2", [2, 3]),
    ])
  func predicates(_ format: String, _ numbers: [Int64]) throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      fetch.predicate = NSPredicate(format: format)
      #expect(
        try stack.context.transactions(.fetchHistory(withFetch: fetch)).map(\.transactionNumber) == numbers)
    }
  }

  @Test("A predicate may compare dates and tokens, and narrow what comes after a token")
  func values() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let context = stack.context
      let all = try context.transactions()
      func numbers(_ format: String, _ value: Any, after token: NSPersistentHistoryToken? = nil) throws -> [Int64] {
        let fetch = NSFetchRequest<NSFetchRequestResult>()
        fetch.entity = NSPersistentHistoryTransaction.entityDescription(with: context)
        fetch.predicate = NSPredicate(format: format, value)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        request.fetchRequest = fetch
        return try context.transactions(request).map(\.transactionNumber)
      }
      #expect(try numbers("timestamp > %@", all[0].timestamp) == [2, 3])
      #expect(try numbers("token > %@", all[1].token) == [3])
      #expect(try numbers("token == %@", all[1].token) == [2])
      #expect(try numbers("storeID == %@", stack.store.identifier!) == [1, 2, 3])
      #expect(try numbers("author == %@", "a", after: all[0].token) == [3])
    }
  }

  @Test("A predicate over changes leaves the transactions with the changes that meet it")
  func changePredicates() throws {
    let (stack, tag) = try filled()
    try stack.context.performAndWait {
      let context = stack.context
      func found(_ predicate: NSPredicate) throws -> [[String]] {
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = predicate
        return try context.transactions(.fetchHistory(withFetch: fetch)).map(\.words)
      }
      #expect(
        try found(NSPredicate(format: "changedObjectID == %@", tag))
          == [["insert Tag"], ["update Tag name"], ["update Tag name"]])
      let insert = NSPersistentHistoryChangeType.insert.rawValue
      #expect(try found(NSPredicate(format: "changeType == %d", insert)) == [["insert Tag"], ["insert Author"]])
      let fetch = NSFetchRequest<NSPersistentHistoryChange>()
      fetch.entity = NSPersistentHistoryChange.entityDescription(with: context)
      fetch.sortDescriptors = [NSSortDescriptor(key: "changeID", ascending: false)]
      let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
      request.resultType = .changesOnly
      let changes = try context.answer(request) as? [NSPersistentHistoryChange]
      #expect(changes?.map(\.changeID) == [4, 3, 2, 1])
    }
  }

  @Test("Transactions come in the order that the fetch request asks for; its limit is not regarded")
  func order() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      fetch.sortDescriptors = [
        NSSortDescriptor(key: "author", ascending: true), NSSortDescriptor(key: "timestamp", ascending: false),
      ]
      fetch.fetchLimit = 1
      #expect(
        try stack.context.transactions(.fetchHistory(withFetch: fetch)).map(\.transactionNumber) == [3, 1, 2])
    }
  }

  @Test("Unknown keys, other entities and results that a deletion can't have are refused")
  func refusals() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let context = stack.context
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      fetch.predicate = NSPredicate(format: "colour == 1")
      #expect(throws: (any Error).self) { try context.transactions(.fetchHistory(withFetch: fetch)) }
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      #expect(throws: (any Error).self) { try context.transactions(.fetchHistory(withFetch: books)) }
      let delete = NSPersistentHistoryChangeRequest.deleteHistory(before: Date())
      delete.resultType = .changesOnly
      #expect(throws: (any Error).self) { try context.execute(delete) }
    }
  }

  @Test("A store without the option has no history: 134091, with a sentence", arguments: StoreKind.allCases)
  func untracked(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      context.new("Tag")
      try context.save()
      let error = failure { _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date())) }
      #expect(error?.code == 134091)
      let store = try #require(stack.coordinator.persistentStores.first)
      #expect(
        error?.localizedDescription.hasSuffix(
          ". It is of type \(store.type), and was opened without NSPersistentHistoryTrackingKey, or keeps no history.")
          == true, "\(error?.localizedDescription ?? "-")")
      #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    }
  }

  @Test("A coordinator without a store has no history, and says why")
  func noStore() {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    context.performAndWait {
      let error = failure { _ = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date())) }
      #expect(error?.code == 134091)
      #expect(
        error?.localizedDescription
          == "No history tracking option detected on store: the coordinator has none. Add one first.")
    }
  }

  @Test("A store in memory takes the option and keeps no history")
  func inMemory() throws {
    let stack = try Stack(.inMemory, library(), options: tracking)
    try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save()
      #expect(failure { _ = try stack.context.transactions() }?.code == 134091)
    }
  }

  @Test("Several stores have a history each; those that keep none are left out unless they are asked for")
  func stores() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
    let (stack, _) = try filled()
    let second = try stack.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: tracking)
    let third = try stack.coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
    try stack.context.performAndWait {
      let context = stack.context
      let tag = NSManagedObject(entity: stack.model.entitiesByName["Tag"]!, insertInto: context)
      context.assign(tag, to: second)
      try context.save(by: "c")
      let all = try context.transactions()
      #expect(all.map(\.storeID) == Array(repeating: stack.store.identifier, count: 3) + [second.identifier])
      let token = try #require(stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
      #expect(try context.transactions(after: token).isEmpty)
      #expect(try context.transactions(after: all[3].token).map(\.transactionNumber) == [1, 2, 3])
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
      request.affectedStores = [second]
      #expect(try context.transactions(request).map(\.author) == ["c"])
      request.affectedStores = [second, third]
      #expect(failure { _ = try context.execute(request) }?.code == 134091)
    }
  }

  // Deleting.

  @Test("History before a token, a transaction or a date is deleted; what it names stays")
  func deletion() throws {
    for form in 0..<3 {
      let (stack, _) = try filled()
      try stack.context.performAndWait {
        let context = stack.context
        let all = try context.transactions()
        let request: NSPersistentHistoryChangeRequest =
          switch form {
          case 0: .deleteHistory(before: all[1].token)
          case 1: .deleteHistory(before: all[1])
          default: .deleteHistory(before: all[1].timestamp)
          }
        #expect(try context.answer(request) as? Bool == true)
        #expect(try context.transactions().map(\.transactionNumber) == [2, 3])
        #expect(try context.transactions(after: all[0].token).count == 2)
        request.resultType = .count
        #expect(try context.answer(request) as? Int == 0)
        #expect(try context.answer(.deleteHistory(before: nil as NSPersistentHistoryToken?)) as? Bool == true)
        #expect(try context.transactions().count == 2)
      }
    }
  }

  @Test("A deletion with a fetch request takes, of the transactions before its place, those that meet the predicate")
  func chosenDeletion() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let context = stack.context
      let all = try context.transactions()
      func deletion(before date: Date, _ format: String?) throws -> Int? {
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = format.map { NSPredicate(format: $0) }
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: date)
        request.fetchRequest = fetch
        request.resultType = .count
        return try context.answer(request) as? Int
      }
      #expect(try deletion(before: all[2].timestamp, "author == 'c'") == 0)
      #expect(try deletion(before: all[2].timestamp, "author IN {'b', 'c'}") == 1)
      #expect(try context.transactions().map(\.transactionNumber) == [1, 3])
      // The first transaction is still there, so no token is behind the history.
      #expect(try context.transactions(after: all[0].token).map(\.transactionNumber) == [3])
      #expect(try deletion(before: .distantFuture, "author == 'a' AND contextName == 'second'") == 1)
      #expect(try context.transactions().map { $0.changes?.count } == [1])
      #expect(try deletion(before: .distantFuture, nil) == 1)
      #expect(try context.transactions().isEmpty)
      let changes = NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture)
      changes.fetchRequest = NSPersistentHistoryChange.fetchRequest
      #expect(failure { _ = try context.answer(changes) }?.code == 134060)
    }
  }

  @Test("The predicate that chooses what history is deleted may use the store itself")
  func chosenByCode() throws {
    let (stack, _) = try filled()
    let other = stack.newContext()
    try stack.context.performAndWait {
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      fetch.predicate = NSPredicate { transaction, _ in
        other.performAndWait {
          other.new("Tag")
          try? other.save()
        }
        return (transaction as? NSPersistentHistoryTransaction)?.author == "b"
      }
      let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      request.fetchRequest = fetch
      request.resultType = .count
      #expect(try stack.context.answer(request) as? Int == 1)
      // Each of the three questions has saved.
      #expect(try stack.context.transactions().count == 5)
    }
  }

  @Test("A token is expired when transactions behind it are gone: 134301")
  func expiry() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let context = stack.context
      let all = try context.transactions()
      _ = try context.answer(.deleteHistory(before: all[2].token))
      let error = failure { _ = try context.transactions(after: all[0].token) }
      #expect(error?.code == NSPersistentHistoryTokenExpiredError)
      #expect(try context.transactions(after: all[1].token).map(\.transactionNumber) == [3])
      _ = try context.answer(.deleteHistory(before: Date.distantFuture))
      #expect(try context.transactions().isEmpty)
      #expect(failure { _ = try context.transactions(after: all[1].token) }?.code == 134301)
      #expect(try context.transactions(after: all[2].token).isEmpty)
      #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == all[2].token)
      context.new("Tag")
      try context.save(by: "d")
      #expect(try context.transactions(after: all[2].token).map(\.transactionNumber) == [4])
    }
  }

  @Test("The token of a store without history is a place to begin at, and expired in a predicate")
  func initialToken() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      let context = stack.context
      let token = try #require(stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
      context.new("Tag")
      try context.save()
      #expect(try context.transactions(after: token).count == 1)
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      for format in ["token > %@", "token == %@", "token IN %@"] {
        fetch.predicate = NSPredicate(format: format, format.hasSuffix("IN %@") ? [token] : token)
        let error = failure { _ = try context.answer(.fetchHistory(withFetch: fetch)) }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError, "\(format)")
      }
      let next = try #require(stack.coordinator.currentPersistentHistoryToken(fromStores: nil))
      fetch.predicate = NSPredicate(format: "token >= %@", next)
      #expect((try context.answer(.fetchHistory(withFetch: fetch)) as? [NSPersistentHistoryTransaction])?.count == 1)
    }
  }

  // Tokens.

  @Test("A token survives an archive, and is equal to what it was made of")
  func archiving() throws {
    let (stack, _) = try filled()
    try stack.context.performAndWait {
      let token = try #require(try stack.context.transactions().last?.token)
      let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
      let again = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data))
      #expect(again == token && again.hash == token.hash && again.copy() as? NSPersistentHistoryToken == token)
      #expect(try stack.context.transactions(after: again).isEmpty)
      #expect(try stack.context.transactions(after: nil)[0].token != token)
    }
  }

  @Test("The entities of history say which keys there are")
  func entities() {
    let transaction = NSPersistentHistoryTransaction.entityDescription
    #expect(transaction?.attributesByName.keys.sorted().contains("author") == true)
    #expect(NSPersistentHistoryTransaction.fetchRequest?.entity === transaction)
    #expect(NSPersistentHistoryChange.entityDescription?.attributesByName["changedObjectID"] != nil)
    #expect(NSPersistentHistoryChange.fetchRequest?.entityName == "CHANGE")
  }

  // Merging.

  @Test("A transaction of another coordinator is merged into a context by its notification")
  func merging() throws {
    let (stack, tagID) = try filled()
    let context = stack.context
    let other = try tracked(at: stack.url)
    let token = stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
    let (tag, author) = try context.performAndWait {
      let tag = context.object(with: tagID)
      let author = try context.only("Author")
      author.read()
      #expect(tag.string("name") == "3")
      return (tag, author)
    }
    try other.context.performAndWait {
      try other.context.only("Tag")["name"] = "4"
      other.context.delete(try other.context.only("Author"))
      other.context.new("Author", ["name": "new"])
      try other.context.save(by: "other")
    }
    try context.performAndWait {
      let found = try context.transactions(after: token)
      #expect(found.map(\.author) == ["other"])
      let note = found[0].objectIDNotification()
      #expect(note.userInfo?.keys.count == 3)
      context.mergeChanges(fromContextDidSave: note)
      #expect(tag.string("name") == "4")
      #expect(context.registeredObject(for: author.objectID) == nil || author.isDeleted)
      #expect(try context.strings("Author", "name") == ["new"])
    }
  }
}
