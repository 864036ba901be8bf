extension Sequence {
  /// Sorted by a key of each element, the lowest first; elements with the same key keep their order.
  ///
  /// The sort itself knows nothing of the elements, so that one is compiled for each type of key, not for each type of
  /// element: the standard library's is 5 kB of code wherever it is called.
  func sorted<Key: Comparable>(on key: (Element) -> Key) -> [Element] {
    let elements = Array(self)
    return places(inOrderOf: elements.map(key)).map { elements[$0] }
  }
}

@inline(never)
private func places<Key: Comparable>(inOrderOf keys: [Key]) -> [Int] {
  keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
}
