/// The built-in ways to settle a conflict.
public enum NSMergePolicyType: UInt, Sendable {
  /// The save fails.
  case errorMergePolicyType = 0
  /// Changes are merged property by property. If both sides changed a property, the store's value stays.
  case mergeByPropertyStoreTrumpMergePolicyType = 1
  /// Changes are merged property by property. If both sides changed a property, the object's value is written.
  case mergeByPropertyObjectTrumpMergePolicyType = 2
  /// The whole object is written over the row.
  case overwriteMergePolicyType = 3
  /// The object's changes are dropped, and the row stays.
  case rollbackMergePolicyType = 4
}

/// Decides what is saved when another context or program has changed a row.
///
///     context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
///     book.pages = 400
///     let id = book.objectID
///     try await container.performBackgroundTask { other in
///       let book = try other.existingObject(with: id) as? Book
///       book?.pages = 390
///       book?.genre = "utopia"
///       try other.save()
///     }
///     try context.save()
///     print(book.pages, book.genre ?? "")  // 400 utopia
///
/// Subclasses override ``resolve(optimisticLockingConflicts:)`` or ``resolve(constraintConflicts:)``, change the
/// objects as they see fit, and call `super`, which settles the conflicts by their merge type.
/// Called on the context's queue, in the middle of its save.
nonisolated open class NSMergePolicy: NSObject {
  /// How the policy settles conflicts that its methods leave to `super`.
  public let mergeType: NSMergePolicyType

  /// A policy of one of the built-in types.
  public init(merge type: NSMergePolicyType) { mergeType = type }

  /// The save fails with `NSManagedObjectMergeError` or `NSManagedObjectConstraintMergeError`; the conflicts are under
  /// `NSPersistentStoreSaveConflictsErrorKey`. This is a context's default policy.
  open class var error: NSMergePolicy { standard[0] }
  /// The object's changes are dropped; the store's row stays. If the row is gone, the object leaves the context.
  open class var rollback: NSMergePolicy { standard[4] }
  /// The object, as it was read and changed, is written over the row. A row that is gone is written again.
  open class var overwrite: NSMergePolicy { standard[3] }
  /// Changes of both sides are kept. If both changed a property, the object's value is written. A row that is gone is
  /// written again. Some pages of Apple's documentation describe this policy and the next one the other way round.
  open class var mergeByPropertyObjectTrump: NSMergePolicy { standard[2] }
  /// Changes of both sides are kept. If both changed a property, the store's value stays. If the row is gone, the
  /// object leaves the context.
  open class var mergeByPropertyStoreTrump: NSMergePolicy { standard[1] }

  /// The built-in policies by the number of their type. They are immutable, so any thread may use them.
  private nonisolated(unsafe) static let standard: [NSMergePolicy] = [
    .init(merge: .errorMergePolicyType), .init(merge: .mergeByPropertyStoreTrumpMergePolicyType),
    .init(merge: .mergeByPropertyObjectTrumpMergePolicyType), .init(merge: .overwriteMergePolicyType),
    .init(merge: .rollbackMergePolicyType),
  ]

  /// Settles conflicts of either kind. Throws if the policy doesn't settle them.
  open func resolve(mergeConflicts list: [Any]) throws {
    let versions = list.compactMap { $0 as? NSMergeConflict }
    if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
    let constraints = list.compactMap { $0 as? NSConstraintConflict }
    if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
  }

  /// Settles conflicts with rows that changed or were deleted in the store, by ``mergeType``. With the error type it
  /// throws `NSManagedObjectMergeError`.
  open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    if mergeType == .errorMergePolicyType { throw Failure.mergeConflict(conflicts: list).nsError }
    var gone = ContiguousArray<NSManagedObject>()
    for conflict in list where try !conflict.sourceObject.settleConflict(conflict, by: mergeType) {
      gone.append(conflict.sourceObject)
    }
    guard let context = gone.first?.managedObjectContext else { return }
    // Observers know already of those that were deleted here as well.
    context.markLost(gone.filter { !$0.state.contains(.deleted) })
    context.forgetDeletedElsewhere(gone)
    context.forgetInverses()
  }

  /// Settles conflicts of uniqueness constraints, by ``mergeType``.
  ///
  /// A new object with the values of a stored one is removed; under overwrite and object trump the stored object takes
  /// over its values first. Among new objects with equal values the first stays. What is related to one that is removed
  /// is related to the one that stays. Between stored objects, rollback and store trump take the edit back; the other
  /// types throw `NSManagedObjectConstraintMergeError`. The error type always throws it. A stored object is never
  /// deleted.
  open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    try settle(constraintConflicts: list, lastNewWins: false)
  }

  /// Settles conflicts of uniqueness constraints, by ``mergeType``.
  ///
  /// - Parameter lastNewWins: whether, of new objects with equal values, the first takes over the last one's values.
  package final func settle(constraintConflicts list: [NSConstraintConflict], lastNewWins: Bool) throws {
    if mergeType == .errorMergePolicyType { throw Failure.constraintConflict(conflicts: list).nsError }
    try ConstraintSettlement(of: list, by: mergeType, lastNewWins: lastNewWins).settleConflicts()
  }
}

