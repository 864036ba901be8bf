import Foundation

/// Prints figures and goals as plain tables.
struct Report {
  let operations: [Operation]
  let variants: Set<Variant>

  func print(_ samples: Samples) {
    for operation in operations {
      Swift.print("\n\(operation.name): \(operation.summary) (N = \(samples.size.grouped))")
      printFigures(operation, samples)
      for goal in Goal.all where goal.operation == operation.name {
        printGoal(goal, samples)
      }
    }
  }

  private func printFigures(_ operation: Operation, _ samples: Samples) {
    if operation.isTimed {
      row("", "ms, median (range)", "x C, median (range)")
    } else {
      row("", "bytes a book, median (range)", "")
    }
    for variant in operation.variants where variants.contains(variant) {
      if operation.isTimed {
        guard let time = samples.spread(Figure(variant, operation.name)) else { continue }
        let ratio = samples.spread(.ratio(Figure(variant, operation.name), reference(operation)))
        row(variant.title, time.text(2), ratio?.text(2) ?? "")
      }
      for what in Agreement.figures {
        let figure = Figure(variant, "\(operation.name).\(what)")
        guard let bytes = samples.spread(.bytesPerBook(figure)) else { continue }
        let unit = operation.isTimed ? " bytes a book" : ""
        row("\(variant.title), \(Self.title(of: what))", bytes.text(0) + unit, "")
      }
    }
  }

  static func title(of figure: String) -> String {
    switch figure {
    case "rss": "resident"
    case "unfired": "heap, unfired"
    default: figure
    }
  }

  /// The time of C that an operation's ratios are taken to; fetching ids is compared with making keys.
  func reference(_ operation: Operation) -> Figure {
    Figure(.c, operation.name == "fetchids" ? "faults" : operation.name)
  }

  private func printGoal(_ goal: Goal, _ samples: Samples) {
    guard let measured = samples.spread(goal.quantity) else { return }
    if goal.isComparison { return row("beside: \(goal.text)", measured.text(2), "") }
    row("goal: \(goal.text)", measured.text(2), "\(bound(goal)): \(verdict(goal, measured.median))")
  }

  func bound(_ goal: Goal) -> String {
    goal.isComparison ? "" : "\(goal.isFloor ? ">=" : "<=") \(goal.bound.text(2))"
  }

  func verdict(_ goal: Goal, _ value: Double) -> String {
    if goal.isComparison { return "for comparison" }
    if goal.isAmbition { return goal.miss(value) == nil ? "beyond the goals" : "an ambition, not reached" }
    if let miss = goal.miss(value) { return "MISSED by \((miss * 100).text(0)) %" }
    return goal.surpasses(value) ? "met, and beyond" : "met"
  }

  /// Says at the end which goals were missed, furthest first.
  func printSummary(_ samples: Samples) {
    var met = 0
    var misses: [(excess: Double, text: String)] = []
    for goal in Goal.all
    where !goal.isAmbition && !goal.isComparison && operations.contains(where: { $0.name == goal.operation }) {
      guard let measured = samples.spread(goal.quantity) else { continue }
      if let miss = goal.miss(measured.median) {
        let text = "\(goal.operation): \(goal.text) is \(measured.text(2)), goal \(bound(goal))"
        misses.append((miss, "\(text), \(verdict(goal, measured.median))"))
      } else {
        met += 1
      }
    }
    Swift.print("\n\(samples.size.grouped) books: \(met) goals met, \(misses.count) missed")
    for miss in misses.sorted(by: { $0.excess > $1.excess }) {
      Swift.print("  \(miss.text)")
    }
  }

  /// Sets each row beside GRDB's fastest variant of it, the slowest rows first.
  func printPeers(_ samples: Samples) {
    var rows: [(ratio: Spread, name: String, peer: Variant)] = []
    for operation in operations where operation.isTimed {
      let times = operation.variants.filter { $0.isPeer && variants.contains($0) }.compactMap { variant in
        samples.spread(Figure(variant, operation.name)).map { (variant, $0.median) }
      }
      guard let (peer, _) = times.min(by: { $0.1 < $1.1 }),
        let ratio = samples.spread(.ratio(Figure(.strata, operation.name), Figure(peer, operation.name)))
      else { continue }
      rows.append((ratio, operation.name, peer))
    }
    let count = { (verdict: String) in rows.filter { Self.peerVerdict($0.ratio) == verdict }.count }
    Swift.print(
      "\n\(samples.size.grouped) books beside GRDB's fastest: \(count("faster")) rows faster, \(count("equal")) equal, "
        + "\(count("slower")) slower")
    for (ratio, name, peer) in rows.sorted(by: { $0.ratio.median > $1.ratio.median }) {
      row(name, "time / \(peer.title)", "\(ratio.text(2)): \(Self.peerVerdict(ratio))")
    }
  }

