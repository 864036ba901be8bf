/// Fetched properties: the results of their requests, kept from the first access.
///
/// The value is kept until the object is refreshed, in the same way as the set of a to-many relationship, or until the
/// property's `userInfo` is set, which its predicate may ask for.
extension NSManagedObject {
  /// The states of the to-many relationships alone.
  final var memberStates: ToManyStates.SubSequence {
    toManyStates[..<min(toManyStates.count, layout.toMany.count)]
  }

  /// A fetched property's value; nil without a context.
  final func fetchedValue(_ property: LayoutProperty) -> NSArray? {
    let userInfoChangeCount = property.description.userInfoChangeCount
    if let known = knownState(of: property)?.handedOut {
      let value = unsafeDowncast(known, to: FetchedValue.self)
      if value.userInfoChangeCount == userInfoChangeCount { return value.objects }
    }
    guard let found = owner.fetch(property, for: self) else { return nil }
    toManyStates.grow(to: layout.toMany.count + layout.fetched.count)
    let state = ToManyState()
    state.handedOut = FetchedValue(found, userInfoChangeCount: userInfoChangeCount)
    toManyStates[property.toManyIndex] = state
    return found
  }

  final func forgetFetchedValues() {
    for index in min(toManyStates.count, layout.toMany.count)..<toManyStates.count { toManyStates[index] = nil }
  }
}

/// What a fetched property has found, and how often its `userInfo` had been set by then.
private final class FetchedValue {
  let objects: NSArray
  let userInfoChangeCount: Int

  init(_ objects: NSArray, userInfoChangeCount: Int) {
    self.objects = objects
    self.userInfoChangeCount = userInfoChangeCount
  }
}
