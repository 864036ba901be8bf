internal import CSQLite

/// One statement that writes, deletes or checks rows of an entity, and how a row's slots become its parameters.
///
/// Immutable; any thread.
final class RowWritePlan: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  enum Kind {
    case insert, update, delete, check
  }

  struct Parameter {
    let column: SlotColumn
    let index: Int32
    /// Whether the column of the row's number in the ordered inverse follows.
    var hasOrderNumber = false
  }

  /// A parameter in the form that binding reads for each row. It holds plain values only, so that reading it counts no
  /// references.
  private struct SlotParameter {
    let form: RowForm
    let slot: Int
    let word: Int
    let index: Int32
    let hasEntity: Bool
    let hasOrderNumber: Bool
    let isTagged: Bool

    init(_ parameter: Parameter) {
      form = parameter.column.property.form
      slot = parameter.column.property.slot
      word = parameter.column.property.word
      index = parameter.index
      hasEntity = parameter.column.entityName != nil
      hasOrderNumber = parameter.hasOrderNumber
      isTagged = parameter.column.isTagged
    }
  }

  /// A statement that inserts all rows of a feed, and the feed's columns.
  final class Feed {
    let text: StatementText
    let columns: ContiguousArray<RowFeed.Column>

    init(text: StatementText, columns: ContiguousArray<RowFeed.Column>) {
      self.text = text
      self.columns = columns
    }
  }

  let kind: Kind
  let entity: EntitySchema
  let text: StatementText
  /// The statement for a row without a version, which another program wrote with a null in Z_OPT.
  let unversioned: StatementText
  let parameters: [Parameter]
  /// How an insert takes its rows from a `RowFeed`; nil if it can't.
  let feed: Feed?
  private let slotParameters: [SlotParameter]
  /// Whether the rows' numbers in ordered relationships are parameters too.
  let hasOrderNumbers: Bool
  /// Where an update's other parameters start, after those of the slots: Z_OPT, Z_PK and the old Z_OPT, or Z_PK alone.
  private let tailIndex: Int32
  /// The columns of this statement whose old values may name files.
  let tagged: [SlotColumn]

  /// - Parameter isVersioned: whether the statement finds a row by its version as well as by its key.
  private init(
    _ kind: Kind, entity: EntitySchema, sql: String, isVersioned: Bool = false, parameters: [Parameter] = [],
    tailIndex: Int32 = 0, tagged: [SlotColumn], feed: Feed? = nil
  ) {
    self.kind = kind
    self.entity = entity
    text = StatementText(isVersioned ? sql + " AND Z_OPT = ?" : sql)
    unversioned = isVersioned ? StatementText(sql + " AND IFNULL(Z_OPT, 0) = ?") : text
    self.parameters = parameters
    slotParameters = parameters.map(SlotParameter.init)
    hasOrderNumbers = parameters.contains(where: \.hasOrderNumber)
    self.tailIndex = tailIndex
    self.tagged = tagged
    self.feed = feed
  }

  static func insert(_ entity: EntitySchema) -> RowWritePlan { insert(entity, withOrderNumbers: false) }

  /// Makes the statement that also writes the row's numbers in ordered relationships.
  static func insertNumbered(_ entity: EntitySchema) -> RowWritePlan { insert(entity, withOrderNumbers: true) }

  private static func insert(_ entity: EntitySchema, withOrderNumbers: Bool) -> RowWritePlan {
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    var parameters: [Parameter] = []
    for column in entity.slots.compactMap({ $0 }) {
      let order = withOrderNumbers ? column.orderName : nil
      parameters.append(Parameter(column: column, index: Int32(names.count + 1), hasOrderNumber: order != nil))
      names.append(column.name)
      if let name = column.entityName { names.append(name) }
      if let order { names.append(order) }
    }
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    let target = "INTO \(entity.table)(\(names.joined(separator: ", ")))"
    return RowWritePlan(
      .insert, entity: entity, sql: "INSERT \(target) VALUES(\(marks))", parameters: parameters, tagged: [],
      feed: withOrderNumbers ? nil : feed(of: parameters, entity, target))
  }

  /// The insert out of a feed. Values that may go into files, and those in more than one column, have to be bound.
  private static func feed(of parameters: [Parameter], _ entity: EntitySchema, _ target: String) -> Feed? {
    var columns: ContiguousArray<RowFeed.Column> = [.key, .init(.constant(Int64(entity.number))), .version]
    for parameter in parameters {
      guard let column = RowFeed.Column(parameter.column) else { return nil }
      columns.append(column)
    }
    return RowFeed.text("INSERT OR FAIL \(target)", columnCount: columns.count).map { Feed(text: $0, columns: columns) }
  }

  /// Makes the statement that writes slots of a row and its next version, if the row still has the version before that.
  /// With another owner the row has another number, or none, in the owner's ordered relationship.
  static func update(_ entity: EntitySchema, changed: SlotMask) -> RowWritePlan {
    update(entity, changed, isVersioned: true)
  }

  /// Makes the statement that writes slots of a row whatever its version is, and adds one to the version.
  static func overwrite(_ entity: EntitySchema, changed: SlotMask) -> RowWritePlan {
    update(entity, changed, isVersioned: false)
  }

  private static func update(_ entity: EntitySchema, _ changed: SlotMask, isVersioned: Bool) -> RowWritePlan {
    var sets: [String] = []
    var parameters: [Parameter] = []
    var tagged: [SlotColumn] = []
    changed.forEach { slot in
      guard let column = entity.slots[slot] else { return }
      let order = isVersioned ? column.orderName : nil
      parameters.append(Parameter(column: column, index: Int32(sets.count + 1), hasOrderNumber: order != nil))
      sets.append("\(column.name) = ?")
      if let name = column.entityName { sets.append("\(name) = ?") }
      if let order { sets.append("\(order) = ?") }
      if column.isTagged { tagged.append(column) }
    }
    let tailIndex = Int32(sets.count + 1)
    sets.append(isVersioned ? "Z_OPT = ?" : "Z_OPT = (Z_OPT + 1)")
    return RowWritePlan(
      .update, entity: entity,
      sql: "UPDATE OR FAIL \(entity.table) SET \(sets.joined(separator: ", "))  WHERE Z_PK = ?",
      isVersioned: isVersioned, parameters: parameters, tailIndex: tailIndex, tagged: tagged)
  }

  static func delete(_ entity: EntitySchema) -> RowWritePlan {
    RowWritePlan(
      .delete, entity: entity, sql: "DELETE FROM \(entity.table) WHERE Z_PK = ?", isVersioned: true,
      tagged: entity.slots.compactMap { $0 }.filter(\.isTagged))
  }

  /// Makes the statement that finds a row if it still has its version.
  static func check(_ entity: EntitySchema) -> RowWritePlan {
    RowWritePlan(
      .check, entity: entity, sql: "SELECT Z_PK FROM \(entity.table) WHERE Z_PK = ?", isVersioned: true, tagged: [])
  }

  // Inlined by force, as the count of `batchinsertobject` asks for; see CONTRIBUTING.md.
  /// Binds a new row.
  @inline(__always)
  func bindInsert(_ row: RowSnapshot, statement: Statement, writer: inout TaggedWriter) throws {
    statement.bind(row.key, at: 1)
    statement.bind(Int64(entity.number), at: 2)
    statement.bind(row.version, at: 3)
    try bindSlots(row, statement: statement, writer: &writer)
  }

  /// Binds a row's numbers in ordered relationships, where the statement has parameters for them.
  func bindOrderNumbers(of row: RowSnapshot, _ statement: Statement, _ numbers: OrderNumbers) {
    for parameter in slotParameters where parameter.hasOrderNumber {
      let index = parameter.index + (parameter.hasEntity ? 2 : 1)
      if let number = numbers.number(of: row, slot: parameter.slot) {
        statement.bind(number, at: index)
      } else {
        statement.bindNull(at: index)
      }
    }
  }

  func bindUpdate(_ update: RowUpdate, statement: Statement, writer: inout TaggedWriter) throws {
    try bindSlots(update.row, statement: statement, writer: &writer)
    statement.bind(update.row.version, at: tailIndex)
    statement.bind(update.row.key, at: tailIndex + 1)
    statement.bind(update.base.version, at: tailIndex + 2)
  }

  func bindOverwrite(
    _ row: RowSnapshot, of key: Int64, statement: Statement, writer: inout TaggedWriter
  ) throws {
    try bindSlots(row, statement: statement, writer: &writer)
    statement.bind(key, at: tailIndex)
  }

  /// Binds key and version of a row to be deleted or checked.
  func bindKey(_ row: RowSnapshot, _ statement: Statement) {
    statement.bind(row.key, at: 1)
    statement.bind(row.version, at: 2)
  }

  /// Binds the row's slots. Texts and blobs are not copied, so the row must be held until the statement is reset.
  @inline(__always)
  private func bindSlots(_ row: RowSnapshot, statement: Statement, writer: inout TaggedWriter) throws {
    for parameter in slotParameters {
      let (index, word) = (parameter.index, parameter.word)
      if row.isNull(slot: parameter.slot) {
        statement.bindNull(at: index)
        if parameter.hasEntity { statement.bindNull(at: index + 1) }
        continue
      }
      switch parameter.form {
      case .text: statement.bindStatic(text: row.tail(word: word), at: index)
      case .integer: statement.bind(row.int(word: word), at: index)
      case .real: statement.bind(row.double(word: word), at: index)
      case .destination:
        statement.bind(row.int(word: word), at: index)
        if parameter.hasEntity {
          statement.bind(try writer.number(ofEntity: Int(row.int(word: word + 1))), at: index + 1)
        }
      case .bytes where row.isReference(word: word):
        try writer.bind(copyOf: entity.layout.slots[parameter.slot], of: row, statement, at: index)
      case .bytes where parameter.isTagged: try writer.bind(row.tail(word: word), statement, at: index)
      case .bytes: statement.bindStatic(blob: row.tail(word: word), at: index)
      case .uuid:
        statement.bindStatic(blob: UnsafeRawBufferPointer(start: row.words + word, count: 16), at: index)
      case .decimal: statement.bind(text: RowWritePlan.text(row.decimal(word: word)), at: index)
      case .none: statement.bindNull(at: index)
      }
    }
    try statement.checkMemory()
  }

  /// A decimal's digits, which SQLite turns into a number.
  static func text(_ decimal: Decimal) -> String { decimal.isNaN ? "NaN" : decimal.description }

  /// The parameters as the trace shows them: one for each `?`, in their order.
  func parameterTexts(_ row: RowSnapshot, orderNumbers: OrderNumbers = OrderNumbers()) -> [String] {
    let slots = parameters.flatMap { parameter -> [String] in
      let column = parameter.column
      let property = column.property
      let isDestination = property.kind == .toOne && !row.isNull(slot: property.slot)
      let shown = isDestination ? "\(row.int(word: property.word))" : "\(row.value(property))"
      let value = "\(column.name) = \(shown)"
      return [value] + (column.entityName.map { ["\($0) = Z_ENT of the destination"] } ?? [])
        + (parameter.hasOrderNumber ? [orderText(of: row, column, orderNumbers)] : [])
    }
    let (key, version) = ("Z_PK = \(row.key)", "Z_OPT = \(row.version)")
    switch kind {
    case .insert: return [key, "Z_ENT = \(entity.number)", version] + slots
    case .update where unversioned === text: return slots + [key]
    // `row` has its new version already; the statement looks for the one before.
    case .update: return slots + [version, key, "Z_OPT = \(row.version - 1)"]
    case .delete, .check: return [key, version]
    }
  }
}

