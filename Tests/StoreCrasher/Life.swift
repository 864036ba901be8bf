import CoreData
import DurabilitySupport
import Inspection

/// One store from its making on, through several processes that are killed, and the saves that its log has.
struct Life {
  let setup: StoreSetup
  let seed: UInt64
  let folder: URL
  let log: URL
  /// The number of the last save that the log has.
  private(set) var acknowledged = 0
  /// Whether a process was killed since, so that the store may have one save more than the log.
  private(set) var mayHaveOneMore = false

  /// What a round found out.
  struct Findings {
    /// "kill moment operation file"; nil when the process came to its end.
    var kill: [String]?
    var operations: Int?
    var saves = 0
    var lost: [String] = []
    var extra: [String] = []
    /// Half a save, a broken file, a store that can't be opened, a process that ended otherwise than by the kill.
    var broken: [String] = []

    var isClean: Bool { lost.isEmpty && extra.isEmpty && broken.isEmpty }
  }

  init(setup: StoreSetup, seed: UInt64, folder: URL, log: URL) throws {
    (self.setup, self.seed, self.folder, self.log) = (setup, seed, folder, log)
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Reads what a process wrote before it ended, and how it ended.
  mutating func read(_ end: ChildProcess.End, _ findings: inout Findings) throws {
    let text = try String(contentsOf: log, encoding: .utf8)
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      let number = words.count > 1 ? Int(words[1]) : nil
      switch (words[0], number) {
      case ("open", let found?): note(found, &findings)
      case ("save", let number?):
        if number != acknowledged + 1 { findings.broken.append("save \(number) came after \(acknowledged)") }
        acknowledged = number
        findings.saves += 1
      case ("kill", _): findings.kill = words
      case ("end", let count?): findings.operations = count
      default: findings.broken.append(String(line))
      }
    }
    mayHaveOneMore = findings.operations == nil
    switch end {
    case .exit(0): if findings.operations == nil { findings.broken.append("the process said no word at its end") }
    case .signal(SIGKILL): break
    default: findings.broken.append("the process ended by \(end)")
    }
  }

  /// Compares the number of saves that the store was found with to the log's.
  private mutating func note(_ found: Int, _ findings: inout Findings) {
    let last = acknowledged + (mayHaveOneMore ? 1 : 0)
    if found < acknowledged { findings.lost.append("\(found) saves of \(acknowledged) are there") }
    if found > last { findings.extra.append("\(found) saves are there, \(last) were made") }
    acknowledged = found
    mayHaveOneMore = false
  }

  /// Opens the store and compares all that it has with the ledger after that many saves.
  mutating func check(_ findings: inout Findings) {
    do {
      try autoreleasepool {
        let coordinator = try setup.open(in: folder)
        let context = try LedgerContext(coordinator)
        let found = context.saves
        note(found, &findings)
        let expected = Ledger(seed: seed, hasFiles: setup.hasFiles, saves: found).lines
        let lines = context.lines
        if lines != expected {
          let difference = lines.difference(from: expected).map { "\($0)".prefix(300) }.joined(separator: "; ")
          findings.broken.append("after \(found) saves: \(difference)")
        }
        try coordinator.removeAllStores()
      }
      if setup.kind == .sqlite {
        let check = try StoreCheck(setup.url(in: folder), ledgerModel)
        findings.broken += check.problems
        // Opening removes what a kill left behind.
        findings.broken += check.unreferencedFiles.map { "the file \($0) is still there, and no row refers to it" }
      }
    } catch {
      findings.broken.append("the check failed: \((error as NSError).code) \(error.localizedDescription)")
    }
  }
}
