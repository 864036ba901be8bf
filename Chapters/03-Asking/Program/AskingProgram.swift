import ArgumentParser
import AskingChapter
import ChapterSupport
import CoreData

@main
struct AskingProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Asking", abstract: "Fetch requests and predicates, with the SQL that each becomes.",
    subcommands: [TourCommand.self, AskCommand.self], defaultSubcommand: TourCommand.self)

  static func main() {
    SQLRecorder.restartWithSQL()
    ChapterProgram.run(Self.self)
  }
}
