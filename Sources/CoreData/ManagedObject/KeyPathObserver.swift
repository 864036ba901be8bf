/// The observer of a Swift key path.
final class KeyPathObserver<Object: NSManagedObject, Value>: KeyValueObserver {
  typealias Change = NSKeyValueObservedChange<Value>

  private let keyPath: KeyPath<Object, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: (Object, Change) -> Void
  // Of the change that was announced.
  private var mutation = ObservedMutation.setting
  private var former: Value?
  private var formerMembers: ContiguousArray<NSManagedObject> = []
  private var formerPlace: Int?

  init(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, names: [String], options: NSKeyValueObservingOptions,
    handler: @escaping (Object, Change) -> Void
  ) {
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
    super.init(object, names)
  }

  func begin() {
    link()
    if options.contains(.initial) { call(.setting, new: options.contains(.new) ? value : nil) }
  }

  /// The value now; nil if it is nil, which a property without an optional type can't say.
  private var value: Value? {
    guard let object else { return nil }
    if names.count == 1, !(Value.self is any ExpressibleByNilLiteral.Type),
      object.layout.property(named: names[0]) != nil, object.value(forKey: names[0]) == nil
    {
      return nil
    }
    return unsafeDowncast(object, to: Object.self)[keyPath: keyPath]
  }

  private func call(
    _ kind: NSKeyValueChange, new: Value? = nil, old: Value? = nil, at indexes: [Int]? = nil, isPrior: Bool = false
  ) {
    guard let object else { return }
    handler(
      unsafeDowncast(object, to: Object.self),
      Change(kind: kind, newValue: new, oldValue: old, indexes: indexes.map { IndexSet($0) }, isPrior: isPrior))
  }

  override func prepare(_ mutation: ObservedMutation) {
    self.mutation = mutation
    switch mutation {
    case .anything:
      // Whether it is a change at all isn't known before it is made.
      former = value
      return
    case .members: formerMembers = members
    case .member(let member, let isComing):
      guard let object, let property else { break }
      let state = object.toManyState(property)
      if state.isMember(member) == isComing {
        // There may be no difference.
        self.mutation = .members
        formerMembers = members
      } else if property.isOrdered {
        // Its place depends on the others, but not on their objects.
        _ = object.memberCount(property)
        formerPlace = isComing ? nil : state.place(of: member)
      }
    case .setting, .replacement: if options.contains(.old) { former = value }
    }
    if options.contains(.prior) { call(.setting, old: former, isPrior: true) }
  }

  /// Another change of the members begins before the one of a single member has ended, as when an observer of the other
  /// side makes it. Then both are told as one, which takes the former members.
  override func prepareFurther(_ mutation: ObservedMutation) {
    guard case .member(let member, let isComing) = self.mutation, let object, let property else { return }
    if case .member(let other, let isOtherComing) = mutation, other === member, isOtherComing == isComing { return }
    self.mutation = .members
    formerMembers = members
    if isComing {
      formerMembers.removeAll { $0 === member }
    } else if object.toManyState(property).isMember(member) == false {
      formerMembers.insert(member, at: min(formerPlace ?? .max, formerMembers.count))
    }
  }

  override func tell() {
    let (mutation, old) = (self.mutation, former)
    (self.mutation, former) = (.setting, nil)
    switch mutation {
    case .anything:
      let new = value
      if (old as? AnyHashable) == (new as? AnyHashable) { return }
      call(.setting, new: options.contains(.new) ? new : nil, old: options.contains(.old) ? old : nil)
    case .setting, .replacement:
      var kind = NSKeyValueChange.setting
      if case .replacement = mutation { kind = .replacement }
      call(kind, new: options.contains(.new) ? value : nil, old: old)
    case .members:
      let before = formerMembers
      formerMembers = []
      tellOfMembers(before, members)
    case .member(let member, let isComing):
      guard let object, let property else { return }
      var place = formerPlace
      if isComing { place = object.toManyState(property).count.map { $0 - 1 } }
      call(
        isComing ? .insertion : .removal,
        new: isComing && options.contains(.new) ? value(of: [member]) : nil,
        old: !isComing && options.contains(.old) ? value(of: [member]) : nil,
        at: property.isOrdered ? place.map { [$0] } : nil)
    }
  }

  private var property: LayoutProperty? { object?.layout.property(named: names[0]) }

  private var members: ContiguousArray<NSManagedObject> {
    guard let object, let property else { return [] }
    return object.members(property)
  }

  private func tellOfMembers(_ before: ContiguousArray<NSManagedObject>, _ after: ContiguousArray<NSManagedObject>) {
    let (had, has) = (Set(before.map(ObjectIdentifier.init)), Set(after.map(ObjectIdentifier.init)))
    let came = after.indices.filter { !had.contains(ObjectIdentifier(after[$0])) }
    let went = before.indices.filter { !has.contains(ObjectIdentifier(before[$0])) }
    let isOrdered = property?.isOrdered ?? false
    func told(_ kind: NSKeyValueChange, came: [Int], went: [Int], at indexes: [Int]) {
      call(
        kind, new: options.contains(.new) && !came.isEmpty ? value(of: came.map { after[$0] }) : nil,
        old: options.contains(.old) && !went.isEmpty ? value(of: went.map { before[$0] }) : nil,
        at: isOrdered ? indexes : nil)
    }
    let stayed = before.filter { has.contains(ObjectIdentifier($0)) }
    let isOrderKept = !isOrdered || stayed.elementsEqual(after.filter { had.contains(ObjectIdentifier($0)) }, by: ===)
    switch (came.isEmpty, went.isEmpty, isOrderKept) {
    case (true, true, true): return
    case (false, true, true): told(.insertion, came: came, went: [], at: came)
    case (true, false, true): told(.removal, came: [], went: went, at: went)
    default:
      if isOrdered, before.count == after.count {
        let places = before.indices.filter { before[$0] !== after[$0] }
        told(.replacement, came: places, went: places, at: places)
      } else {
        call(
          .setting, new: options.contains(.new) ? value : nil,
          old: options.contains(.old) ? value(of: Array(before)) : nil)
      }
    }
  }

  /// Members in the property's own type: an `NSSet`, a `Set`, an `NSOrderedSet`; nil for any other.
  private func value(of members: [NSManagedObject]) -> Value? {
    let forms: [Any] =
      property?.isOrdered == true ? [NSOrderedSet(array: members)] : [NSSet(array: members), Set(members)]
    return forms.lazy.compactMap { $0 as? Value }.first
  }
}
