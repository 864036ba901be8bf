import StepFrames

/// A frame compared with the one before: what is new, what changed, and what is gone.
public struct StepComparison: Sendable {
  public struct Object: Sendable {
    public let now: StepFrame.Object
    /// The same object in the previous frame; nil if it is new.
    public let before: StepFrame.Object?
    /// Whether a transaction was committed between the two frames.
    fileprivate let followsSave: Bool

    public var isNew: Bool { before == nil }
    public var stateChanged: Bool { before.map { $0.state != now.state } ?? true }

    /// The previous value; nil if it was the same, or if it wasn't shown.
    public func former(_ value: StepFrame.Value) -> String? {
      guard let former = before?.values.first(where: { $0.key == value.key }), isOther(value, former) else {
        return nil
      }
      return former.text
    }

    /// Whether the value changed, or is shown for the first time.
    public func isChanged(_ value: StepFrame.Value) -> Bool {
      before?.values.first { $0.key == value.key }.map { isOther(value, $0) } ?? true
    }

    /// A destination can get a name when it is read, or a row when it is saved, and still be the same destination.
    private func isOther(_ value: StepFrame.Value, _ former: StepFrame.Value) -> Bool {
      value.text != former.text && (value.destinations == nil || value.destinations != former.destinations)
    }
  }

  public struct Context: Sendable {
    public let name: String
    public let objects: [Object]
    /// The objects of the previous frame that the context no longer has.
    public let gone: [StepFrame.Object]
  }

  public struct Row: Sendable {
    public let now: [String]
    /// The row with the same first column in the previous frame; nil if it is new.
    public let before: [String]?

    public func isChanged(_ column: Int) -> Bool { before.map { $0[column] != now[column] } ?? true }
  }

  public struct Table: Sendable {
    public let name: String
    public let columns: [String]
    public let rows: [Row]
    public let gone: [[String]]
  }

  public let contexts: [Context]
  public let tables: [Table]

  /// - Parameter before: the previous frame. Nil for the first frame, in which nothing counts as changed.
  public init(_ step: StepRecording.Step, before: StepFrame?) {
    let frame = step.frame
    let followsSave = step.statements.contains { $0.text == "COMMIT" }
    contexts = frame.contexts.map { context in
      let old = before.map { $0.contexts.first { $0.name == context.name }?.objects ?? [] } ?? context.objects
      let pairs = Self.pairs(context.objects, old)
      return Context(
        name: context.name,
        objects: zip(context.objects, pairs).map {
          Object(now: $0, before: $1.map { old[$0] }, followsSave: followsSave)
        },
        gone: old.indices.filter { !pairs.contains($0) }.map { old[$0] })
    }
    tables = frame.tables.map { table in
      let old = before.map { $0.tables.first { $0.name == table.name }?.rows ?? [] } ?? table.rows
      return Table(
        name: table.name, columns: table.columns,
        rows: table.rows.map { row in
          Row(now: row, before: old.first { $0.first == row.first && $0.count == row.count })
        },
        gone: old.filter { row in !table.rows.contains { $0.first == row.first } })
    }
  }

  /// For each object, the index of the same object among the old ones. Objects are matched by row, or by name, because
  /// a save gives an object its row.
  private static func pairs(_ objects: [StepFrame.Object], _ old: [StepFrame.Object]) -> [Int?] {
    var free = Set(old.indices)
    func take(_ matches: (StepFrame.Object) -> Bool) -> Int? {
      let place = free.sorted().first { matches(old[$0]) }
      if let place { free.remove(place) }
      return place
    }
    var pairs = objects.map { object in
      object.row == nil ? nil : take { $0.entity == object.entity && $0.row == object.row }
    }
    for (index, object) in objects.enumerated() where pairs[index] == nil {
      pairs[index] = take { $0.entity == object.entity && $0.row == nil && $0.name == object.name }
    }
    // A new object whose name changed in between.
    for (index, object) in objects.enumerated() where pairs[index] == nil && object.state == .inserted {
      pairs[index] = take { $0.entity == object.entity && $0.row == nil }
    }
    return pairs
  }
}

extension StepFrame.Object {
  /// `Book "Solaris"`, or `Book, row 1` for a fault whose name isn't known.
  public var label: String {
    if let name { return "\(entity) \"\(name)\"" }
    return row.map { "\(entity), row \($0)" } ?? "\(entity) without a name"
  }
}

extension StepFrame.Object.State {
  /// A word for the state; nil for the usual state.
  public var word: String? {
    switch self {
    case .fault: "fault"
    case .inserted: "new"
    case .clean: nil
    case .updated: "changed"
    case .deleted: "deleted"
    }
  }
}

extension StepComparison.Object {
  /// What happened to the object: `fault → has its values`; nil if its state didn't change.
  public var transition: String? {
    guard let before, before.state != now.state || before.row != now.row else { return nil }
    let row = before.row == nil ? now.row.map { " as row \($0)" } ?? "" : ""
    switch (before.state, now.state) {
    case (.inserted, .clean): return "new → saved\(row)"
    case (.updated, .clean) where followsSave: return "changed → saved"
    case (.fault, .clean): return "fault → has its values"
    case (_, .fault): return "becomes a fault again"
    case (_, .deleted): return "marked as deleted"
    case (let old, let new): return "\(old.word ?? "unchanged") → \(new.word ?? "unchanged")\(row)"
    }
  }
}
