import ArgumentParser
import CoreData
import DurabilitySupport
import Inspection
import TestDice

/// Eight processes on one store, some of which are killed again and again; and a reader that knows only SQLite.
struct ManyProcesses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "many-processes", abstract: "Lets eight processes work on one store, kills some, and checks sums.")

  @Argument(help: "For how many seconds.")
  var seconds = 1800
  @Option(help: "How long one store lives: then a new one is made, which the processes migrate.")
  var life = 20
  @Option(help: "Where the random numbers begin.")
  var seed: UInt64 = 1

  mutating func validate() throws {
    guard 1...300 ~= life else { throw ValidationError("A store lives for 1 to 300 seconds.") }
  }

  func run() throws {
    setvbuf(stdout, nil, _IOLBF, 0)
    let end = Date().addingTimeInterval(Double(seconds))
    var random = Dice(state: seed)
    var report = BankReport()
    repeat {
      let bank = try Bank(seed: random.next() >> 20)
      try bank.live(until: min(end, Date().addingTimeInterval(Double(life))), &report)
      report.stores += 1
      if !report.complaints.isEmpty { break }
    } while Date() < end
    print(report.text)
    if !report.complaints.isEmpty { throw ExitCode(1) }
  }
}

struct BankReport {
  var stores = 0, kills = 0, made = 0, removed = 0, audits = 0, checks = 0, opened = 0, transactions = 0
  var complaints: [String] = []

  var text: String {
    ([
      "\(stores) stores, \(opened) processes, \(kills) of them killed; \(made) pairs of entries made, \(removed) removed; "
        + "\(transactions) transactions in the histories; \(audits) audits, \(checks) checks by SQL: "
        + "\(complaints.count) complaints."
    ] + complaints.prefix(20).map { "  " + $0 }).joined(separator: "\n")
  }
}

/// One store and its processes.
private final class Bank {
  private struct Member {
    let role: BankMember.Role
    let log: String
    var process: ChildProcess
    var isOver = false
  }

  private let folder: URL
  private var random: Dice
  private var members: [Member] = []

  private static let roles: [BankMember.Role] = [
    .writer, .writer, .writer, .batches, .reader, .reader, .history, .history,
  ]

