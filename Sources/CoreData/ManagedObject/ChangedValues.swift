/// What stands at the head of an object's changed values.
struct ChangedHeader {
  /// Slots that hold a value here: changed ones, and objects kept because they are costly to make again.
  var held = SlotMask()
  /// Slots set since the last save.
  var changed = SlotMask()
  /// The key reserved for a new object while its save is under way; 0 otherwise.
  var reservedKey: Int64 = 0
  let count: Int
}

/// The values that an object holds apart from its committed row: one slot each, allocated at the first set.
///
/// Belongs to one object and so to its context's queue.
final class ChangedValues: ManagedBuffer<ChangedHeader, Value> {
  static func make(_ layout: EntityLayout) -> ChangedValues {
    let count = layout.slots.count
    let buffer = ChangedValues.create(minimumCapacity: count) { _ in ChangedHeader(count: count) }
    buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: .null, count: count) }
    return unsafeDowncast(buffer, to: ChangedValues.self)
  }

  deinit {
    _ = withUnsafeMutablePointers { header, values in values.deinitialize(count: header.pointee.count) }
  }

  @inline(__always)
  func holds(_ slot: Int) -> Bool { withUnsafeMutablePointerToHeader { $0.pointee.held.contains(slot) } }

  @inline(__always)
  subscript(slot: Int) -> Value {
    get { withUnsafeMutablePointerToElements { $0[slot] } }
    set {
      withUnsafeMutablePointers { header, values in
        values[slot] = newValue
        header.pointee.held.insert(slot)
      }
    }
  }

  @inline(__always)
  func markChanged(_ slot: Int) { withUnsafeMutablePointerToHeader { $0.pointee.changed.insert(slot) } }

  func drop(_ slot: Int) {
    withUnsafeMutablePointers { header, values in
      values[slot] = .null
      header.pointee.held.remove(slot)
      header.pointee.changed.remove(slot)
    }
  }
}
