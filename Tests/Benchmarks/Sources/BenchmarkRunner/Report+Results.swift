import BenchmarkReport
import Foundation

extension Report {
  /// The same figures that are printed, as a value.
  func results(_ samples: Samples) -> BenchmarkReport.Run {
    BenchmarkReport.Run(
      size: samples.size,
      operations: operations.compactMap { operation in
        let rows = rows(of: operation, samples)
        guard !rows.isEmpty else { return nil }
        return BenchmarkReport.Operation(
          name: operation.name, summary: operation.summary, rows: rows,
          goals: Goal.all.filter { $0.operation == operation.name }.compactMap { result(of: $0, samples) })
      })
  }

  private func rows(of operation: Operation, _ samples: Samples) -> [BenchmarkReport.Row] {
    operation.variants.filter(variants.contains).flatMap { variant -> [BenchmarkReport.Row] in
      var rows: [BenchmarkReport.Row] = []
      if operation.isTimed, let time = samples.spread(Figure(variant, operation.name)) {
        let ratio = samples.spread(.ratio(Figure(variant, operation.name), reference(operation)))
        rows.append(
          BenchmarkReport.Row(
            variant: variant.rawValue, title: variant.title, unit: "ms", value: time.result, ratio: ratio?.result))
      }
      for what in Agreement.figures {
        guard let bytes = samples.spread(.bytesPerBook(Figure(variant, "\(operation.name).\(what)"))) else { continue }
        rows.append(
          BenchmarkReport.Row(
            variant: variant.rawValue, title: "\(variant.title), \(Self.title(of: what))", unit: "bytes a book",
            value: bytes.result, ratio: nil))
      }
      return rows
    }
  }

  private func result(of goal: Goal, _ samples: Samples) -> BenchmarkReport.Goal? {
    guard let measured = samples.spread(goal.quantity) else { return nil }
    return BenchmarkReport.Goal(
      text: goal.text, bound: bound(goal), measured: measured.result, verdict: verdict(goal, measured.median),
      isMissed: !goal.isAmbition && goal.miss(measured.median) != nil)
  }
}

extension Spread {
  fileprivate var result: BenchmarkReport.Spread { BenchmarkReport.Spread(median: median, low: least, high: greatest) }
}

extension BenchmarkReport.Machine {
  /// This machine; the load after the run is not known yet.
  init(date: Date, clock: String) {
    let info = ProcessInfo.processInfo
    let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n")
      .first { $0.hasPrefix("model name") }?.split(separator: ":", maxSplits: 1).last
    let load = Self.load()
    self.init(
      processor: processor.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor",
      cores: info.activeProcessorCount, memory: Int(info.physicalMemory), system: info.operatingSystemVersionString,
      date: date, loadBefore: load, loadAfter: load, clock: clock)
  }

  /// The load average over a minute; 0 where there is none.
  static func load() -> Double {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    return text.split(separator: " ").first.flatMap { Double($0) } ?? 0
  }
}
