import CoreData
import LiveTableChapter

/// The table in a terminal. What the keys change goes to the writer, and what the writer saved
/// comes back by the list's delegate: nothing here changes a row of the table.
@MainActor final class LiveTable {
  private let reception: Reception
  private let list: PatientList
  private let terminal: Terminal
  private var screen: TableScreen
  private var admitted = 0

  init(_ stack: WaitingRoomStack, _ reception: Reception) throws {
    self.reception = reception
    list = try PatientList(stack.viewContext, timeZone: .current)
    terminal = try Terminal()
    screen = TableScreen(columns: terminal.size.columns, lines: terminal.size.lines)
  }

  /// Returns when the user quits. The terminal is as before then, whatever happened.
  func run(writing interval: Double?) async throws {
    defer { terminal.restore() }
    list.onBatch = { [weak self] batch, _ in
      MainActor.assumeIsolated { self?.show(after: batch) }
    }
    let writer = interval.map { seconds in Task { await self.write(every: seconds) } }
    defer { writer?.cancel() }
    show()
    for await event in terminal.events {
      switch event {
      case .resized:
        resize()
      case .keys(let keys):
        for key in keys {
          if isQuit(key) { return }
          await press(key)
        }
      }
      terminal.show(screen.lines())
    }
  }

  private func show(after batch: ListBatch? = nil) {
    screen.show(list.shown, after: batch)
    terminal.show(screen.lines())
  }

  private func resize() {
    (screen.columns, screen.lineCount) = terminal.size
    terminal.clear()
  }

  private func write(every seconds: Double) async {
    var morning = BusyMorning(reception)
    while !Task.isCancelled {
      try? await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
      if Task.isCancelled { return }
      do {
        screen.message = "Another writer: \(try await morning.next(now: Date()))"
      } catch {
        screen.message = "\(error)"
      }
      terminal.show(screen.lines())
    }
  }

  private func isQuit(_ key: Key) -> Bool {
    key == .interrupt || key == .character("q") && !screen.isTyping
  }

  private func press(_ key: Key) async {
    screen.message = ""
    do {
      if screen.isTyping { try type(key) } else { try await command(key) }
    } catch {
      screen.message = (error as NSError).localizedDescription
    }
  }

  private func type(_ key: Key) throws {
    switch key {
    case .character(let character): screen.filter.append(character)
    case .backspace: _ = screen.filter.popLast()
    case .enter: screen.isTyping = false
    case .escape:
      screen.isTyping = false
      screen.filter = ""
    default: return
    }
    try list.setFilter(screen.filter)
    screen.show(list.shown)
  }

  private func command(_ key: Key) async throws {
    switch key {
    case .up, .character("k"): screen.moveSelection(by: -1)
    case .down, .character("j"): screen.moveSelection(by: 1)
    case .pageUp: screen.moveSelection(by: -screen.page)
    case .pageDown: screen.moveSelection(by: screen.page)
    case .home: screen.moveSelection(by: .min / 2)
    case .end: screen.moveSelection(by: .max / 2)
    case .character("/"): screen.isTyping = true
    case .character("a"): try await admit()
    case .character(let character): try await change(character)
    default: break
    }
  }

  private func admit() async throws {
    let newcomers = WaitingRoomScript.newcomers
    try await reception.admit(newcomers[admitted % newcomers.count], at: Date())
    admitted += 1
  }

  //> live-change
  /// What a key does to the selected patient.
  private func change(_ key: Character) async throws {
    guard let row = screen.selectedRow, let urgency = screen.selectedUrgency else { return }
    switch key {
    case "e": try await reception.setUrgency(urgency.raised, of: row.id)
    case "E": try await reception.setUrgency(urgency.lowered, of: row.id)
    case "r": try await reception.call(row.id, into: row.room == nil ? "Room 1" : nil)
    case "d": try await reception.discharge(row.id)
    default: break
    }
  }
  //< live-change
}
