import ArgumentParser
import BookText
import Foundation

/// The book's tool: `swift run book check`.
@main
struct BookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "book",
    abstract: "Weaves, checks and builds the book in Chapters.",
    subcommands: [Weave.self, Check.self, Build.self, Serve.self])

  /// The option that names the checkout.
  struct Place: ParsableArguments {
    @Option(
      help: ArgumentHelp("The checkout's folder (default: the nearest one from here upwards).", valueName: "folder"))
    var root: String?

    func book() throws -> Book { try Book(root: try rootURL()) }

    func rootURL() throws -> URL {
      if let root { return URL(fileURLWithPath: root, isDirectory: true) }
      var folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
      while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Chapters/README.md").path) {
        guard folder.path != "/" else {
          throw ValidationError(
            "There is no Chapters/README.md here or above. Say where the checkout is: --root FOLDER.")
        }
        folder.deleteLastPathComponent()
      }
      return folder
    }
  }
}

/// Prints the problems, each with the line to fix. Fails if there is one.
func report(_ problems: [BookProblem]) throws {
  for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
  if !problems.isEmpty { throw ExitCode.failure }
}
