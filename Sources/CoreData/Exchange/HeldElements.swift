// Loops over the objects of an array without counting references: the array keeps them alive meanwhile. A `for` loop
// retains and releases each, two atomic operations that cost as much as everything else that a fetch does with a row.
//
// The array must be a constant, so that `body` can't take an element out of it.

extension UnsafeBufferPointer where Element: AnyObject {
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
  func forEachHeld(_ body: (Element) throws -> Void) rethrows {
    _ = try forEachHeld(from: 0, while: { _ in true }, body)
  }

  /// Calls `body` with the elements from an index on, as long as they meet a condition. Returns the index of the first
  /// that doesn't. Let `body` capture constants: references in captured variables are counted.
  func forEachHeld(
    from start: Int, while belongs: (Element) -> Bool, _ body: (Element) throws -> Void
  ) rethrows -> Int {
    try withUnsafeBufferPointer { try $0.forEachHeld(from: start, while: belongs, body) }
  }
}

extension ArraySlice where Element: AnyObject {
  /// Calls `body` with each element.
  func forEachHeld(_ body: (Element) throws -> Void) rethrows {
    _ = try withUnsafeBufferPointer { try $0.forEachHeld(from: 0, while: { _ in true }, body) }
  }
}

extension ContiguousArray where Element: AnyObject {
  /// Calls `body` with each element.
  func forEachHeld(_ body: (Element) throws -> Void) rethrows {
    _ = try withUnsafeBufferPointer { try $0.forEachHeld(from: 0, while: { _ in true }, body) }
  }

  /// Calls `body` with the first elements, as long as they meet a condition, and returns how many these are.
  func forEachHeld(while belongs: (Element) -> Bool, _ body: (Element) throws -> Void) rethrows -> Int {
    try withUnsafeBufferPointer { try $0.forEachHeld(from: 0, while: belongs, body) }
  }

  /// The first elements. If that is all of them, the array itself.
  func beginning(_ length: Int) -> ContiguousArray {
    length == count ? self : ContiguousArray(self[..<length])
  }

  /// Whether all elements meet a condition.
  func allHeld(_ holds: (Element) -> Bool) -> Bool {
    withUnsafeBufferPointer { $0.forEachHeld(from: 0, while: holds, { _ in }) } == count
  }

  /// The elements that meet a condition. If all do, the array itself.
  func keeping(_ holds: (Element) -> Bool) -> ContiguousArray {
    allHeld(holds) ? self : ContiguousArray(filter(holds))
  }
}

/// Calls `body` with the elements of two arrays of one length, side by side.
func forEachHeld<First: AnyObject, Second: AnyObject>(
  _ first: ContiguousArray<First>, beside second: [Second], _ body: (First, Second) throws -> Void
) rethrows {
  precondition(first.count == second.count)
  try first.withUnsafeBufferPointer { first in
    try second.withUnsafeBufferPointer { second in
      try first.withMemoryRebound(to: Unmanaged<First>.self) { first in
        try second.withMemoryRebound(to: Unmanaged<Second>.self) { second in
          for index in first.indices {
            try first[index]._withUnsafeGuaranteedRef { one in
              try second[index]._withUnsafeGuaranteedRef { other in try body(one, other) }
            }
          }
        }
      }
    }
  }
}
