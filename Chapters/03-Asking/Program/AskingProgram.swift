import ArgumentParser
import ChapterSupport
import CoreData
import AskingChapter

@main
struct AskingProgram: ChapterCommand {
  static let configuration = CommandConfiguration(commandName: "Asking", abstract: "To be written.")

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {}
}
