import StepFrames

extension StepRecording {
  /// The changes of a step as lines of text, for renderers that can't draw a stepper.
  public func changes(of index: Int) -> [String] {
    let step = steps[index]
    let comparison = StepComparison(step, before: index == 0 ? nil : steps[index - 1].frame)
    let severalContexts = step.frame.contexts.count > 1
    var lines: [String] = []
    for context in comparison.contexts {
      let place = severalContexts ? "\(context.name): " : ""
      for object in context.objects {
        lines += (index == 0 ? [Self.introduction(of: object.now)] : Self.changes(of: object)).map { place + $0 }
      }
      lines += context.gone.map { "\(place)\($0.label) is gone" }
    }
    lines += step.statements.essential.statements.filter { !$0.beginsTransaction && !$0.endsTransaction }
      .map { Self.shortened($0.text) }
    for table in comparison.tables {
      if index == 0 {
        lines.append("\(table.name): \(Self.count(of: table.rows.count))")
      } else {
        lines += table.rows.flatMap { Self.changes(of: $0, in: table) }
      }
      lines += table.gone.map { "\(table.name): the row \($0.first ?? "") is gone" }
    }
    return lines.isEmpty ? ["nothing else changes"] : lines
  }

  /// The lines that `book weave` writes between the fences.
  public var text: [String] {
    steps.indices.flatMap { index -> [String] in
      ["\(index + 1). \(Self.plain(steps[index].frame.caption))"]
        + changes(of: index).flatMap { Self.wrapped($0).map { "     \($0)" } }
    }
  }

  /// The width of a step's lines. A page shows 96 columns, and these lines are indented.
  private static let width = 91

  /// A long line continues on the next, indented a little further.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.count + word.count >= width, !line.isEmpty {
        lines.append(line)
        line = "   "
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return lines + [line]
  }

  /// A line for a new object: `Book "Solaris", new: author nil`.
  private static func introduction(of object: StepFrame.Object) -> String {
    let values = object.values.filter { $0.text != object.name }.map { "\($0.key) \($0.text)" }
    return object.label + (object.state.word.map { ", \($0)" } ?? "")
      + (values.isEmpty ? "" : ": \(values.joined(separator: ", "))")
  }

  private static func changes(of object: StepComparison.Object) -> [String] {
    let now = object.now
    if object.isNew { return ["+ \(introduction(of: now))"] }
    let values = now.values.compactMap { value in
      object.former(value).map { "\(now.label): \(value.key) \($0) → \(value.text)" }
    }
    // The changed values already say that the object changed.
    if !values.isEmpty, now.state == .updated, object.before?.state == .clean { return values }
    return (object.transition.map { ["\(now.label): \($0)"] } ?? []) + values
  }

  private static func changes(of row: StepComparison.Row, in table: StepComparison.Table) -> [String] {
    guard let before = row.before else {
      return ["\(table.name): a new row, \(zip(table.columns, row.now).map { "\($0) \($1)" }.joined(separator: ", "))"]
    }
    let cells = row.now.indices.filter(row.isChanged).map { "\(table.columns[$0]) \(before[$0]) → \(row.now[$0])" }
    return cells.isEmpty ? [] : ["\(table.name), row \(row.now[0]): \(cells.joined(separator: ", "))"]
  }

  private static func count(of rows: Int) -> String { rows == 1 ? "1 row" : rows == 0 ? "no rows" : "\(rows) rows" }

  /// The caption without the marks of code.
  static func plain(_ caption: String) -> String { caption.replacing("`", with: "") }

  /// A long statement is shown without its list of columns. The rest, what it reads or writes where, says more.
  private static func shortened(_ sql: String) -> String {
    guard sql.count > width else { return sql }
    return sql.replacing(#/^SELECT .*? FROM/#, with: "SELECT … FROM").replacing(#/^(INSERT INTO \w+)\([^)]*\) VALUES/#)
    {
      "\($0.1)(…) VALUES"
    }
  }
}

extension Book {
  /// The recording of a block `steps transcript=NAME`; nil for another block.
  ///
  /// - Throws: `BookProblem` for the block's line if the transcript isn't named or doesn't exist, otherwise for a line
  ///   of the transcript.
  public func recording(of block: FencedBlock, on page: Page) throws -> StepRecording? {
    guard block.language == "steps", !block.isUnchecked else { return nil }
    guard let name = block["transcript"], !name.isEmpty else {
      throw page.problem(block.lines.lowerBound, "a block of steps names its recording: steps transcript=NAME")
    }
    let path = page.path(ofTranscript: name)
    guard let text = try? text(path) else { throw page.problem(block.lines.lowerBound, "there is no \(path)") }
    return try StepRecording(Transcript(path: path, text: text))
  }
}