/// ``NSMergePolicy/error`` under its Objective-C name: a save with conflicts fails.
nonisolated(unsafe) public let NSErrorMergePolicy: AnyObject = NSMergePolicy.error
/// ``NSMergePolicy/rollback`` under its Objective-C name: the object's changes are dropped.
nonisolated(unsafe) public let NSRollbackMergePolicy: AnyObject = NSMergePolicy.rollback
/// ``NSMergePolicy/overwrite`` under its Objective-C name: the whole object is written over the row.
nonisolated(unsafe) public let NSOverwriteMergePolicy: AnyObject = NSMergePolicy.overwrite
/// ``NSMergePolicy/mergeByPropertyObjectTrump`` under its Objective-C name: if both sides changed a property, the
/// object's value is written.
nonisolated(unsafe) public let NSMergeByPropertyObjectTrumpMergePolicy: AnyObject =
  NSMergePolicy.mergeByPropertyObjectTrump
/// ``NSMergePolicy/mergeByPropertyStoreTrump`` under its Objective-C name: if both sides changed a property, the
/// store's value stays.
nonisolated(unsafe) public let NSMergeByPropertyStoreTrumpMergePolicy: AnyObject =
  NSMergePolicy.mergeByPropertyStoreTrump

extension NSManagedObject {
  /// Takes the store's row as the new base, and keeps those of the object's changes that the policy leaves. False if
  /// the row is gone and the object goes with it. Throws if the row of a conflict made by the program can't be read.
  fileprivate func settleConflict(_ conflict: NSMergeConflict, by type: NSMergePolicyType) throws -> Bool {
    let announced = announceChanges(.anything)
    defer { announced?.end() }
    let objectWins = type == .overwriteMergePolicyType || type == .mergeByPropertyObjectTrumpMergePolicyType
    // A conflict made by the program has no row.
    let isStated = conflict.persistedRow == nil && conflict.newVersionNumber > 0
    let newest = try isStated ? managedObjectContext.flatMap { try $0.source.newestRow(of: self, for: $0) } : nil
    guard let persisted = newest ?? conflict.persistedRow else {
      return settleMissingRow(objectWins: objectWins)
    }
    let base = row
    if state.contains(.deleted) {
      if !objectWins {
        revertNullification()
        managedObjectContext?.revertChanges(of: self)
        managedObjectContext?.undelete(self)
      }
      row = persisted
      return true
    }
    row = persisted
    refreshMembers()
    if type != .overwriteMergePolicyType { dropReadValues(of: base) }
    managedObjectContext?.markRefreshed(self)
    switch type {
    case .overwriteMergePolicyType:
      if let base { markAllChanged(from: base) }
    case .mergeByPropertyStoreTrumpMergePolicyType:
      forEachSavedSlot { slot in
        let property = layout.slots[slot]
        guard property.word >= 0, base.map({ !persisted.isEqual(property, to: $0) }) ?? true else { return }
        if property.kind == .toOne { revert(property) } else { changes?.drop(slot) }
      }
    case .rollbackMergePolicyType: managedObjectContext?.revertChanges(of: self)
    // With the error type the save has failed already; an object that trumps keeps its changes.
    case .errorMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType: break
    }
    awake(fromSnapshotEvents: .mergePolicy)
    return true
  }

  /// Drops destinations and transformables' objects that are held only because they were read, as by prefetching: the
  /// new row may have others. What a program has set stays, by primitive accessors as well.
  private func dropReadValues(of base: RowSnapshot?) {
    guard let changes, let base else { return }
    for property in layout.slots
    where property.word >= 0 && changes.holds(property.slot) && !changes.isChanged(property.slot) {
      if property.kind == .transformable {
        changes.drop(property.slot)
      } else if property.kind == .toOne, case .object(let held) = changes[property.slot] {
        let destination = unsafeDowncast(held, to: NSManagedObject.self)
        if destination.reference == base.destination(property) { changes.drop(property.slot) }
      }
    }
  }

  /// Marks the values that were read as changed, so that nothing of the store's row stays.
  private func markAllChanged(from base: RowSnapshot) {
    if changes == nil { changes = ChangedValues.make(layout) }
    for property in layout.slots where property.word >= 0 && !changes!.isChanged(property.slot) {
      if !changes!.holds(property.slot) {
        guard let value = readValue(property, of: base) else { continue }
        changes![property.slot] = value
      }
      changes!.markChanged(property.slot)
    }
  }

  /// A value of the row that the object had; nil if it can't be read, so that it can't be written again either, or if
  /// the present row refers to the same file.
  private func readValue(_ property: LayoutProperty, of base: RowSnapshot) -> Value? {
    if base.isNull(slot: property.slot) { return .null }
    switch property.kind {
    case .toOne: return base.destination(property).map { .object(owner.object(for: $0, store: store)) } ?? .null
    case .binary where base.isReference(word: property.word):
      if row?.isEqual(property, to: base) == true { return nil }
      return (try? base.data(property)).map { .data($0) }
    case .transformable:
      return base.object(ofTransformable: property).map { .object(TransformableBox.close($0)) }
    case .int16, .int32, .int64, .boolean, .double, .float, .date, .string, .uri, .uuid, .decimal, .binary, .undefined,
      .toMany, .fetched, .composite:
      return base.value(property)
    }
  }

  /// The row is gone. The object is written again under its key, or removed as well.
  private func settleMissingRow(objectWins: Bool) -> Bool {
    guard let context = managedObjectContext else { return true }
    if state.contains(.deleted) || !objectWins { return false }
    let base = row
    row = nil
    if let base {
      markAllChanged(from: base)
      // Others may have changed the row before they deleted it, and there is no telling how often.
      changes?.formerVersion = base.version &+ 100
    }
    // Its members went with the row; those that were added here remain.
    for case let state? in toManyStates {
      state.discardOrder()
      state.refresh([]) { owner.object(for: $0, store: store) }
    }
    context.markInserted(self)
    return true
  }
}
