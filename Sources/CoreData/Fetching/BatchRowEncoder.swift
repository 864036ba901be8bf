/// Assembles the rows of a batch insert, one after the other: `beginRow`, the setters, `finishRow`.
final class BatchRowEncoder {
  /// A property as the target of values: where its own lies in a row, and which may go there.
  private struct Target {
    let kind: SlotKind
    let form: RowForm
    let index: Int
    let slot: Int
    let word: Int
    /// Whether a program may set it.
    let isSettable: Bool
    /// The range of an integer.
    let range: ClosedRange<Int64>

    init(_ property: LayoutProperty) {
      kind = property.kind
      form = property.form
      index = property.index
      slot = property.slot
      word = property.word
      isSettable = property.batchRefusal == nil && property.word >= 0
      range = property.kind.range
    }
  }

  /// The type of a value that went straight into the row.
  enum Taken: UInt8 {
    case string, double, date, int, int16, int32, int64, bool
  }

  let layout: EntityLayout
  // Unchecked or inlined by force, as the count of `batchinsert` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var builder = RowBuilder()
  @exclusivity(unchecked) private var given = SlotMask()
  private let properties: [LayoutProperty]
  /// The targets of all properties, by the property's index.
  private let targets: ContiguousArray<Target>
  /// The attributes that are taken from an object: those that rows have.
  private let attributes: ContiguousArray<Target>
  private let toOne: [LayoutProperty]
  /// The default values.
  private let template: RowSnapshot
  /// The last row. The next one reuses its memory.
  @exclusivity(unchecked) private var row: RowSnapshot?
  private let mandatory: [LayoutProperty]
  private let mandatorySlots: ContiguousArray<Int>
  /// Why a property can't be set, by its index.
  private let refusals: [String?]

  init(_ layout: EntityLayout) throws {
    self.layout = layout
    properties = layout.properties
    targets = ContiguousArray(properties.map(Target.init))
    attributes = ContiguousArray(layout.slots.filter { $0.kind != .toOne && $0.word >= 0 }.map(Target.init))
    toOne = layout.slots.filter { $0.kind == .toOne }
    refusals = properties.map(\.batchRefusal)
    mandatory = layout.slots.filter { !$0.isOptional && $0.composite == nil && $0.batchRefusal == nil }
    mandatorySlots = ContiguousArray(mandatory.map(\.slot))
    builder.beginRow(layout)
    for (slot, value) in layout.defaults where layout.slots[slot].word >= 0 {
      let property = layout.slots[slot]
      builder.set(try BatchRowEncoder.stored(value, property), property)
    }
    template = builder.finishRow(key: 0, version: 1, entity: layout.index)
  }

  /// The data that a transformable's object is stored as.
  private static func stored(_ value: Value, _ property: LayoutProperty) throws -> Value {
    guard case .object(let object) = value else { return value }
    return .data(try property.attribute.storedData(ofTransformable: TransformableBox.open(object)))
  }

  func beginRow() {
    builder.beginRow(from: template)
    given = SlotMask()
  }

  // MARK: Values of a dictionary

  /// Sets a program's value for the property at an index, if it has exactly the property's type, or is an integer that
  /// fits; otherwise does nothing. Most values have it, and finding out what another value is costs more than
  /// everything else.
  func take(_ value: Any, _ index: Int) -> Taken? {
    func open<Given>(_ given: Given) -> Taken? {
      withUnsafePointer(to: given) { take($0, targets[index]) }
    }
    return _openExistential(value, do: open)
  }

  @inline(__always)
  private func take<Given>(_ value: UnsafePointer<Given>, _ target: Target) -> Taken? {
    guard target.isSettable else { return nil }
    switch target.form {
    case .text:
      guard target.kind == .string, let text = value.exactly(String.self) else { return nil }
      take(text, target)
      given.insert(target.slot)
      return .string
    case .real:
      if target.kind == .double, let number = value.exactly(Double.self) {
        return take(number, target: target, taken: .double)
      }
      if target.kind == .date, let date = value.exactly(Date.self) {
        return take(date.timeIntervalSinceReferenceDate, target: target, taken: .date)
      }
      return nil
    case .integer:
      if let number = value.exactly(Int.self) { return take(Int64(number), target: target, taken: .int) }
      if let isTrue = value.exactly(Bool.self) { return take(isTrue ? 1 : 0, target: target, taken: .bool) }
      if let number = value.exactly(Int32.self) { return take(Int64(number), target: target, taken: .int32) }
      if let number = value.exactly(Int64.self) { return take(number, target: target, taken: .int64) }
      if let number = value.exactly(Int16.self) { return take(Int64(number), target: target, taken: .int16) }
      return nil
    case .uuid, .decimal, .bytes, .destination, .none:
      return nil
    }
  }

  @inline(__always)
  private func take(_ text: String, _ target: Target) {
    let isTaken: Void? = text.utf8.withContiguousStorageIfAvailable {
      builder.setBytes(UnsafeRawBufferPointer($0), slot: target.slot, word: target.word)
    }
    if isTaken == nil { builder.set(.string(text), properties[target.index]) }
  }

