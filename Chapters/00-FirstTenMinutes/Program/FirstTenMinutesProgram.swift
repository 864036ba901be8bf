import ArgumentParser
import ChapterSupport
import FirstTenMinutesChapter
import Foundation

@main
struct FirstTenMinutesProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "FirstTenMinutes",
    abstract: "Two kinds of objects, one file, and a process that is killed before its second save.")

  static let storeName = "Library.sqlite"

  @OptionGroup var store: StoreOptions

  @Flag(help: "Kill this process with SIGKILL before the second book is saved.")
  var crash = false

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "FirstTenMinutes", stores: [Self.storeName])
    try tenMinutes(file: folder.appendingPathComponent(Self.storeName), crash: crash)
  }
}