  init(seed: UInt64) throws {
    random = Dice(state: seed)
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    folder = URL(fileURLWithPath: base).resolvingSymlinksInPath()
      .appendingPathComponent("store-crasher-\(getpid())-bank", isDirectory: true)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try BankModel.makeStore(in: folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func live(until end: Date, _ report: inout BankReport) throws {
    defer { for member in members where !member.isOver { member.process.kill() } }
    for (number, role) in Bank.roles.enumerated() {
      let log = folder.appendingPathComponent("log-\(number)").path
      members.append(Member(role: role, log: log, process: try start(role, number, log)))
    }
    while Date() < end {
      usleep(UInt32(50_000 + random.below(250_000)))
      try check(&report)
      if random.below(3) > 0 { continue }
      let number = random.below(members.count)
      members[number].process.kill()
      if members[number].process.wait() == .signal(SIGKILL) { report.kills += 1 }
      members[number].process = try start(members[number].role, number, members[number].log)
    }
    try Data().write(to: folder.appendingPathComponent("stop.writers"))
    try stop(&report)
    try check(&report)
    try compare(&report)
  }

  private func start(_ role: BankMember.Role, _ number: Int, _ log: String) throws -> ChildProcess {
    // Processes that read the history stop after the writers, so that they read all of it.
    let stop = role == .history ? "stop" : "stop.writers"
    return try ChildProcess([
      "bank-member", "--folder", folder.path, "--log", log, "--role", role.rawValue, "--number", "\(number)",
      "--seed", "\(random.next() >> 30)", "--stop", stop,
    ])
  }

  private func stop(_ report: inout BankReport) throws {
    func wait(_ isHistory: Bool) {
      for (number, member) in members.enumerated() where (member.role == .history) == isHistory {
        let end = member.process.wait()
        members[number].isOver = true
        if end != .exit(0) { report.complaints.append("\(member.role) \(number) ended by \(end)") }
      }
    }
    wait(false)
    try Data().write(to: folder.appendingPathComponent("stop"))
    wait(true)
  }

  /// Checks what must be true of every state of the store, in one transaction and with SQL alone.
  private func check(_ report: inout BankReport) throws {
    let database = try PlainDatabase(BankModel.url(in: folder))
    report.complaints += try database.transaction {
      var problems: [String] = []
      func expectNone(_ sql: String, _ what: String) throws {
        if let row = try database.rows(sql).first { problems.append("\(what): \(row)") }
      }
      try expectNone("SELECT SUM(ZBALANCE) FROM ZACCOUNT HAVING SUM(ZBALANCE) != 0", "the balances' sum")
      try expectNone(
        """
        SELECT ZNUMBER, ZBALANCE FROM ZACCOUNT a
        WHERE ZBALANCE != (SELECT COALESCE(SUM(ZAMOUNT), 0) FROM ZENTRY WHERE ZACCOUNT = a.Z_PK)
        """, "an account and its entries")
      try expectNone(
        "SELECT a FROM (SELECT MIN(ZROUND) a, MAX(ZROUND) b FROM ZACCOUNT) WHERE a != b", "accounts in different rounds"
      )
      try expectNone(
        "SELECT COUNT(*) FROM ZACCOUNT HAVING COUNT(*) != \(BankModel.accounts)", "another count of accounts")
      try expectNone(
        "SELECT ZBATCH FROM ZNOISE GROUP BY ZBATCH HAVING COUNT(*) != \(BankModel.batch)", "a batch in part")
      try expectNone(
        "SELECT substr(ZSERIAL, 1, length(ZSERIAL) - 1) s FROM ZENTRY GROUP BY s HAVING COUNT(*) != 2", "half a pair")
      for table in ["ACCOUNT", "ENTRY", "NOISE"] {
        try expectNone(
          """
          SELECT Z_MAX FROM Z_PRIMARYKEY WHERE upper(Z_NAME) = '\(table)'
          AND Z_MAX < (SELECT COALESCE(MAX(Z_PK), 0) FROM Z\(table))
          """, "the keys of \(table)")
      }
      // Files are removed only when no reader may need them, and this transaction is a reader.
      for row in try database.rows("SELECT hex(ZNOTE) FROM ZENTRY WHERE hex(substr(ZNOTE, 1, 1)) = '02'") {
        let name = Bank.text(ofHex: row.dropFirst(2).dropLast(2))
        let file = folder.appendingPathComponent(".Bank_SUPPORT/_EXTERNAL_DATA/\(name)")
        if access(file.path, R_OK) != 0 { problems.append("the file \(name) is not there") }
      }
      if random.below(10) == 0, try database.rows("PRAGMA quick_check").first != "ok" { problems.append("quick_check") }
      return problems
    }
    report.checks += 1
  }

  private static func text(ofHex hex: Substring) -> String {
    var (bytes, rest) = ([UInt8](), hex)
    while rest.count > 1 {
      bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 63)
      rest = rest.dropFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Compares what the processes logged as done, what the histories say, and what the store has.
  private func compare(_ report: inout BankReport) throws {
    let database = try PlainDatabase(BankModel.url(in: folder))
    let entries = Set(try database.rows("SELECT substr(ZSERIAL, 1, length(ZSERIAL) - 1) FROM ZENTRY"))
    let keys = try database.rows("SELECT Z_PK FROM ZENTRY").sorted().joined(separator: ",")
    report.transactions += Int(try database.rows("SELECT COUNT(*) FROM ATRANSACTION").first ?? "") ?? 0
    var (made, removing, removed) = (Set<String>(), Set<String>(), Set<String>())
    for member in members {
      for line in try String(contentsOfFile: member.log, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words[0] {
        case "made": made.insert(rest)
        case "removing": removing.insert(rest)
        case "removed": removed.insert(rest)
        case "open": report.opened += 1
        case "audits": report.audits += Int(rest) ?? 0
        case "history":
          if rest != keys { report.complaints.append("the history knows other entries: \(rest.prefix(200))") }
        case "batches", "end": break
        default: report.complaints.append("\(member.role): \(line)")
        }
      }
    }
    report.made += made.count
    report.removed += removed.count
    for serial in made.subtracting(removing) where !entries.contains(serial) {
      report.complaints.append("\(serial) was saved and is not there")
    }
    for serial in removed.intersection(entries) { report.complaints.append("\(serial) was deleted and is there") }
    let check = try StoreCheck(BankModel.url(in: folder), BankModel.later)
    report.complaints += check.problems
    // Opens the store as the next program does, which also removes what a killed one left behind.
    try BankModel.open(in: folder, BankModel.later).removeAllStores()
    report.complaints += try StoreCheck(BankModel.url(in: folder), BankModel.later).unreferencedFiles
      .map { "the file \($0) is still there, and no row refers to it" }
  }
}
