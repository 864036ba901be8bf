internal import CSwiftRuntime

/// The record that the compiler writes about a class. On platforms without Objective-C it has no cache and no data
/// words.
///
/// | byte | content |
/// |---|---|
/// | 0 | kind |
/// | 8 | the superclass's metadata |
/// | 16 | flags (4 bytes), where an object's address points to (4) |
/// | 24 | an object's size (4), its alignment less one (2), reserved (2) |
/// | 32 | the size of the whole (4), how much of it is before byte 0 (4) |
/// | 40 | the description, the destroyer (16) |
/// | 56 | methods and offsets of fields, a word each |
///
/// In the description, byte 16 leads to the fields, of which byte 12 has the number; from byte 16 on each has 12 bytes,
/// of which the last four lead to its name. What leads somewhere is a distance of four bytes from where it stands.
struct ClassMetadata {
  let start: UnsafeRawPointer

  init(_ type: AnyClass) { start = unsafeBitCast(type, to: UnsafeRawPointer.self) }

  var instanceSize: Int { Int(start.load(fromByteOffset: 24, as: UInt32.self)) }
  var alignmentMask: Int { Int(start.load(fromByteOffset: 28, as: UInt16.self)) }

  /// The places of methods and of offsets of fields, in words from the start; empty if the metadata is not what the
  /// table says.
  var places: Range<Int> {
    let size = Int(start.load(fromByteOffset: 32, as: UInt32.self))
    let before = Int(start.load(fromByteOffset: 36, as: UInt32.self))
    let (first, end) = (56 / 8, (size - before) / 8)
    return first < end && end < 4096 ? first..<end : 0..<0
  }

  /// The names of the class's own fields. A mirror has them too, but it looks up the types of their values for that,
  /// which takes more than a million instructions.
  var fieldNames: [String] {
    func followed(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
      let distance = Int(place.load(as: Int32.self))
      return distance == 0 ? nil : place + distance
    }
    guard let description = start.load(fromByteOffset: 40, as: UnsafeRawPointer?.self),
      let fields = followed(description + 16), fields.load(fromByteOffset: 10, as: UInt16.self) == 12
    else { return [] }
    let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
    return (0..<count).compactMap { place in
      followed(fields + 16 + place * 12 + 8).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
    }
  }

  func word(at place: Int) -> UInt { start.load(fromByteOffset: place * 8, as: UInt.self) }

  /// Whether this class's superclass is the given one.
  func isBelow(_ superclass: AnyClass) -> Bool {
    let word = (start + 8).assumingMemoryBound(to: UInt.self)
    return core_data_load_word(word) == UInt(bitPattern: ClassMetadata(superclass).start)
  }

  /// Lets objects of this class be cast to `other`, which is put between the class and its superclass. Both have to be
  /// the same generic class, so that their objects have one form; a method asks the object's own class what it is for.
  /// Does nothing if `superclass` is not where the table says.
  func standBelow(_ other: AnyClass, superclass: AnyClass) {
    let word = UnsafeMutablePointer(mutating: (start + 8).assumingMemoryBound(to: UInt.self))
    guard start != ClassMetadata(other).start, isBelow(superclass) else { return }
    core_data_store_word(word, UInt(bitPattern: ClassMetadata(other).start))
  }

  /// Lets objects of this class be cast to `untyped`, too, and before that to `objects`, where that is given: the class
  /// goes below `objects`, and `objects` below `untyped`. All three have to be the same generic class.
  func standBelow(_ untyped: AnyClass, objects: @autoclosure () -> AnyClass?, superclass: AnyClass) {
    guard isBelow(superclass) else { return }
    guard let objects = objects() else { return standBelow(untyped, superclass: superclass) }
    ClassMetadata(objects).standBelow(untyped, superclass: superclass)
    standBelow(objects, superclass: superclass)
  }

  /// Puts a method in the place of this class's own: the one that a subclass overrides and `plain` does not. It must
  /// not use fields of the subclass, as `self` will be no object of it. Does nothing if there is no such method.
  func takeMethod(overriddenBy changed: AnyClass, butNotBy plain: AnyClass) {
    let base: AnyClass = unsafeBitCast(start, to: AnyClass.self)
    guard let place = Self.place(overriddenBy: changed, of: base, butNotBy: plain) else { return }
    let word = UnsafeMutablePointer(mutating: (start + place * 8).assumingMemoryBound(to: UInt.self))
    core_data_store_word(word, ClassMetadata(changed).word(at: place))
  }

  /// The place of the method that `changed` overrides: the only word in which `changed` differs from `base` and `plain`
  /// does not. nil if there is no such word, or more than one.
  static func place(overriddenBy changed: AnyClass, of base: AnyClass, butNotBy plain: AnyClass) -> Int? {
    let (changed, base, plain) = (ClassMetadata(changed), ClassMetadata(base), ClassMetadata(plain))
    let found = base.places.filter {
      plain.word(at: $0) == base.word(at: $0) && changed.word(at: $0) != base.word(at: $0)
    }
    return found.count == 1 ? found[0] : nil
  }

  /// Whether a class overrides the method of `base` at such a place. Where none was found, every subclass counts as
  /// overriding it, which is slower but never wrong.
  static func isOverridden(at place: Int?, by type: AnyClass, of base: AnyClass) -> Bool {
    guard let place else { return type != base }
    return ClassMetadata(type).word(at: place) != ClassMetadata(base).word(at: place)
  }
}
