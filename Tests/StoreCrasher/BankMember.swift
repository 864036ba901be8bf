import ArgumentParser
import CoreData
import DurabilitySupport
import TestDice

/// One of the processes of `ManyProcesses`: opens the store, migrates it if no process has yet, and works until the
/// file that `stop` names exists. Its log has a line for each thing that the framework has reported as done.
struct BankMember: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Works on a shared store.", shouldDisplay: false)

  enum Role: String, ExpressibleByArgument, CaseIterable { case writer, batches, reader, history }

  @Option var folder: String
  @Option var log: String
  @Option var role: Role
  @Option var number: Int
  @Option var seed: UInt64
  /// The name of the file that ends the work.
  @Option var stop: String

  func run() throws {
    // Longer than any round: ends the process even if the file never appears.
    alarm(600)
    let log = SyncedLog(path: log)
    do {
      let coordinator = try BankModel.open(in: URL(fileURLWithPath: folder), BankModel.later)
      log.append("open \(number)")
      let context = BankModel.context(coordinator)
      context.transactionAuthor = "\(role) \(number)"
      var dice = Dice(state: seed)
      try context.performAndWait {
        switch role {
        case .writer: try Teller(context, log, "\(number)-\(seed)").work(&dice, until: isOver)
        case .batches: try Batches(context, log, seed).work(until: isOver)
        case .reader: try Auditor(context, log).work(until: isOver)
        case .history: try Archivist(context, log).work(until: isOver)
        }
      }
      try coordinator.removeAllStores()
      log.append("end \(number)")
    } catch {
      log.append("error \(role) \(number): \((error as NSError).code) \(error.localizedDescription)")
      throw ExitCode(3)
    }
  }

  private func isOver() -> Bool { access("\(folder)/\(stop)", F_OK) == 0 }
}

/// Moves amounts between two accounts, with an entry for each; sometimes deletes a pair of entries.
private final class Teller {
  private let context: NSManagedObjectContext
  private let log: SyncedLog
  private let name: String
  private var count = 0

  init(_ context: NSManagedObjectContext, _ log: SyncedLog, _ name: String) {
    (self.context, self.log, self.name) = (context, log, name)
  }

  func work(_ dice: inout Dice, until isOver: () -> Bool) throws {
    while !isOver() {
      try autoreleasepool {
        if dice.below(4) == 0 { try takeBack(&dice) } else { try move(&dice) }
        if dice.below(8) == 0 { context.reset() }
      }
    }
  }

  private func move(_ dice: inout Dice) throws {
    count += 1
    let serial = "\(name)-\(count)"
    let (one, other) = (dice.below(BankModel.accounts), dice.below(BankModel.accounts))
    if one == other { return }
    let amount = dice.below(1000)
    try untilSaved {
      for (number, change, mark) in [(one, amount, "a"), (other, -amount, "b")] {
        let account = try account(number)
        let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
        entry.setValue(change, forKey: "amount")
        entry.setValue(serial + mark, forKey: "serial")
        entry.setValue(BankModel.note(serial + mark), forKey: "note")
        entry.setValue(account, forKey: "account")
        account.setValue((account.value(forKey: "balance") as! Int) + change, forKey: "balance")
      }
      return true
    }
    log.append("made \(serial)")
  }

  private func takeBack(_ dice: inout Dice) throws {
    if count == 0 { return }
    let serial = "\(name)-\(dice.below(count) + 1)"
    log.append("removing \(serial)")
    try untilSaved {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
      request.predicate = NSPredicate(format: "serial IN %@", [serial + "a", serial + "b"])
      let found = try context.fetch(request)
      for entry in found {
        let account = entry.value(forKey: "account") as! NSManagedObject
        context.refresh(account, mergeChanges: true)
        let balance = (account.value(forKey: "balance") as! Int) - (entry.value(forKey: "amount") as! Int)
        account.setValue(balance, forKey: "balance")
        context.delete(entry)
      }
      return !found.isEmpty
    }
    log.append("removed \(serial)")
  }

  private func account(_ number: Int) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
    request.predicate = NSPredicate(format: "number == %d", number)
    let account = try context.fetch(request)[0]
    context.refresh(account, mergeChanges: false)
    return account
  }

  /// Runs `body` and saves; again if another process has changed an account meanwhile.
  private func untilSaved(_ body: () throws -> Bool) throws {
    while true {
      guard try body() else { return }
      do { return try context.save() } catch let error as NSError where error.code == NSManagedObjectMergeError {
        context.rollback()
      }
    }
  }
}

