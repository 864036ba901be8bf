/// The places of an entity's properties, as plain memory that is valid as long as the layout.
struct PlaceTable {
  private struct Tables {
    /// Set by the layout when it is complete; it owns these tables.
    unowned(unsafe) var layout: EntityLayout!
    /// The entity's index in the model.
    let entity: Int
    var indexes: UnsafeMutablePointer<Int16>
    var places: UnsafeMutablePointer<PropertyPlace>
    var count: Int
    // What a save asks of every object; set by the layout when it is complete.
    var rootEntity = 0
    var slots: UnsafeMutableBufferPointer<PropertyPlace>
    var properties: UnsafeMutablePointer<Unmanaged<LayoutProperty>>
    var traits: EntityTraits = []
    var mandatory: UnsafeMutableBufferPointer<Int16>
    var destinations: UnsafeMutableBufferPointer<Int16>
    var fixedWords = 0
    var nullWords = 0
    var validatingClass = AtomicWord()
    var blank: ChangedValues
    var defaults: ChangedValues
  }

  /// The handle to the places, one word in every object.
  private let tables: UnsafeMutablePointer<Tables>

  var layout: EntityLayout { tables.pointee.layout }
  /// The entity's index in the model. Reading it here avoids counting references to the layout.
  var entity: Int { tables.pointee.entity }
  /// The index of the entity at the top of the hierarchy.
  var rootEntity: Int { tables.pointee.rootEntity }
  /// The places of the slots, in the order of their numbers.
  var slots: UnsafeMutableBufferPointer<PropertyPlace> { tables.pointee.slots }
  var traits: EntityTraits { tables.pointee.traits }
  /// The slots of mandatory attributes without further rules.
  var mandatory: UnsafeMutableBufferPointer<Int16> { tables.pointee.mandatory }
  /// The slots of to-one relationships, transient ones left out.
  var destinations: UnsafeMutableBufferPointer<Int16> { tables.pointee.destinations }
  /// How many words a row has before its tail, and how many of them are the null bitmap.
  var fixedWords: Int { tables.pointee.fixedWords }
  var nullWords: Int { tables.pointee.nullWords }
  /// The class for which it was last determined whether it validates values itself; the answer is in the lowest bit.
  /// See `ValueValidation`.
  var validatingClass: AtomicWord { tables.pointee.validatingClass }
  /// What a block of an object's changed values begins as: empty, or with the attributes' default values.
  var blank: ChangedValues { tables.pointee.blank }
  var defaults: ChangedValues { tables.pointee.defaults }
  var hasPlainDefaults: Bool { tables.pointee.traits.contains(.plainDefaults) }
  private var indexes: UnsafeMutablePointer<Int16> { tables.pointee.indexes }
  private var places: UnsafeMutablePointer<PropertyPlace> { tables.pointee.places }

  init(
    entity: Int, keys: Int, properties: [LayoutProperty], slots: [LayoutProperty],
    defaults: [(slot: Int, value: Value)]
  ) {
    func numbers(_ isMeant: (LayoutProperty) -> Bool) -> UnsafeMutableBufferPointer<Int16> {
      let meant = slots.filter(isMeant)
      let numbers = UnsafeMutableBufferPointer<Int16>.allocate(capacity: meant.count)
      _ = numbers.initialize(from: meant.map { Int16($0.slot) })
      return numbers
    }
    tables = .allocate(capacity: 1)
    let slotPlaces = UnsafeMutableBufferPointer<PropertyPlace>.allocate(capacity: slots.count)
    _ = slotPlaces.initialize(from: slots.map(PropertyPlace.init))
    tables.initialize(
      to: Tables(
        entity: entity, indexes: .allocate(capacity: max(keys, 1)),
        places: .allocate(capacity: max(properties.count, 1)), count: keys, slots: slotPlaces,
        properties: .allocate(capacity: max(properties.count, 1)), mandatory: numbers(\.isMerelyMandatory),
        destinations: numbers { $0.kind == .toOne && !$0.isTransient }, blank: .pattern(slots: slots.count, []),
        defaults: .pattern(slots: slots.count, defaults)))
    tables.pointee.indexes.initialize(repeating: -1, count: max(keys, 1))
    for property in properties {
      indexes[property.keyNumber] = Int16(property.index)
      (places + property.index).initialize(to: PropertyPlace(property))
      (tables.pointee.properties + property.index).initialize(to: .passUnretained(property))
    }
  }

  func belong(to layout: EntityLayout, _ traits: EntityTraits) {
    tables.pointee.layout = layout
    tables.pointee.rootEntity = layout.rootIndex
    tables.pointee.fixedWords = layout.fixedWords
    tables.pointee.nullWords = layout.nullWords
    tables.pointee.traits = traits
  }

  func free() {
    indexes.deallocate()
    places.deallocate()
    tables.pointee.slots.deallocate()
    tables.pointee.properties.deallocate()
    tables.pointee.mandatory.deallocate()
    tables.pointee.destinations.deallocate()
    tables.pointee.validatingClass.free()
    tables.pointee.blank.free()
    tables.pointee.defaults.free()
    tables.deallocate()
  }

  /// The place of the property at an index.
  subscript(index: Int) -> PropertyPlace { places[index] }

  /// The place of a property; nil when the entity has no such property.
  subscript(key: ManagedKey) -> PropertyPlace? { index(keyNumber: key.number).map { places[$0] } }

  // Inlined by force, as are the two below, for `move` and `tag`, which set relationships; see CONTRIBUTING.md.
  /// The property of a key, without counting references to it; nil when the entity has no such property. It lives as
  /// long as the layout.
  @inline(__always)
  func property(_ key: ManagedKey) -> Unmanaged<LayoutProperty>? { property(keyNumber: key.number) }

  @inline(__always)
  func property(keyNumber number: Int) -> Unmanaged<LayoutProperty>? {
    index(keyNumber: number).map { tables.pointee.properties[$0] }
  }

  /// The index of the property of a key; nil when the entity has no such property.
  @inline(__always)
  func index(keyNumber number: Int) -> Int? {
    guard number < tables.pointee.count else { return nil }
    let index = Int(indexes[number])
    return index < 0 ? nil : index
  }
}

/// What a save wants to know of an entity before it looks at an object's values.
struct EntityTraits: OptionSet {
  let rawValue: UInt8

  static let toMany = EntityTraits(rawValue: 1 << 0)
  static let toOne = EntityTraits(rawValue: 1 << 1)
  /// Values that a save leaves with the object: transient ones and transformed objects.
  static let keptValues = EntityTraits(rawValue: 1 << 2)
  /// Values that may lie in files of their own.
  static let external = EntityTraits(rawValue: 1 << 3)
  static let validation = EntityTraits(rawValue: 1 << 4)
  /// Rules beside being mandatory.
  static let rules = EntityTraits(rawValue: 1 << 5)
  static let plainDefaults = EntityTraits(rawValue: 1 << 6)
  static let abstract = EntityTraits(rawValue: 1 << 7)
}

/// What a typed accessor needs to know about a property, in eight bytes without reference counting.
package struct PropertyPlace {
  package var kind: SlotKind
  package var form: RowForm
  package var isTransient: Bool
  /// Whether the destination's actual entity is in the row, behind its key.
  var isPolymorphic: Bool
  /// First word in the row, or -1.
  package var word: Int16
  /// Slot number, or -1.
  package var slot: Int16

  init(_ property: LayoutProperty) {
    kind = property.kind
    form = property.form
    isTransient = property.isTransient
    isPolymorphic = property.isPolymorphic
    word = Int16(property.word)
    slot = Int16(property.slot)
  }
}
