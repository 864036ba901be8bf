/// The places of an entity's properties, as plain memory that is valid as long as the layout.
package struct PlaceTable {
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
    let words: RowWords
    var linkMask: UnsafeMutablePointer<UInt64>
    var texts: UnsafeMutableBufferPointer<Int16>
    var classTraits = AtomicWord()
    var blank: ChangedValues!
    var defaults: ChangedValues!
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
  /// The slots whose texts a row has in its tail.
  var texts: UnsafeMutableBufferPointer<Int16> { tables.pointee.texts }
  /// The same as `destinations`, as words with a bit for each slot.
  var linkMask: UnsafeMutablePointer<UInt64> { tables.pointee.linkMask }
  /// How many words a row has before its tail, and how many of them are the null bitmap, with a bit for each slot.
  var fixedWords: Int { tables.pointee.words.fixedWords }
  var nullWords: Int { tables.pointee.words.nullWords }
  /// How many words changed values have before their tail: those of a row, and those of what rows don't hold.
  var imageWords: Int { tables.pointee.words.imageWords }
  /// The class that the entity's objects were last found to have, with its `ClassTraits` in the lowest bits.
  var classTraits: AtomicWord { tables.pointee.classTraits }
  /// What a block of an object's changed values begins as: empty, or with the attributes' default values.
  var blank: ChangedValues { tables.pointee.blank.unsafelyUnwrapped }
  var defaults: ChangedValues { tables.pointee.defaults.unsafelyUnwrapped }
  private var indexes: UnsafeMutablePointer<Int16> { tables.pointee.indexes }
  private var places: UnsafeMutablePointer<PropertyPlace> { tables.pointee.places }

  init(
    entity: Int, keys: Int, properties: [LayoutProperty], slots: [LayoutProperty],
    words: RowWords, defaults: [(slot: Int, value: Value)]
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
        destinations: numbers { $0.kind == .toOne && !$0.isTransient }, words: words,
        linkMask: .allocate(capacity: words.nullWords), texts: numbers { $0.kind == .string }))
    linkMask.initialize(repeating: 0, count: nullWords)
    for slot in destinations { linkMask[Int(slot >> 6)] |= 1 << UInt64(slot & 63) }
    tables.pointee.indexes.initialize(repeating: -1, count: max(keys, 1))
    for property in properties {
      indexes[property.keyNumber] = Int16(property.index)
      (places + property.index).initialize(to: PropertyPlace(property))
      (tables.pointee.properties + property.index).initialize(to: .passUnretained(property))
    }
    tables.pointee.blank = .pattern(self, [])
    tables.pointee.defaults = .pattern(self, defaults)
  }

  func belong(to layout: EntityLayout, _ traits: EntityTraits) {
    tables.pointee.layout = layout
    tables.pointee.rootEntity = layout.rootIndex
    tables.pointee.traits = traits
  }

  func free() {
    blank.free()
    defaults.free()
    indexes.deallocate()
    places.deallocate()
    tables.pointee.slots.deallocate()
    tables.pointee.properties.deallocate()
    tables.pointee.mandatory.deallocate()
    tables.pointee.destinations.deallocate()
    tables.pointee.texts.deallocate()
    linkMask.deallocate()
    tables.pointee.classTraits.free()
    tables.deinitialize(count: 1)
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
  static let abstract = EntityTraits(rawValue: 1 << 6)
}

/// What a typed accessor needs to know about a property, in eight bytes without reference counting.
package struct PropertyPlace {
  package var kind: SlotKind
  package var form: RowForm
  package var isTransient: Bool
  /// Whether the destination's actual entity is in the row, behind its key.
  var isPolymorphic: Bool
  /// First word in the row; negative if rows don't hold the value.
  package var word: Int16
  /// Slot number, or -1.
  package var slot: Int16

  init(_ property: LayoutProperty) {
    kind = property.kind
    form = property.form
    isTransient = property.isTransient
    isPolymorphic = property.isPolymorphic
    word = property.isTransient || property.form == .none ? ~Int16(property.home) : Int16(property.home)
    slot = Int16(property.slot)
  }

  /// First word among changed values: that in the row, or one behind the row's words.
  var home: Int16 { word ^ (word >> 15) }
}
