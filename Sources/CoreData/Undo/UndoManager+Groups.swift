import Foundation

/// How groups open, close, and are performed.
extension UndoManager {
  /// The outermost open group, once something is in it or in a group inside of it.
  var openContents: UndoGroup? {
    var outermost = openGroup
    var holdsSomething = false
    while let group = outermost {
      holdsSomething = holdsSomething || !group.items.isEmpty
      guard let outer = group.parent else { break }
      outermost = outer
    }
    return holdsSomething ? outermost : nil
  }

  /// What ``undo()`` would undo.
  var lastUndoGroup: UndoGroup? {
    if recordingGroup != nil { return undoStack.last }
    return openContents ?? undoStack.last
  }

  func open(_ group: UndoGroup) {
    openGroup = group
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  func openEventGroup() {
    open(UndoGroup(isOfEvent: true))
    if endsEventsItself, UndoManager.isOnMainQueue {
      let later = MainThreadReference(manager: self)
      DispatchQueue.main.async { later.manager?.endEvent() }
    }
  }

  /// With an async `main`, blocks of the main queue may run on a thread other than the main one.
  private static var isOnMainQueue: Bool {
    _ = mainQueueMark
    return DispatchQueue.getSpecific(key: mainQueueKey) == true || Thread.isMainThread
  }

  private static let mainQueueKey = DispatchSpecificKey<Bool>()
  private static let mainQueueMark: Void = DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)

  /// Carries a manager that is used on the main thread to the main queue's next block.
  private struct MainThreadReference: @unchecked Sendable {
    weak var manager: UndoManager?
  }

  /// Closes the group of the event that has ended, if there is one and nothing is open inside of it.
  func endEvent() {
    guard let group = openGroup, group.isOfEvent else { return }
    endUndoGrouping()
  }

  /// ``endUndoGrouping()``.
  func closeGroup() {
    guard let group = openGroup, group !== recordingGroup else { misuse(.noOpenGroup) }
    checkpoint()
    post(.NSUndoManagerWillCloseUndoGroup, group)
    openGroup = group.parent
    group.parent = nil
    if let outer = openGroup {
      outer.items.append(.group(group))
      if !group.name.isEmpty { outer.name = group.name }
    } else if !(group.isOfEvent && group.items.isEmpty) {
      undoStack.append(group)
      dropOldest()
    }
    post(.NSUndoManagerDidCloseUndoGroup, group)
  }

  /// ``registerUndo(withTarget:handler:)``.
  func register(_ action: UndoAction) {
    guard isUndoRegistrationEnabled else { return }
    if openGroup == nil {
      if !groupsByEvent { misuse(.noGroupForAction) }
      openEventGroup()
    }
    if recordingGroup == nil { redoStack = [] }
    openGroup!.items.append(.action(action))
  }

  /// ``removeAllActions()``. Open groups stay open until they are ended, except an event's group.
  func removeActions() {
    undoStack = []
    redoStack = []
    disableCount = 0
    if openGroup?.isOfEvent == true { openGroup = nil }
    var group = openGroup
    while let current = group {
      current.items = []
      group = current.parent
    }
  }

  /// ``removeAllActions(withTarget:)``.
  func removeActions(of target: ObjectIdentifier) {
    func clean(_ stack: inout [UndoGroup]) {
      stack.removeAll { group in
        let wasEmpty = group.items.isEmpty
        group.removeActions(of: target)
        return group.items.isEmpty && !wasEmpty
      }
    }
    clean(&undoStack)
    clean(&redoStack)
    var group = openGroup
    while let current = group {
      current.removeActions(of: target)
      group = current.parent
    }
  }

  func dropOldest() {
    guard levelsOfUndo > 0 else { return }
    if undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
    if redoStack.count > levelsOfUndo { redoStack.removeFirst(redoStack.count - levelsOfUndo) }
  }

  /// ``undoNestedGroup()``.
  func performNestedUndo() {
    refuseWhilePerforming("undoNestedGroup()")
    checkpoint()
    let group: UndoGroup
    if let open = openGroup, let last = open.items.last {
      guard case .group(let nested) = last else { misuse(.actionsInOpenGroup) }
      open.items.removeLast()
      group = nested
    } else if let last = undoStack.popLast() {
      group = last
    } else {
      return
    }
    post(.NSUndoManagerWillUndoChange, group)
    isUndoing = true
    let recorded = record(group)
    isUndoing = false
    if !recorded.items.isEmpty { redoStack.append(recorded) }
    dropOldest()
    post(.NSUndoManagerDidUndoChange, group)
  }

