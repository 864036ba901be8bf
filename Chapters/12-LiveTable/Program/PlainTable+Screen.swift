import ChapterSupport
import CoreData
import LiveTableChapter

extension PlainTable {
  func tellScreen() async throws {
    Output.heading("On a screen of 60 columns and 9 lines")
    //> screen
    var screen = TableScreen(columns: 60, lines: 9)
    screen.show(list.shown)
    screen.moveSelection(by: 1)
    let before = screen.lines()
    for line in before { Output.line("|\(line.text)|") }

    let (aylin, tom) = (try id("Aylin Demir"), try id("Tom Okafor"))
    try await step("Aylin Demir is treated, and Tom Okafor called:") {
      try await reception.write { context in
        context.delete(try Reception.patient(aylin, in: context))
        try Reception.patient(tom, in: context).room = "Room 2"
      }
    }
    screen.show(list.shown, after: last?.batch)
    for (row, line) in ScreenUpdate.changes(from: before, to: screen.lines()) {
      Output.line("line \(row + 1) |\(line.text)|")
    }
    //< screen
  }
}