  /// Equal is what a run can't tell apart: within 3 %, or with rounds on both sides of 1.
  private static func peerVerdict(_ ratio: Spread) -> String {
    if abs(ratio.median - 1) <= 0.03 || ratio.least < 1 && ratio.greatest > 1 { return "equal" }
    return ratio.median < 1 ? "faster" : "slower"
  }

  /// Compares each ratio to C over the sizes of a run.
  func printGrowth(_ all: [Samples]) {
    Swift.print(
      "\ngrowth: Strata / C at each size; goal: greatest over least <= \(Goal.greatestGrowth.text(1))")
    row("", all.map { $0.size.grouped }.joined(separator: "  "), "greatest / least")
    for operation in operations where operation.variants.contains(.c) && operation.variants.contains(.strata) {
      let ratios = all.compactMap {
        $0.spread(.ratio(Figure(.strata, operation.name), Figure(.c, operation.name)))?.median
      }
      guard ratios.count == all.count, let least = ratios.min(), let greatest = ratios.max() else { continue }
      let growth = greatest / least
      let verdict = growth <= Goal.greatestGrowth ? "met" : "MISSED"
      row(
        operation.name, ratios.map { $0.text(2) }.joined(separator: "  "), "\(growth.text(2)): \(verdict)")
    }
  }

  /// Prints each ratio to C over the sizes, and whether it stays near the one at 10,000; returns whether
  /// all do. What grows faster than its input has a ratio that grows with it.
  func printScaling(_ all: [Samples]) -> Bool {
    guard let reference = all.first(where: { $0.size == 10_000 }) ?? all.first else { return true }
    let bound = Goal.greatestScaling
    Swift.print(
      "\nStrata / C at each size; none more than \(bound.text(1)) times that at \(reference.size.grouped)")
    row("", columns(all.map(\.size.grouped)), "  greatest / at \(reference.size.grouped)")
    var allStay = true
    for operation in operations {
      let ratio = { (samples: Samples) in
        samples.spread(.ratio(Figure(.strata, operation.name), Figure(.c, operation.name)))?.median
      }
      let ratios = all.compactMap(ratio)
      // At smaller sizes what a save costs at all weighs more: that is no growth.
      let later = all.filter { $0.size >= reference.size }.compactMap(ratio)
      guard ratios.count == all.count, let greatest = later.max(), let middle = ratio(reference) else {
        continue
      }
      let growth = greatest / middle
      allStay = allStay && growth <= bound
      row(
        operation.name, columns(ratios.map { $0.text(2) }),
        "  \(growth.text(2)): \(growth <= bound ? "stays" : "GROWS")")
      for variant in [Variant.c, .strata] {
        let times = all.map { $0.spread(Figure(variant, operation.name))?.median.text(1) ?? "-" }
        row("  \(variant.title), ms", columns(times), "")
      }
    }
    return allStay
  }

  private func columns(_ texts: [String]) -> String {
    texts.map { String(repeating: " ", count: max(0, 11 - $0.count)) + $0 }.joined()
  }

  /// Prints instruction counts and returns whether all gates hold.
  func printInstructions(_ samples: Samples) -> Bool {
    var gatesHold = true
    for operation in operations {
      Swift.print("\n\(operation.name): \(operation.summary) (N = \(samples.size.grouped))")
      row("", "million instructions", "x C")
      for variant in operation.variants where variants.contains(variant) {
        guard let count = samples.spread(Figure(variant, operation.name)) else { continue }
        let ratio = samples.spread(.ratio(Figure(variant, operation.name), reference(operation)))
        row(variant.title, (count.median / 1e6).text(1), ratio?.median.text(3) ?? "")
      }
      for gate in Goal.gates where gate.operation == operation.name {
        guard let measured = samples.spread(gate.quantity) else { continue }
        row(
          "gate: \(gate.text)", measured.median.text(3), "\(bound(gate)): \(verdict(gate, measured.median))")
        gatesHold = gatesHold && gate.miss(measured.median) == nil
      }
    }
    return gatesHold
  }

  private func row(_ first: String, _ second: String, _ third: String) {
    let first = first.padding(toLength: max(34, first.count), withPad: " ", startingAt: 0)
    let second = second.padding(toLength: max(30, second.count), withPad: " ", startingAt: 0)
    var line = "  \(first)\(second)\(third)"
    while line.last == " " { line.removeLast() }
    Swift.print(line)
  }
}
