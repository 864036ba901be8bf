extension Array where Element: AnyObject {
  /// Calls `body` with each element. The array alone keeps them alive meanwhile: no reference is counted, while `for`
  /// retains and releases each, two atomic operations that cost as much as all that a fetch does with a row here.
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
    try withUnsafeBufferPointer { elements in
      // An unmanaged reference has the form of a reference.
      try elements.withMemoryRebound(to: Unmanaged<Element>.self) { references in
        var index = start
        while index < references.count, references[index]._withUnsafeGuaranteedRef(belongs) {
          try references[index]._withUnsafeGuaranteedRef(body)
          index += 1
        }
        return index
      }
    }
  }
}
