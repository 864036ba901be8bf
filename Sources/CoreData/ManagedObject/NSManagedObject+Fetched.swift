/// Fetched properties: the results of their requests, kept from the first access.
///
/// The value is kept until the object is refreshed, in the same way as the set of a to-many relationship.
extension NSManagedObject {
  /// The states of the to-many relationships alone.
  final var memberStates: ToManyStates.SubSequence {
    toManyStates[..<min(toManyStates.count, layout.toMany.count)]
  }

  /// A fetched property's value; nil without a context.
  final func fetchedValue(_ property: LayoutProperty) -> NSArray? {
    if let known = knownState(of: property)?.handedOut {
      return unsafeDowncast(known, to: NSArray.self)
    }
    guard let found = owner.fetch(property, for: self) else { return nil }
    toManyStates.grow(to: layout.toMany.count + layout.fetched.count)
    let state = ToManyState()
    state.handedOut = found
    toManyStates[property.toManyIndex] = state
    return found
  }

  final func forgetFetchedValues() {
    for index in min(toManyStates.count, layout.toMany.count)..<toManyStates.count { toManyStates[index] = nil }
  }
}
