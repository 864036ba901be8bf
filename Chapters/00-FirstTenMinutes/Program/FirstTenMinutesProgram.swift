import ArgumentParser
import ChapterSupport
import CoreData
import FirstTenMinutesChapter

@main
struct FirstTenMinutesProgram: ChapterCommand {
  static let configuration = CommandConfiguration(commandName: "FirstTenMinutes", abstract: "To be written.")

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {}
}
