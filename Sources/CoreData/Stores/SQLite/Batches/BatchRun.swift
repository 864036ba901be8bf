/// Runs the statements of one batch request on the connection that writes. Not for use by several threads.
final class BatchRun {
  private let store: SQLiteStore
  let connection: Connection
  // Unchecked, as the count of `batchinsert` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) var writer: TaggedWriter
  /// Rows that differ from what the row cache has.
  var changed: [RowReference] = []
  /// Nil for a store without history.
  let recorder: HistoryRecorder?

  init(_ store: SQLiteStore, _ transaction: WriteTransaction) {
    self.store = store
    connection = transaction.connection
    recorder = transaction.recorder
    writer = TaggedWriter(store.externals, store.schema)
  }

  /// The entity and the first key of the rows that the request inserts.
  var inserted: RowReference?

  /// Whether a row was inserted by the request.
  func isNew(_ row: RowReference) -> Bool {
    guard let inserted else { return false }
    let layouts = store.layouts.layouts
    return row.key >= inserted.key
      && layouts[Int(row.entity)].rootIndex == layouts[Int(inserted.entity)].rootIndex
  }

  /// Runs a statement, and returns how many rows it changed.
  @discardableResult
  func run(_ fragment: SQLFragment) throws -> Int {
    try run(try connection.statement(fragment.sql), fragment.bindings)
  }

  @discardableResult
  func run(_ text: StatementText, _ bindings: [Binding] = []) throws -> Int {
    try run(try connection.statement(text), bindings)
  }

  private func run(_ statement: Statement, _ bindings: [Binding]) throws -> Int {
    bind(bindings, to: statement)
    try statement.run()
    return connection.changes
  }

  private func bind(_ bindings: [Binding], to statement: Statement) {
    for (index, binding) in bindings.enumerated() { binding.bind(to: statement, at: Int32(index + 1)) }
    if connection.trace != nil { connection.trace?.willRun(statement, parameters: bindings.map(\.text)) }
  }

  /// Notes the rows that the noted ones lead to, step by step, until there are no more.
  func cascade(_ statements: [String]) throws {
    var step: Int64 = 0
    var isComplete = statements.isEmpty
    while !isComplete {
      // Without it each step looks through all rows. A short cascade would only pay for it.
      if step == BatchRun.mostStepsWithoutIndex { try run(BatchRows.indexSteps) }
      isComplete = true
      for sql in statements where try run(SQLFragment(sql, [.int(step)])) > 0 { isComplete = false }
      step += 1
    }
    if step > BatchRun.mostStepsWithoutIndex { try run(BatchRows.dropStepIndex) }
  }

  private static let mostStepsWithoutIndex: Int64 = 8

  /// The rows of a statement that selects Z_ENT and Z_PK.
  func references(_ text: StatementText) throws -> [RowReference] {
    let statement = try connection.statement(text)
    defer { statement.reset() }
    bind([], to: statement)
    return try store.references(statement, of: nil)
  }

  /// Clears a relationship where it leads to deleted rows. Throws if the relationship is mandatory there.
  func detach(_ detachment: BatchDeletePlan.Detachment) throws {
    let statement = try connection.statement(detachment.select)
    bind([], to: statement)
    let rows: [RowReference]
    do {
      defer { statement.reset() }
      rows = try store.references(statement, of: detachment.entity)
    }
    if rows.isEmpty { return }
    if let (entity, property) = detachment.mandatory {
      throw Failure.missingMandatoryValue(.init(entity: entity, property: property))
    }
    changed += rows
    if let recorder {
      for row in rows { try recorder.update(row, detachment.slots(in: store.layouts[Int(row.entity)])) }
    }
    try run(SQLFragment(detachment.update))
  }

  /// Notes the files that a statement's columns name as abandoned: no row refers to them after the transaction.
  func abandonFiles(_ sql: String) throws {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    bind([], to: statement)
    while try statement.step() {
      for column in 0..<statement.columnCount {
        if let name = ExternalFiles.fileName(inTagged: statement.blobBytes(column)) { writer.abandoned.append(name) }
      }
    }
  }

  /// Notes the files of one row's old values as abandoned.
  func abandonFiles(_ plan: RowWritePlan, _ key: Int64) throws {
    if plan.tagged.isEmpty { return }
    let names = plan.tagged.map(\.name).joined(separator: ", ")
    try abandonFiles("SELECT \(names) FROM \(plan.entity.table) WHERE Z_PK = \(key)")
  }

  /// Writes a long value into a new file, and the file's name into the row of a key.
  func write(_ value: UnsafeRawBufferPointer, text: StatementText, key: Int64) throws {
    let statement = try connection.statement(text)
    try writer.bind(value, statement, at: 1)
    statement.bind(key, at: 2)
    if connection.trace != nil { connection.trace?.willRun(statement, parameters: ["<\(value.count) bytes>"]) }
    try statement.run()
  }
}
