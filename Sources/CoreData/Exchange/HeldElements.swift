// Walking over objects that an array holds. The array alone keeps them alive meanwhile: no reference is counted, while
// `for` retains and releases each, two atomic operations that cost as much as all that a fetch does with a row here.
//
// The array must be a constant, so that `body` can't take an element out of it.

extension UnsafeBufferPointer where Element: AnyObject {
  @inline(__always)
  fileprivate func forEachHeld(
    from start: Int, while belongs: (Element) -> Bool, _ body: (Element) throws -> Void
  ) rethrows -> Int {
    // An unmanaged reference has the form of a reference.
    try withMemoryRebound(to: Unmanaged<Element>.self) { references in
      var index = start
      while index < references.count, references[index]._withUnsafeGuaranteedRef(belongs) {
        try references[index]._withUnsafeGuaranteedRef(body)
        index += 1
      }
      return index
    }
  }
}

extension Array where Element: AnyObject {
  /// Calls `body` with each element.
  @inline(__always)
  func forEachHeld(_ body: (Element) throws -> Void) rethrows {
    _ = try forEachHeld(from: 0, while: { _ in true }, body)
  }

  /// The same from an index on, as long as the elements meet a condition; returns the index of the first that doesn't.
  /// What `body` needs for such a run is best a constant outside it: variables that hold references are counted.
  @inline(__always)
  func forEachHeld(
    from start: Int, while belongs: (Element) -> Bool, _ body: (Element) throws -> Void
  ) rethrows -> Int {
    try withUnsafeBufferPointer { try $0.forEachHeld(from: start, while: belongs, body) }
  }
}

extension ContiguousArray where Element: AnyObject {
  /// Calls `body` with each element.
  @inline(__always)
  func forEachHeld(_ body: (Element) throws -> Void) rethrows {
    _ = try withUnsafeBufferPointer { try $0.forEachHeld(from: 0, while: { _ in true }, body) }
  }

  /// Whether all elements meet a condition.
  @inline(__always)
  func allHeld(_ holds: (Element) -> Bool) -> Bool {
    withUnsafeBufferPointer { $0.forEachHeld(from: 0, while: holds, { _ in }) } == count
  }

  /// The elements that meet a condition: this array itself, where all do.
  @inline(__always)
  func keeping(_ holds: (Element) -> Bool) -> ContiguousArray {
    allHeld(holds) ? self : ContiguousArray(filter(holds))
  }
}
