import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import InsideTheFileChapter
import StepRecorder

/// What the book's stepper shows of this chapter.
extension InsideTheFileProgram {
  enum Recording: String, CaseIterable, ExpressibleByArgument {
    case row
  }

  @MainActor func recordRow(_ url: URL) throws {
    let stack = try FileStack(at: url, model: FileModel.museum.load())
    let room = Room(context: stack.context)
    room.name = "North Gallery"
    try stack.context.save()
    let steps = try StepRecorder(
      "An object becomes a row", contexts: ["context": stack.context],
      objects: [
        "Painting": "title, number, isOnLoan, acquired, insuredValue, width, tag, page, room", "Room": "name",
      ],
      file: url,
      tables: [
        "ZEXHIBIT":
          "Z_PK, Z_ENT, Z_OPT, ZTITLE, ZNUMBER, ZISONLOAN, ZACQUIRED, ZINSUREDVALUE, ZWIDTH, ZTAG, ZPAGE, ZROOM, ZMATERIAL"
      ])
    let harbour = Painting(context: stack.context)
    harbour.title = "Harbour at Dawn"
    harbour.number = 101
    harbour.acquired = ISO8601DateFormatter().date(from: "2019-05-04T10:30:00Z")
    harbour.insuredValue = NSDecimalNumber(string: "1250000.50")
    harbour.width = 120.5
    harbour.tag = UUID(uuidString: "AA000000-0000-4000-8000-000000000101")
    harbour.page = URL(string: "urn:museum:101")
    harbour.room = room
    try steps.frame("You make a painting.")
    try stack.context.save()
    try steps.frame("You save.")
    harbour.title = "Harbour at Dusk"
    harbour.isOnLoan = true
    try steps.frame("You change the title, and send it on loan.")
    try stack.context.save()
    try steps.frame("You save.")
    withExtendedLifetime((room, harbour)) {}
    try stack.close()
  }
}
