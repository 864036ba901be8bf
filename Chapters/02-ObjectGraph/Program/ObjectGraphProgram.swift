import ArgumentParser
import ChapterSupport
import CoreData
import ObjectGraphChapter

@main
struct ObjectGraphProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "ObjectGraph",
    abstract: "Authors, books, tags and reviews: objects that know each other, and the rows they become.")

  @OptionGroup var store: StoreOptions

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "ObjectGraph", stores: [ObjectGraphStack.storeName])
    let stack = try ObjectGraphStack(folder: folder)
    Library(context: stack.context).fill()
    try stack.context.save()
    try stack.close()
  }
}
