import ChapterSupport
import CoreData
import LiveTableChapter

extension PlainTable {
  func tellFilter() async throws {
    Output.heading("A filter")
    let now = now
    try list.setFilter("ache")
    show(list.shown)
    try await step("Karl Holm comes in, with a stomach ache:") {
      try await reception.admit(WaitingRoomScript.newcomers[1], at: now)
    }
    try await step("Ben Adler comes in, dizzy:") {
      try await reception.admit(WaitingRoomScript.newcomers[3], at: now)
    }
    //> coming
    try await step("Tom Okafor has a headache too:") {
      try await reception.write {
        try Reception.patient(named: "Tom Okafor", in: $0)?.complaint = "wrist, headache"
      }
    }
    //< coming
    try await step("Ben Adler has a stomach ache now:") {
      try await reception.write {
        try Reception.patient(named: "Ben Adler", in: $0)?.complaint = "stomach ache"
      }
    }
    try list.setFilter("")
  }
}
