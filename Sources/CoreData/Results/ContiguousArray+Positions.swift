/// Changes at several positions at once. The elements in between are moved as memory, because lists are long and events
/// change little of them.
extension ContiguousArray where Element: AnyObject {
  /// Removes the elements at ascending positions.
  mutating func remove(at positions: [Int]) {
    guard var end = positions.first else { return }
    withUnsafeMutableBufferPointer { elements in
      // Elements are swapped so that those to remove end up at the end; no references are counted.
      for (number, position) in positions.enumerated() {
        let next = number + 1 < positions.count ? positions[number + 1] : elements.count
        for item in position + 1..<next {
          elements.swapAt(end, item)
          end += 1
        }
      }
    }
    removeLast(positions.count)
  }

  /// Inserts elements, each before the element that is now at its position. Positions ascend, and may equal the count.
  mutating func insert(_ new: [Element], at positions: [Int]) {
    guard let first = new.first else { return }
    if new.count == 1 { return insert(first, at: positions[0]) }
    let old = count
    append(contentsOf: new)
    withUnsafeMutableBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      (start + old).deinitialize(count: new.count)
      var end = old
      for number in new.indices.reversed() {
        let position = positions[number]
        (start + position + number + 1).moveInitialize(from: start + position, count: end - position)
        (start + position + number).initialize(to: new[number])
        end = position
      }
    }
  }
}
