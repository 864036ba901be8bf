import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import InsideTheFileChapter
import StoreFileReader

@main
struct InsideTheFileProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "InsideTheFile",
    abstract: "A store's file, table by table, and beside one that Apple's framework wrote.")

  @OptionGroup var store: StoreOptions

  @Flag(help: "Compare with a store of Apple's, and work out version hashes by hand.")
  var apple = false

  @Flag(name: .customLong("one-room"), help: "Only make the file, and save one room twice.")
  var makesOneRoom = false

  @Flag(name: .customLong("break"), help: "Damage a version hash, then change the model, and read the errors.")
  var breaksHash = false

  static let museumName = "Museum.sqlite"
  static let weblogName = "Weblog.sqlite"

  @Option(name: .customLong("steps"), help: "Print the frames of the book's stepper: row.")
  var recording: Recording?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether([
      "--apple": apple, "--one-room": makesOneRoom, "--break": breaksHash, "--steps": recording != nil,
    ])
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "InsideTheFile", stores: [Self.museumName, Self.weblogName])
    let museum = folder.appendingPathComponent(Self.museumName)
    if recording != nil { return try recordRow(museum) }
    if makesOneRoom { return try makeRoom(museum) }
    if breaksHash { return try showBroken(museum) }
    if apple { return try showComparison(folder.appendingPathComponent(Self.weblogName)) }

    let file = try fill(museum)
    try showTables(file)
    try showEntityTable(file)
    try showRelationships(file)
    try showVersions(museum)
    try showIndexes(file)
    try showMetadata(file)
    try showHistory(museum)
  }

  /// `--one-room`: an insert and an update, to read their SQL.
  @MainActor private func makeRoom(_ url: URL) throws {
    //> one-room
    let stack = try FileStack(at: url, model: FileModel.museum.load())
    let room = Room(context: stack.context)
    room.name = "Court"
    try stack.context.save()
    room.name = "Inner Court"
    try stack.context.save()
    try stack.close()
    //< one-room
  }

  /// A store that one stack has filled and let go of.
  @MainActor func fill(_ url: URL) throws -> MuseumFile {
    guard !FileManager.default.fileExists(atPath: url.path) else {
      throw ChapterFailure("There is a museum already at \(url.path). Start over with --fresh.")
    }
    let stack = try FileStack(at: url, model: FileModel.museum.load())
    try Museum(context: stack.context).fill()
    try stack.close()
    return MuseumFile(url: url)
  }
}
