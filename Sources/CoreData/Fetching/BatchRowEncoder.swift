/// Puts the rows of a batch insert together, one after the other: `begin`, the setters, `finish`.
final class BatchRowEncoder {
  let layout: EntityLayout
  @exclusivity(unchecked) private var builder = RowBuilder()
  @exclusivity(unchecked) private var given = SlotMask()
  private let properties: [LayoutProperty]
  /// The default values.
  private let template: RowSnapshot
  private let mandatory: [LayoutProperty]
  /// Why a property can't be set, by its index.
  private let refusals: [String?]

  init(_ layout: EntityLayout) throws {
    self.layout = layout
    properties = layout.properties
    refusals = properties.map(\.batchRefusal)
    mandatory = layout.slots.filter { !$0.isOptional && $0.composite == nil && $0.batchRefusal == nil }
    builder.begin(layout)
    for (slot, value) in layout.defaults where layout.slots[slot].word >= 0 {
      let property = layout.slots[slot]
      builder.set(try BatchRowEncoder.stored(value, property), property)
    }
    template = builder.finish(key: 0, version: 1, entity: layout.index)
  }

  /// A transformable's object as the data that stands for it.
  private static func stored(_ value: Value, _ property: LayoutProperty) throws -> Value {
    guard case .object(let object) = value else { return value }
    return .data(try property.attribute.storedData(ofTransformable: TransformableBox.open(object)))
  }

  func begin() {
    builder.begin(from: template)
    given = SlotMask()
  }

  /// Sets what a program gives for the property of an index; `NSNull` is nil.
  func set(_ value: Any, _ index: Int) throws {
    if let refusal = refusals[index] {
      throw Failure.malformedBatchRequest(
        entity: layout.name,
        what: "it can't set \(properties[index].name), which \(refusal), to \(Failure.words(for: value))").nsError
    }
    let property = properties[index]
    given.insert(property.slot)
    // Most values are what they should be; whether one is nil in some form costs more to find out.
    if property.kind != .transformable, let typed = Value(value, for: property) {
      builder.set(typed, property)
    } else {
      take(try BatchUpdate.stored(unwrapped(value), property, layout), property)
    }
  }

  private func take(_ value: Value, _ property: LayoutProperty) {
    if case .null = value { builder.setNull(slot: property.slot) } else { builder.set(value, property) }
  }

  /// Sets what an object without a context holds. Transient values are left out.
  func set(_ object: NSManagedObject) throws {
    guard let changes = object.changes else { return }
    for property in layout.slots where changes.holds(property.slot) {
      let value = changes[property.slot]
      if property.kind == .toOne {
        if !value.isNull { throw relationshipSet(property) }
        continue
      }
      if property.word < 0 { continue }
      if changes.isChanged(property.slot) { given.insert(property.slot) }
      take(try BatchRowEncoder.stored(value, property), property)
    }
    for property in layout.toMany where object.toManyStates[property.toManyIndex]?.isChanged == true {
      throw relationshipSet(property)
    }
  }

  private func relationshipSet(_ property: LayoutProperty) -> NSError {
    Failure.malformedBatchRequest(
      entity: layout.name, what: "it can't set \(property.name), which is a relationship").nsError
  }

  func finish(_ key: Int64) throws -> BatchRow {
    for property in mandatory where builder.isNull(slot: property.slot) {
      throw Failure.missingMandatoryValue(.init(entity: layout.name, property: property.name)).nsError
    }
    return BatchRow(row: builder.finish(key: key, version: 1, entity: layout.index), given: given)
  }

  func unknown(_ name: String, _ value: Any) -> NSError {
    Failure.malformedBatchRequest(
      entity: layout.name,
      what: "it sets \(name) to \(Failure.words(for: value)), but the entity has no such property").nsError
  }
}

extension LayoutProperty {
  /// Why a batch request can't set the property; nil if it can.
  var batchRefusal: String? {
    if isRelationship { return "is a relationship" }
    if kind == .fetched { return "is a fetched property" }
    if kind == .composite { return "is a composite attribute (its elements, such as \(leaves.first?.name ?? "-"), can be set)" }
    if isTransient || kind == .undefined { return "is not stored" }
    return description is NSDerivedAttributeDescription ? "is derived" : nil
  }
}

extension NSManagedObject {
  /// Forgets all that was set on an object that belongs to no context.
  final func returnToDefaults() {
    for index in toManyStates.indices { toManyStates[index] = nil }
    guard let changes else { return }
    for slot in layout.slots.indices where changes.holds(slot) { changes.drop(slot) }
    for (slot, value) in layout.defaults { changes[slot] = value }
  }
}
