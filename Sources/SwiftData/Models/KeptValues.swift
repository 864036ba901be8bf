/// What was set of a model that has no managed object, each value in its own type in one block of memory.
///
/// Bytes that say which properties have a value, by their positions, then the values where their ``ModelType`` has
/// their places. There is no block before the first value.
struct KeptValues: ~Copyable {
  /// Never freed.
  private unowned(unsafe) let type: ModelType
  private var block: UnsafeMutableRawPointer?
  /// Whether the relationships are those of an object that was rolled back.
  private var areRolledBack = false

  /// No values yet, for models of `type`.
  init(of type: ModelType) { self.type = type }

  deinit { if let block { KeptValues.free(block, type) } }

  var isEmpty: Bool { block == nil }

  /// A property's value, of its declared type; nil if it was not set.
  func value<Value>(at position: Int) -> Value? {
    guard let block, KeptValues.isSet(position, block) else { return nil }
    return (block + type.places[position]).assumingMemoryBound(to: Value.self).pointee
  }

  /// Where a property's value is to be put, in its declared type. It counts as set from now on.
  mutating func place(at position: Int) -> UnsafeMutableRawPointer {
    let block = self.block ?? make()
    let place = block + type.places[position]
    if KeptValues.isSet(position, block) {
      type.properties[position].access.destroy(at: place)
    } else {
      block.storeBytes(of: 1, toByteOffset: position, as: UInt8.self)
    }
    return place
  }

  /// Keeps what an object holds, in place of what was kept before. Without files, data that may lie in one is left out.
  mutating func take(
    from object: ModelObject, of storage: ModelStorage, withRelationships: Bool, withFiles: Bool
  ) {
    removeAll()
    areRolledBack = withRelationships
    for (position, property) in type.properties.enumerated()
    where (withRelationships || !property.isRelationship) && (withFiles || !property.mayLieInFile) {
      let block = self.block ?? make()
      if property.access.read(object, of: storage, into: block + type.places[position]) {
        block.storeBytes(of: 1, toByteOffset: position, as: UInt8.self)
      }
    }
  }

  /// Takes the values of a type that this one inherits from: its properties are the first here.
  mutating func take(_ inherited: inout KeptValues) {
    guard let source = inherited.block else { return }
    for position in inherited.type.properties.indices where KeptValues.isSet(position, source) {
      let place = place(at: position)
      type.properties[position].access.move(from: source + inherited.type.places[position], to: place)
      source.storeBytes(of: 0, toByteOffset: position, as: UInt8.self)
    }
    inherited.removeAll()
  }

  /// The models that kept relationships lead to, as far as they are wanted.
  func destinations(_ isWanted: (any PersistentModel) -> Bool) -> [any PersistentModel] {
    guard let block else { return [] }
    var found: [any PersistentModel] = []
    for position in type.relationships where KeptValues.isSet(position, block) {
      found += type.properties[position].access.models(at: block + type.places[position]).filter(isWanted)
    }
    return found
  }

  /// Removes the relationships that lead to a model of which `isUnwanted` is true; all of them without it. A to-one
  /// relationship without `?` stays: the model could not be read without.
  mutating func removeRelationships(leadingTo isUnwanted: ((any PersistentModel) -> Bool)? = nil) {
    guard let block else { return }
    for position in type.relationships where KeptValues.isSet(position, block) {
      let property = type.properties[position]
      if case .toOne = property.kind, !property.isOptional { continue }
      if let isUnwanted, !property.access.models(at: block + type.places[position]).contains(where: isUnwanted) {
        continue
      }
      block.storeBytes(of: 0, toByteOffset: position, as: UInt8.self)
      property.access.destroy(at: block + type.places[position])
    }
  }

  /// Sets the kept values on an object, and forgets them first, because a relationship's destination may ask for this
  /// model.
  mutating func move(to object: ModelObject, of storage: ModelStorage) {
    // What leads into the context that the insertion was rolled back in stays behind, if it isn't this one.
    if areRolledBack {
      areRolledBack = false
      removeRelationships { $0.storage.isOfContext(otherThan: storage.context) }
    }
    guard let block else { return }
    self.block = nil
    for position in 0..<type.count where KeptValues.isSet(position, block) {
      type.accesses[position]._withUnsafeGuaranteedRef {
        $0.write(at: block + type.places[position], to: object, of: storage)
      }
    }
    KeptValues.free(block, type)
  }

  mutating func removeAll() {
    guard let block else { return }
    self.block = nil
    KeptValues.free(block, type)
  }

  private mutating func make() -> UnsafeMutableRawPointer {
    let made = UnsafeMutableRawPointer.allocate(byteCount: type.blockSize, alignment: type.blockAlignment)
    made.initializeMemory(as: UInt8.self, repeating: 0, count: type.count)
    block = made
    return made
  }

  // Inlined by force for `modelinsert`; see CONTRIBUTING.md.
  @inline(__always)
  private static func isSet(_ position: Int, _ block: UnsafeMutableRawPointer) -> Bool {
    block.load(fromByteOffset: position, as: UInt8.self) != 0
  }

  private static func free(_ block: UnsafeMutableRawPointer, _ type: ModelType) {
    for position in type.owners where isSet(position, block) {
      type.accesses[position]._withUnsafeGuaranteedRef { $0.destroy(at: block + type.places[position]) }
    }
    block.deallocate()
  }
}
