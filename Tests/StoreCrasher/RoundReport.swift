import DurabilitySupport
import Foundation

/// What all rounds together found.
struct RoundReport {
  private struct Point: Hashable {
    var operation: String
    var file: String
  }

  private var kills: [Point: [String: Int]] = [:]
  private var rounds = 0, killed = 0, fromOutside = 0, ended = 0, saves = 0
  private var lost = 0, extra = 0, broken = 0
  private let start = Date()

  var isClean: Bool { lost + extra + broken == 0 }

  mutating func add(_ findings: Life.Findings, _ plan: RoundPlan) {
    rounds += 1
    saves += findings.saves
    lost += findings.lost.count
    extra += findings.extra.count
    broken += findings.broken.count
    if let kill = findings.kill, kill.count == 4 {
      killed += 1
      kills[Point(operation: kill[2], file: RoundReport.kind(ofFile: kill[3])), default: [:]][kill[1], default: 0] += 1
    } else if findings.operations != nil {
      ended += 1
    } else if plan.delay != nil {
      fromOutside += 1
    }
  }

  func complain(_ findings: Life.Findings, _ title: String, keeping place: URL) {
    let kept = FileManager.default.temporaryDirectory.appendingPathComponent("store-crasher-\(UUID().uuidString)")
    try? FileManager.default.copyItem(at: place, to: kept)
    print("\(title): the files are in \(kept.path)")
    for (name, list) in [("lost", findings.lost), ("extra", findings.extra), ("broken", findings.broken)] {
      for text in list { print("  \(name): \(text)") }
    }
  }

  /// What a file is, by its name below the store's folder.
  static func kind(ofFile name: String) -> String {
    if name == "." { return "folder" }
    if name.contains("_EXTERNAL_DATA/") {
      return UUID(uuidString: (name as NSString).lastPathComponent) == nil ? "external, temporary" : "external"
    }
    if name.contains("_SUPPORT/Pending-") { return "external's journal" }
    if name.contains("_SUPPORT") { return "external's folder" }
    for (suffix, kind) in [("-wal", "log"), ("-shm", "log's index"), ("-journal", "journal")]
    where name.hasSuffix(suffix) {
      return kind
    }
    return ["S.sqlite", "S.xml", "S.binary"].contains(name) ? "store" : "temporary"
  }

  func text(isLong: Bool) -> String {
    var lines: [String] = []
    func row(_ cells: [String]) {
      let widths = [10, 22, 9, 9, 9]
      lines.append(
        zip(cells, widths).enumerated().map { index, cell in
          let blanks = String(repeating: " ", count: max(cell.1 - cell.0.count, 0))
          return index < 2 ? cell.0 + blanks : blanks + cell.0
        }.joined())
    }
    if isLong {
      row(["operation", "file", "before", "middle", "after"])
      for (point, counts) in kills.sorted(by: { ($0.key.operation, $0.key.file) < ($1.key.operation, $1.key.file) }) {
        row([point.operation, point.file] + ["before", "middle", "after"].map { "\(counts[$0] ?? 0)" })
      }
      row(["any", "killed from outside", "", "\(fromOutside)", ""])
    }
    let seconds = Date().timeIntervalSince(start)
    lines.append(
      "\(rounds) rounds in \(Int(seconds)) s: \(killed + fromOutside) kills, \(ended) processes came to their end; "
        + "\(saves) saves acknowledged.")
    lines.append("Lost saves: \(lost). Extra saves: \(extra). Half saves and broken files: \(broken).")
    return lines.joined(separator: "\n")
  }
}