/// Changes all accounts in one batch request, and inserts and deletes rows in batches.
private struct Batches {
  let context: NSManagedObjectContext
  let log: SyncedLog
  let seed: UInt64

  init(_ context: NSManagedObjectContext, _ log: SyncedLog, _ seed: UInt64) {
    (self.context, self.log, self.seed) = (context, log, seed)
  }

  func work(until isOver: () -> Bool) throws {
    var batch = Int(seed % 1_000_000) * 1000
    while !isOver() {
      try autoreleasepool {
        let update = NSBatchUpdateRequest(entityName: "Account")
        update.propertiesToUpdate = ["round": NSExpression(format: "round + 1")]
        try context.execute(update)
        batch += 1
        try context.execute(
          NSBatchInsertRequest(
            entityName: "Noise", objects: Array(repeating: ["batch": batch], count: BankModel.batch)))
        let old = NSFetchRequest<NSFetchRequestResult>(entityName: "Noise")
        old.predicate = NSPredicate(format: "batch < %d OR batch > %d", batch - 5, batch)
        try context.execute(NSBatchDeleteRequest(fetchRequest: old))
      }
      usleep(20_000)
    }
    log.append("batches \(batch % 1000)")
  }
}

/// Adds everything up in one query generation.
private struct Auditor {
  let context: NSManagedObjectContext
  let log: SyncedLog

  init(_ context: NSManagedObjectContext, _ log: SyncedLog) { (self.context, self.log) = (context, log) }

  func work(until isOver: () -> Bool) throws {
    var count = 0
    while !isOver() {
      try autoreleasepool {
        try context.setQueryGenerationFrom(.current)
        if let problem = try problem() { log.append("wrong the sums: \(problem)") }
        context.reset()
      }
      count += 1
    }
    log.append("audits \(count)")
  }

  private func problem() throws -> String? {
    let accounts = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Account"))
    let entries = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entry"))
    var sums: [NSManagedObjectID: Int] = [:]
    for entry in entries {
      guard let account = entry.value(forKey: "account") as? NSManagedObject else { return "an entry has no account" }
      sums[account.objectID, default: 0] += entry.value(forKey: "amount") as! Int
      let serial = entry.value(forKey: "serial") as! String
      if try entry.value(checkedForKey: "note") as? Data != BankModel.note(serial) {
        return "the note of \(serial) is another one"
      }
    }
    for account in accounts where account.value(forKey: "balance") as! Int != sums[account.objectID, default: 0] {
      return
        "an account has the balance \(account.value(forKey: "balance")!), its entries \(sums[account.objectID, default: 0])"
    }
    if Set(accounts.map { $0.value(forKey: "round") as! Int }).count != 1 { return "accounts are in different rounds" }
    return nil
  }
}

/// Follows the history with its tokens. At the end it must know the entries that the store has.
private struct Archivist {
  let context: NSManagedObjectContext
  let log: SyncedLog

  init(_ context: NSManagedObjectContext, _ log: SyncedLog) { (self.context, self.log) = (context, log) }

  func work(until isOver: () -> Bool) throws {
    var token: NSPersistentHistoryToken?
    var last: Int64 = 0
    var entries: Set<String> = []
    var wasOver = false
    while !wasOver {
      // Reads once more after the writers have ended.
      wasOver = isOver()
      try autoreleasepool {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
          if transaction.transactionNumber <= last {
            log.append("wrong transaction \(transaction.transactionNumber) came after \(last)")
          }
          last = transaction.transactionNumber
          token = transaction.token
          for change in transaction.changes ?? [] where change.changedObjectID.entity.name == "Entry" {
            let name = change.changedObjectID.uriRepresentation().lastPathComponent
            switch change.changeType {
            case .insert:
              if !entries.insert(name).inserted { log.append("wrong \(name) was inserted twice") }
            case .delete: if entries.remove(name) == nil { log.append("wrong \(name) was deleted and was not there") }
            default: break
            }
          }
        }
      }
      usleep(10_000)
    }
    log.append("history \(entries.map { $0.dropFirst() }.sorted().joined(separator: ","))")
  }
}
