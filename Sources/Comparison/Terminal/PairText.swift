import BookText

/// Two set-ups side by side: every detail of each fault, and the differences between their code.
public struct PairText {
  let first: SetupReport
  let second: SetupReport
  let faults: [Fault]
  let sources: SetupSources?

  /// - Parameter report: a report with exactly two set-ups. For any other the result is nil.
  public init?(_ report: ComparisonReport, sources: SetupSources?) {
    guard report.setups.count == 2 else { return nil }
    first = report.setups[0]
    second = report.setups[1]
    faults = report.faults
    self.sources = sources
  }

  public var text: String {
    (heading("The faults in full") + faults.flatMap(lines) + heading("The code, step by step") + codeLines)
      .joined(separator: "\n")
  }

  private func heading(_ text: String) -> [String] { ["", text, String(repeating: "-", count: text.count)] }

  // MARK: Faults

  private func lines(of fault: Fault) -> [String] {
    var lines = [fault.title]
    for setup in [first, second] {
      guard let outcome = setup.outcomes[fault.id] else { continue }
      lines.append("  \(setup.info.id): \(outcome.sentence)")
      let file = [outcome.file.change, outcome.file.integrity, outcome.file.detail ?? ""].filter { !$0.isEmpty }
      let details = [
        outcome.error.map { "error:   \($0)" }, outcome.message.map { "reads:   \($0)" },
        outcome.note.map { "seen:    \($0)" },
        file.isEmpty ? nil : "file:    \(file.joined(separator: ", "))",
        outcome.canWriteAfterwards.map { "then:    \($0 ? "it can write" : "it can't write afterwards")" },
      ]
      for detail in details.compactMap({ $0 }) {
        let wrapped = detail.wrappedKeepingStart(to: ReportText.width - 13)
        lines += wrapped.enumerated().map { ($0 == 0 ? "    " : "             ") + $1 }
      }
    }
    return lines + [""]
  }

  // MARK: Code

  private var codeLines: [String] {
    guard let sources else { return ["The sources are not here."] }
    return SetupStep.Kind.allCases.flatMap { kind -> [String] in
      let (old, new) = (first.info.step(kind), second.info.step(kind))
      guard old != nil || new != nil else { return [] }
      return [kind.title] + difference(old, new, sources) + [""]
    }
  }

  private func difference(_ old: SetupStep?, _ new: SetupStep?, _ sources: SetupSources) -> [String] {
    var lines: [String] = []
    if let note = old?.note { lines.append("  \(first.info.id): \(note)") }
    if let note = new?.note { lines.append("  \(second.info.id): \(note)") }
    let (before, after) = (old?.code ?? [], new?.code ?? [])
    if before == after { return lines + (before.isEmpty ? [] : ["  The same code."]) }
    for index in 0..<max(before.count, after.count) {
      lines += pair(
        index < before.count ? before[index] : nil, index < after.count ? after[index] : nil, sources
      ).map { "  " + $0 }
    }
    return lines
  }

  private func pair(_ old: CodePlace?, _ new: CodePlace?, _ sources: SetupSources) -> [String] {
    do {
      if let old, let new { return try sources.difference(from: old, to: new).body }
      if let old { return try whole(old, sign: "-", head: "---", sources) }
      if let new { return try whole(new, sign: "+", head: "+++", sources) }
      return []
    } catch {
      return ["\(error)"]
    }
  }

  private func whole(_ place: CodePlace, sign: String, head: String, _ sources: SetupSources) throws -> [String] {
    let quotation = try sources.quotation(of: place)
    return ["\(head) \(quotation.label)"] + quotation.lines.map { sign + $0.text }
  }
}

extension String {
  /// Breaks the line at blanks. The first nine characters stay as they are, with their blanks.
  fileprivate func wrappedKeepingStart(to width: Int) -> [String] {
    guard count > width else { return [self] }
    let start = prefix(9)
    let rest = String(dropFirst(9)).wrapped(to: width - 9)
    return [start + (rest.first ?? "")] + rest.dropFirst()
  }
}
