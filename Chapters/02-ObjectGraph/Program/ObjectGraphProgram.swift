import ArgumentParser
import ChapterSupport
import CoreData
import ObjectGraphChapter

@main
struct ObjectGraphProgram: ChapterCommand {
  static let configuration = CommandConfiguration(commandName: "ObjectGraph", abstract: "To be written.")

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {}
}