extension RowWritePlan {
  fileprivate func orderText(of row: RowSnapshot, _ column: SlotColumn, _ numbers: OrderNumbers) -> String {
    let number = numbers.number(of: row, slot: column.property.slot).map(String.init) ?? "nil"
    return "\(column.orderName ?? "") = \(number)"
  }
}

extension SlotColumn {
  /// Whether a row's value may lie in a file: in one of this store's, or of the store that the row was read from.
  fileprivate var mayNameFile: Bool {
    isTagged || mayHaveTag || property.form == .bytes && property.attribute.allowsExternalBinaryDataStorage
  }
}

extension RowFeed.Column {
  fileprivate static let key = RowFeed.Column(.integer, offset: RowSnapshot.headOffset(\.key))
  fileprivate static let version = RowFeed.Column(.integer, offset: RowSnapshot.headOffset(\.version))

  fileprivate init?(_ column: SlotColumn) {
    let property = column.property
    if column.entityName != nil || column.mayNameFile { return nil }
    let form: Form
    switch property.form {
    case .text: form = .text
    case .integer, .destination: form = .integer
    case .real: form = .real
    case .bytes: form = .blob
    case .uuid: form = .uuid
    case .decimal: form = .decimal
    case .none: return nil
    }
    self.init(
      form, offset: RowSnapshot.wordsOffset + property.word * MemoryLayout<UInt64>.stride, slot: property.slot)
  }
}