  @inline(__always)
  private func take(_ number: Double, target: Target, taken: Taken) -> Taken {
    builder.setDouble(number, slot: target.slot, word: target.word)
    given.insert(target.slot)
    return taken
  }

  @inline(__always)
  private func take(_ number: Int64, target: Target, taken: Taken) -> Taken? {
    guard target.range.contains(number) else { return nil }
    builder.setInt(number, slot: target.slot, word: target.word)
    given.insert(target.slot)
    return taken
  }

  /// A value in the row, in the type in which it was given.
  func value(_ index: Int, as taken: Taken) -> Any {
    let row = builder.finishRow(key: 0, version: 1, entity: layout.index)
    let word = targets[index].word
    switch taken {
    case .string: return row.string(word: word)
    case .double: return row.double(word: word)
    case .date: return Date(timeIntervalSinceReferenceDate: row.double(word: word))
    case .int: return Int(row.int(word: word))
    case .int16: return Int16(row.int(word: word))
    case .int32: return Int32(row.int(word: word))
    case .int64: return row.int(word: word)
    case .bool: return row.int(word: word) != 0
    }
  }

  /// Gives a property its default value, as if nothing had been set.
  func restore(_ index: Int) {
    let property = properties[index]
    guard targets[index].isSettable else { return }
    builder.setNull(slot: property.slot)
    builder.copy(property, from: template)
    given.remove(property.slot)
  }

  /// Sets a program's value of any type for the property at an index; `NSNull` is nil.
  func set(_ value: Any, _ index: Int) throws {
    if let refusal = refusals[index] {
      throw Failure.malformedBatchRequest(
        entity: layout.name,
        what: "it can't set \(properties[index].name), which \(refusal), to \(Failure.words(for: value))"
      ).nsError
    }
    let property = properties[index]
    given.insert(property.slot)
    // Most values have the right type. Finding out whether one is nil in some form costs more.
    if property.kind != .transformable, let typed = Value(value, for: property) {
      builder.set(typed, property)
    } else {
      let value = try BatchUpdate.stored(unwrapped(value), property: property, layout: layout)
      if case .null = value { builder.setNull(slot: property.slot) } else { builder.set(value, property) }
    }
  }

  // MARK: Objects

  /// Sets the values of an object without a context. Transient values are left out.
  func set(_ object: NSManagedObject) throws {
    guard let changes = object.changes else { return }
    if changes.isRow {
      builder.beginRow(from: changes, layout.places)
      given = changes.changed
      for property in toOne { given.remove(property.slot) }
    } else {
      try setEach(changes)
    }
    for property in toOne where changes.holds(property.slot) && !changes.isNull(property.slot) {
      throw relationshipSet(property)
    }
    if !layout.toMany.isEmpty,
      let property = layout.toMany.first(where: {
        object.knownState(of: $0)?.isChanged == true
      })
    {
      throw relationshipSet(property)
    }
  }

  /// Sets the attributes one by one, since some of them are objects, or rows don't have them.
  private func setEach(_ changes: ChangedValues) throws {
    for target in attributes where changes.holds(target.slot) {
      if changes.isChanged(target.slot) { given.insert(target.slot) }
      if changes.holdsObject(target.slot) {
        let property = layout.slots[target.slot]
        builder.set(try BatchRowEncoder.stored(changes[target.slot], property), property)
      } else {
        builder.set(target.slot, word: target.word, form: target.form, from: changes)
      }
    }
  }

  private func relationshipSet(_ property: LayoutProperty) -> NSError {
    Failure.malformedBatchRequest(
      entity: layout.name, what: "it can't set \(property.name), which is a relationship"
    ).nsError
  }

  // MARK: The end of a row

  func finishRow(_ key: Int64) throws -> BatchRow {
    for (position, slot) in mandatorySlots.enumerated() where builder.isNull(slot: slot) {
      throw Failure.missingMandatoryValue(.init(entity: layout.name, property: mandatory[position].name)).nsError
    }
    return BatchRow(row: builder.finishRow(in: &row, key: key, version: 1, entity: layout.index), given: given)
  }

  func unknown(_ name: String, _ value: Any) -> NSError {
    Failure.malformedBatchRequest(
      entity: layout.name,
      what: "it sets \(name) to \(Failure.words(for: value)), but the entity has no such property"
    ).nsError
  }
}

extension LayoutProperty {
  /// The reason why a batch request can't set the property; nil if it can.
  var batchRefusal: String? {
    if isRelationship { return "is a relationship" }
    if kind == .fetched { return "is a fetched property" }
    if kind == .composite {
      return "is a composite attribute (its elements, such as \(leaves.first?.name ?? "-"), can be set)"
    }
    if isTransient || kind == .undefined { return "is not stored" }
    return description is NSDerivedAttributeDescription ? "is derived" : nil
  }
}

extension NSManagedObject {
  /// Drops all values that were set on an object without a context.
  final func returnToDefaults() {
    if !layout.toMany.isEmpty {
      for index in toManyStates.indices { toManyStates[index] = nil }
    }
    changes?.returnToDefaults()
  }
}