  /// ``redo()``.
  func performRedo() {
    refuseWhilePerforming("redo()")
    checkpoint()
    guard let group = redoStack.popLast() else { return }
    post(.NSUndoManagerWillRedoChange, group)
    isRedoing = true
    let recorded = record(group)
    isRedoing = false
    if !recorded.items.isEmpty {
      if let openGroup { openGroup.items.append(.group(recorded)) } else { undoStack.append(recorded) }
    }
    dropOldest()
    post(.NSUndoManagerDidRedoChange, group)
  }

  /// Runs a group's actions; returns, under the same name, what they registered.
  private func record(_ group: UndoGroup) -> UndoGroup {
    let outer = openGroup
    let recording = UndoGroup(name: group.name)
    recording.isMarkedDiscardable = group.isDiscardable
    recordingGroup = recording
    open(recording)
    group.run()
    if openGroup !== recording { misuse(.groupLeftOpen(group.name)) }
    post(.NSUndoManagerWillCloseUndoGroup, recording)
    recordingGroup = nil
    openGroup = outer
    post(.NSUndoManagerDidCloseUndoGroup, recording)
    return recording
  }

  func refuseWhilePerforming(_ call: String) {
    if recordingGroup != nil { misuse(.nestedPerforming(call, isUndoing: isUndoing)) }
  }

  /// Tells observers that delay registering to do it now.
  func checkpoint() { post(.NSUndoManagerCheckpoint) }

  private func post(_ name: Notification.Name, _ group: UndoGroup? = nil) {
    let info =
      group?.isDiscardable == true ? [NSUndoManagerGroupIsDiscardableKey: NSNumber(value: true)] : nil
    NotificationCenter.default.post(name: name, object: self, userInfo: info)
  }
}

extension MisuseReport {
  fileprivate static var noOpenGroup: MisuseReport {
    MisuseReport(
      "UndoManager.endUndoGrouping() was called with no group open.",
      how:
        "Every beginUndoGrouping() needs exactly one endUndoGrouping(); undo() itself ends the group of the event.",
      remedy: "Look for the second endUndoGrouping(), or for the missing beginUndoGrouping().")
  }

  fileprivate static var noGroupForAction: MisuseReport {
    MisuseReport(
      "An action was registered with an UndoManager that has no group open.",
      how:
        "groupsByEvent is false, so groups are opened by hand. A managed object context registers its changes "
        + "when it processes them.",
      remedy: "Call beginUndoGrouping() first and endUndoGrouping() after the change has been registered.")
  }

  fileprivate static var actionsInOpenGroup: MisuseReport {
    MisuseReport(
      "UndoManager.undoNestedGroup() was called while actions of the open group wait for its end.",
      how: "Only a group that was closed can be undone.",
      remedy: "Call endUndoGrouping() first.")
  }

  fileprivate static func groupLeftOpen(_ name: String) -> MisuseReport {
    MisuseReport(
      "An undo action left a group open, or closed one that it had not opened.",
      facts: name.isEmpty ? [] : [("Group", name)],
      how: "While a group is undone or redone, its actions may open groups, and have to close them.",
      remedy: "Call endUndoGrouping() once for each beginUndoGrouping() in the action.")
  }

  fileprivate static func nestedPerforming(_ call: String, isUndoing: Bool) -> MisuseReport {
    MisuseReport(
      "UndoManager.\(call) was called while a group is being \(isUndoing ? "undone" : "redone").",
      how: "An action, or an observer of what it changed, called it.",
      remedy: "Wait until isUndoing and isRedoing are false.")
  }
}

extension MisuseReport {
  static func nestedGroups(_ level: Int) -> MisuseReport {
    MisuseReport(
      "UndoManager.undo() was called with too many nested undo groups open.",
      facts: [("Open groups", "\(level)")],
      how: "undo() closes the group of the event, and no other. beginUndoGrouping() opened one inside of it.",
      remedy: "Call endUndoGrouping() for each beginUndoGrouping() first.")
  }

  static var notDisabled: MisuseReport {
    MisuseReport(
      "UndoManager.enableUndoRegistration() was called while registration was enabled.",
      how:
        "Every enableUndoRegistration() ends one disableUndoRegistration(); removeAllActions() ends all of them.",
      remedy: "Look for the second enableUndoRegistration().")
  }
}
