import Foundation
import Testing

@testable import CoreData

@Suite("Undo manager")
struct UndoManagerTests {
  /// Text that is undone by setting it again.
  private final class Text {
    let manager = UndoManager()
    var value = "" {
      didSet {
        manager.registerUndo(withTarget: self) { $0.value = oldValue }
      }
    }

    init(groupsByEvent: Bool = true) { manager.groupsByEvent = groupsByEvent }

    /// A change in a group of its own.
    func set(_ value: String, _ name: String = "") {
      manager.beginUndoGrouping()
      self.value = value
      manager.setActionName(name)
      manager.endUndoGrouping()
    }
  }

  @Test("Groups are undone and redone one by one, the last one first")
  func stack() {
    let text = Text(groupsByEvent: false)
    #expect(!text.manager.canUndo && !text.manager.canRedo)
    ["a", "b", "c"].forEach { text.set($0) }
    #expect(text.manager.undoCount == 3)
    text.manager.undo()
    #expect(text.value == "b")
    text.manager.undo()
    #expect(text.value == "a")
    #expect(text.manager.redoCount == 2)
    text.manager.redo()
    #expect(text.value == "b")
    text.manager.undo()
    text.manager.undo()
    #expect(text.value == "")
    #expect(!text.manager.canUndo && text.manager.canRedo)
    text.manager.undo()
    #expect(text.value == "")
    for _ in 0..<4 { text.manager.redo() }
    #expect(text.value == "c")
    #expect(!text.manager.canRedo)
  }

  @Test("A new action makes redoing impossible")
  func forks() {
    let text = Text(groupsByEvent: false)
    text.set("a")
    text.manager.undo()
    #expect(text.manager.canRedo)
    text.set("b")
    #expect(!text.manager.canRedo)
    text.manager.undo()
    #expect(text.value == "")
  }

  @Test("Actions of a group run in reverse, those of groups inside of it too, and are redone as one")
  func nesting() {
    let text = Text(groupsByEvent: false)
    text.manager.beginUndoGrouping()
    text.value = "a"
    text.set("b")
    #expect(text.manager.groupingLevel == 1)
    text.value = "c"
    text.manager.endUndoGrouping()
    #expect(text.manager.groupingLevel == 0)
    text.manager.undo()
    #expect(text.value == "")
    #expect(!text.manager.canUndo)
    text.manager.redo()
    #expect(text.value == "c")
    #expect(!text.manager.canRedo)
  }

  @Test("undoNestedGroup undoes the last group inside of the one that is open")
  func nestedUndo() {
    let text = Text(groupsByEvent: false)
    text.manager.beginUndoGrouping()
    text.value = "a"
    text.set("b")
    text.manager.undoNestedGroup()
    #expect(text.value == "a")
    #expect(text.manager.canRedo)
    text.manager.endUndoGrouping()
    text.manager.undo()
    #expect(text.value == "")
  }

  @Test("By event: the first registration opens a group, undo closes it, the end of the event too")
  func events() {
    let text = Text()
    #expect(text.manager.groupingLevel == 0)
    text.value = "a"
    #expect(text.manager.groupingLevel == 1)
    text.value = "b"
    text.manager.undo()
    #expect(text.value == "")
    #expect(text.manager.groupingLevel == 0)
    text.value = "c"
    text.manager.endEvent()
    text.value = "d"
    text.manager.endEvent()
    text.manager.undo()
    #expect(text.value == "c")
  }

  @Test("By event: groups opened by hand are inside of the event's")
  func eventAroundGroups() {
    let text = Text()
    text.manager.beginUndoGrouping()
    #expect(text.manager.groupingLevel == 2)
    text.value = "a"
    text.manager.endUndoGrouping()
    text.set("b")
    text.manager.undo()
    #expect(text.value == "")
  }

