import ArgumentParser
import AskingChapter
import ChapterSupport
import CoreData

/// All questions of the chapter, one after the other.
struct TourCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "tour", abstract: "Ask all questions of the chapter, one after the other.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("break"), help: "Ask what can't be asked, and read the errors.")
  var breaksQuestions = false

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "Asking", stores: [Shelf.storeName])
    let shelf = try SQLRecorder.record { try Shelf(folder: folder) }.answer
    if breaksQuestions {
      try showRefusals(shelf)
    } else {
      try showTwoWays(shelf)
      try showQuestions(shelf)
      try showOrders(shelf)
      try showWhatComesAlong(shelf)
      try showOtherAnswers(shelf)
      try showUnsaved(shelf)
      try showTemplate(shelf)
      try showPlans(shelf)
    }
    try SQLRecorder.silence { try shelf.close() }
  }
}
