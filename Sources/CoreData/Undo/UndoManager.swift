import Foundation

/// Keeps the actions that undo and redo changes. Foundation has no such class on Linux.
///
///     context.undoManager = UndoManager()
///     book.title = "Another title"
///     context.processPendingChanges()
///     context.undo()                          // the title is what it was
///
/// When you change something, you register the action that takes the change back. Actions are collected in groups, and
/// a group is undone as a whole. Actions that are registered while a group is undone redo it.
///
/// With ``groupsByEvent`` the first registration opens a group that is closed when the event ends: on the
/// main thread, when the main queue gets to its next block; on the queue of a managed object context, when
/// its `perform` block ends; and in any case by ``undo()``. A manager may be used by one thread at a time.
nonisolated open class UndoManager: NSObject {
  /// The groups that can be undone, the latest at the end.
  final var undoStack: [UndoGroup] = []
  /// The groups that can be redone, the latest at the end.
  final var redoStack: [UndoGroup] = []
  /// The innermost open group.
  final var openGroup: UndoGroup?
  /// While a group is being undone or redone: the group that collects the opposite actions.
  final var recordingGroup: UndoGroup?
  final var disableCount = 0
  /// Whether the main queue closes an event group that was opened on the main thread; otherwise ``endEvent()`` does.
  final var endsEventsItself = true

  /// A manager without actions.
  public override init() {}

  // Groups.

  /// Opens a group inside the one that is open. With ``groupsByEvent`` there is always one for the event around it.
  open func beginUndoGrouping() {
    if openGroup == nil, groupsByEvent { openEventGroup() }
    if openGroup != nil, openGroup !== recordingGroup { checkpoint() }
    open(UndoGroup(in: openGroup))
  }

  /// Closes the innermost open group. Calling this without an open group is a misuse.
  open func endUndoGrouping() { closeGroup() }

  /// How many groups are open, one inside the other.
  open var groupingLevel: Int { openGroup?.level ?? 0 }

  /// Whether a registration opens a group for the event when none is open. Default: true.
  ///
  /// When false, registering without an open group is a misuse.
  open var groupsByEvent = true

  /// How many top-level groups are kept. The oldest are dropped; 0, the default, keeps all.
  open var levelsOfUndo: Int {
    get { storedLevelsOfUndo }
    set {
      storedLevelsOfUndo = newValue
      dropOldest()
    }
  }
  // Public settings with an effect are computed, because Swift runs no observers of stored properties in an
  // initializer.
  private final var storedLevelsOfUndo = 0

  /// The run loop modes in which events end. Kept for compatibility; it has no effect, because there is no run loop to
  /// observe here.
  open var runLoopModes: [RunLoop.Mode] = [.default]

  // Registering.

  /// Stops registering, until ``enableUndoRegistration()`` has been called as often as this.
  open func disableUndoRegistration() { disableCount += 1 }

  /// Ends the effect of one ``disableUndoRegistration()``. Calling this without one is a misuse.
  open func enableUndoRegistration() {
    if disableCount == 0 { misuse(.notDisabled) }
    disableCount -= 1
  }

  /// Whether actions are registered rather than ignored.
  open var isUndoRegistrationEnabled: Bool { disableCount == 0 }

  /// Registers what undoes a change. The target is not kept alive; the action does nothing once it is gone.
  ///
  /// Registering drops the actions that could have been redone.
  public final func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) {
    register(UndoAction(target, handler))
  }

  /// Drops all actions, and enables registration.
  open func removeAllActions() { removeActions() }

  /// Drops the actions of one target.
  open func removeAllActions(withTarget target: Any) {
    removeActions(of: ObjectIdentifier(target as AnyObject))
  }

  // Undoing.

  /// Undoes the last top-level group, after closing the one that is open. Calling this in a nested group is a misuse.
  open func undo() {
    refuseWhilePerforming("undo()")
    checkpoint()
    if groupingLevel > 1 { misuse(.nestedGroups(groupingLevel)) }
    if groupingLevel == 1 { endUndoGrouping() }
    undoNestedGroup()
  }

  /// Undoes the last group that was closed, even one inside an open group. Calling this is a misuse if the open group
  /// has new actions since then.
  open func undoNestedGroup() { performNestedUndo() }

  /// Redoes the group undone last.
  open func redo() { performRedo() }

  /// Whether there is anything to undo.
  open var canUndo: Bool { lastUndoGroup != nil }

  /// Whether there is anything to redo.
  open var canRedo: Bool {
    checkpoint()
    return !redoStack.isEmpty
  }

  /// How many times you can call ``undo()`` before nothing is left to undo.
  open var undoCount: Int { undoStack.count + (openContents == nil ? 0 : 1) }

  /// How many times you can call ``redo()`` before nothing is left to redo.
  open var redoCount: Int { redoStack.count }

  /// Whether a group is being undone.
  open internal(set) var isUndoing = false

  /// Whether a group is being redone.
  open internal(set) var isRedoing = false

  // Names, and what else is known of a group.

  /// Names the open group, or else the one closed last.
  open func setActionName(_ actionName: String) { (openGroup ?? undoStack.last)?.name = actionName }

  /// The name of what ``undo()`` would undo; empty without one.
  open var undoActionName: String { lastUndoGroup?.name ?? "" }

  /// The name of what ``redo()`` would redo; empty without one.
  open var redoActionName: String { redoStack.last?.name ?? "" }

  /// "Undo", with the name of the action.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// "Redo", with the name of the action.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// "Undo" and a name; for titles in other languages, override it.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// "Redo" and a name; for titles in other languages, override it.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  /// Marks the open group, or else the one closed last, as one that may be lost without harm.
  open func setActionIsDiscardable(_ discardable: Bool) {
    (openGroup ?? undoStack.last)?.isMarkedDiscardable = discardable
  }

  /// Whether the group that ``undo()`` would undo may be lost without harm.
  open var undoActionIsDiscardable: Bool { lastUndoGroup?.isDiscardable ?? false }

  /// Whether the group that ``redo()`` would redo may be lost without harm.
  open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }
}