  @MainActor
  @Test("On the main thread an event ends when the main queue gets to its next block")
  func mainThread() async {
    let text = Text()
    text.value = "a"
    #expect(text.manager.groupingLevel == 1)
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { DispatchQueue.main.async { continuation.resume() } }
    }
    #expect(text.manager.groupingLevel == 0)
    text.value = "b"
    text.manager.undo()
    #expect(text.value == "a")
  }

  @Test("While registration is disabled nothing is registered; calls are counted")
  func disabled() {
    let text = Text()
    text.manager.disableUndoRegistration()
    text.manager.disableUndoRegistration()
    text.value = "a"
    text.manager.enableUndoRegistration()
    text.value = "b"
    #expect(!text.manager.isUndoRegistrationEnabled)
    text.manager.enableUndoRegistration()
    #expect(text.manager.isUndoRegistrationEnabled)
    #expect(!text.manager.canUndo)
    text.value = "c"
    text.manager.undo()
    #expect(text.value == "b")
  }

  @Test("levelsOfUndo drops the oldest groups")
  func levels() {
    let text = Text(groupsByEvent: false)
    (0..<5).forEach { text.set("\($0)") }
    text.manager.levelsOfUndo = 3
    text.set("5")
    #expect(text.manager.undoCount == 3)
    for _ in 0..<5 { text.manager.undo() }
    #expect(text.value == "2")
    #expect(text.manager.redoCount == 3)
  }

  @Test("Names follow a group through undo and redo, and make the titles")
  func names() {
    let text = Text(groupsByEvent: false)
    #expect(text.manager.undoMenuItemTitle == "Undo")
    #expect(text.manager.redoMenuItemTitle == "Redo")
    text.set("a", "Typing")
    text.set("b", "Pasting")
    #expect(text.manager.undoActionName == "Pasting")
    #expect(text.manager.undoMenuItemTitle == "Undo Pasting")
    text.manager.undo()
    #expect(text.manager.undoActionName == "Typing")
    #expect(text.manager.redoActionName == "Pasting")
    #expect(text.manager.redoMenuItemTitle == "Redo Pasting")
    text.manager.redo()
    #expect(text.manager.undoActionName == "Pasting")
    text.manager.setActionName("Inserting")
    #expect(text.manager.undoActionName == "Inserting")
    text.manager.beginUndoGrouping()
    text.set("c", "Inner")
    text.manager.endUndoGrouping()
    #expect(text.manager.undoActionName == "Inner")
    #expect(text.manager.undoMenuTitle(forUndoActionName: "") == "Undo")
  }

  @Test("A group is discardable when it is marked so, or when all groups in it are")
  func discardable() {
    let text = Text(groupsByEvent: false)
    text.set("a")
    #expect(!text.manager.undoActionIsDiscardable)
    text.manager.beginUndoGrouping()
    text.manager.beginUndoGrouping()
    text.value = "b"
    text.manager.setActionIsDiscardable(true)
    text.manager.endUndoGrouping()
    text.manager.endUndoGrouping()
    #expect(text.manager.undoActionIsDiscardable)
    text.manager.undo()
    #expect(text.manager.redoActionIsDiscardable)
    #expect(!text.manager.undoActionIsDiscardable)
  }

  @Test("Targets are not kept alive; what is left of them does nothing")
  func targets() {
    final class Target {}
    let manager = UndoManager()
    var runs = 0
    weak var gone: Target?
    func use() {
      let target = Target()
      gone = target
      manager.registerUndo(withTarget: target) { _ in runs += 1 }
    }
    use()
    #expect(gone == nil)
    manager.undo()
    #expect(runs == 0)
    let (one, other) = (Target(), Target())
    manager.registerUndo(withTarget: one) { _ in runs += 1 }
    manager.registerUndo(withTarget: other) { _ in runs += 10 }
    manager.removeAllActions(withTarget: one)
    manager.undo()
    #expect(runs == 10)
    manager.registerUndo(withTarget: one) { _ in runs += 1 }
    manager.endEvent()
    manager.removeAllActions(withTarget: one)
    #expect(!manager.canUndo)
  }

  @Test("removeAllActions empties both stacks and enables registration")
  func removing() {
    let text = Text(groupsByEvent: false)
    ["a", "b"].forEach { text.set($0) }
    text.manager.undo()
    text.manager.disableUndoRegistration()
    text.manager.removeAllActions()
    #expect(!text.manager.canUndo && !text.manager.canRedo && text.manager.isUndoRegistrationEnabled)
    text.manager.beginUndoGrouping()
    text.value = "c"
    text.manager.removeAllActions()
    text.manager.endUndoGrouping()
    text.manager.undo()
    #expect(text.value == "c")
    let byEvent = Text()
    byEvent.value = "a"
    byEvent.manager.removeAllActions()
    #expect(byEvent.manager.groupingLevel == 0)
  }

  @Test("Notifications tell of groups, of undoing and redoing, under Apple's names")
  func notifications() {
    let text = Text(groupsByEvent: false)
    var log: [String] = []
    let names: [Notification.Name] = [
      .NSUndoManagerCheckpoint, .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
      .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
      .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: text.manager, queue: nil) { note in
        #expect(note.name.rawValue.hasPrefix("NSUndoManager") && note.name.rawValue.hasSuffix("Notification"))
        if note.name != .NSUndoManagerCheckpoint {
          log.append(
            String(note.name.rawValue.dropFirst("NSUndoManager".count).dropLast("Notification".count)))
        }
      }
    }
    defer { tokens.forEach(NotificationCenter.default.removeObserver) }
    text.set("a")
    #expect(log == ["DidOpenUndoGroup", "WillCloseUndoGroup", "DidCloseUndoGroup"])
    log = []
    text.manager.undo()
    #expect(log.first == "WillUndoChange" && log.last == "DidUndoChange")
    log = []
    text.manager.redo()
    #expect(log.first == "WillRedoChange" && log.last == "DidRedoChange")
    #expect(Notification.Name.NSUndoManagerCheckpoint.rawValue == "NSUndoManagerCheckpointNotification")
  }

  @Test("isUndoing and isRedoing are true while actions run")
  func flags() {
    final class Target {}
    let (manager, target) = (UndoManager(), Target())
    var seen: [[Bool]] = []
    func register() {
      manager.registerUndo(withTarget: target) { _ in
        seen.append([manager.isUndoing, manager.isRedoing])
        register()
      }
    }
    register()
    manager.undo()
    manager.redo()
    #expect(seen == [[true, false], [false, true]])
    #expect(!manager.isUndoing && !manager.isRedoing)
    // The action holds this function, which holds the manager.
    manager.removeAllActions()
  }

  @Test("A subclass makes titles of its own")
  func subclass() {
    final class German: UndoManager {
      override func undoMenuTitle(forUndoActionName actionName: String) -> String {
        "\(actionName) widerrufen"
      }
    }
    let manager = German()
    manager.registerUndo(withTarget: self as AnyObject) { _ in }
    manager.setActionName("Tippen")
    #expect(manager.undoMenuItemTitle == "Tippen widerrufen")
  }

  @Test(
    "Misuse ends the program with a sentence: an end without a beginning, undo in a nested group, no group")
  func misuse() async {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      UndoManager().endUndoGrouping()
    }
    #expect(text(end).contains("with no group open"))
    let nested = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let manager = UndoManager()
      manager.beginUndoGrouping()
      manager.undo()
    }
    #expect(text(nested).contains("too many nested undo groups"))
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let manager = UndoManager()
      manager.groupsByEvent = false
      manager.registerUndo(withTarget: manager) { _ in }
    }
    #expect(text(none).contains("no group open"))
    let enabled = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      UndoManager().enableUndoRegistration()
    }
    #expect(text(enabled).contains("while registration was enabled"))
  }

  private func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
