import Foundation
import TestFiles
import Testing

@Suite("Bad input to the programs")
struct ProgramErrorTests {
  static let programs: [(name: String, store: String, arguments: [String])] = [
    ("FirstTenMinutes", "Library.sqlite", []),
    ("ManualStack", "SingleViewCoreData.sqlite", []),
    ("ObjectGraph", "ObjectGraph.sqlite", []),
    ("Asking", "Asking.sqlite", ["tour"]),
    ("ContainerStack", "ContainerStack.sqlite", []),
    ("DataController", "DataModel.sqlite", []),
    ("LibraryCatalog", "Library.sqlite", ["import"]),
    ("EnqueueWriter", "EnqueueWriter.sqlite", []),
    ("UnsavedChanges", "Recipes.sqlite", []),
  ]

  @Test(
    "A folder that cannot be made ends every program with one sentence that names it", arguments: programs)
  func folder(program: (name: String, store: String, arguments: [String])) throws {
    let place = TemporaryFolder()
    let file = try place.file("file", "not a folder")
    let folder = file.appendingPathComponent("below")
    let outcome = try ProgramRunner.run(program.name, program.arguments, store: folder)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.errors.contains(folder.path))
  }

  @Test("A file that is no database ends every program with one sentence that names it", arguments: programs)
  func noDatabase(program: (name: String, store: String, arguments: [String])) throws {
    let place = TemporaryFolder()
    let text = String(repeating: "This is no database. ", count: 50)
    let file = try place.file(program.store, text)
    let outcome = try ProgramRunner.run(program.name, program.arguments, store: place.url)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("Error: "))
    // Below the sentence, at most the command that explains its number.
    let below = outcome.errors.split(separator: "\n").dropFirst()
    #expect(below.isEmpty || below == ["What 259 means: swift run inspect --error 259"], "\(outcome.errors)")
    #expect(outcome.errors.contains(file.path))
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test("An unknown option is refused with the parser's code", arguments: programs)
  func unknownOption(program: (name: String, store: String, arguments: [String])) throws {
    let outcome = try ProgramRunner.run(program.name, program.arguments + ["--frobnicate"])
    #expect(outcome.exitCode == 64)
    #expect(outcome.errors.contains("--frobnicate"))
  }

  @Test(
    "What is broken on purpose ends with an error, and not with a crash",
    arguments: programs.filter {
      !["FirstTenMinutes", "ObjectGraph", "Asking", "LibraryCatalog", "DataController"].contains($0.name)
    })
  func brokenOnPurpose(program: (name: String, store: String, arguments: [String])) throws {
    let place = TemporaryFolder()
    let outcome = try ProgramRunner.run(program.name, ["--break"], store: place.url)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("Error: "))
  }

  @Test(
    "Options that ask for different runs are refused together, by name",
    arguments: [
      ("ManualStack", ["--types", "--break"]), ("ManualStack", ["--two-stores", "--types"]),
      ("ManualStack", ["--callback", "--two-stores"]),
      ("ObjectGraph", ["--rules", "--break"]),
      ("ContainerStack", ["--merging", "--break"]), ("EnqueueWriter", ["--only", "groups", "--break"]),
      ("ModelVersions", ["--to", "2", "--break"]), ("UnsavedChanges", ["--life", "--break"]),
      ("Batches", ["--measure", "9", "--break"]), ("LiveTable", ["--writer", "--break"]),
      ("InsideTheFile", ["--apple", "--one-room"]), ("UnderSwiftData", ["--ask", "--shared"]),
      ("OneServer", ["--only", "tally", "--break"]),
    ])
  func together(program: String, arguments: [String]) throws {
    let outcome = try ProgramRunner.run(program, arguments)
    #expect(outcome.exitCode == 64)
    #expect(outcome.errors.contains("ask for different runs. Give one of them."), "\(outcome.errors)")
    for argument in arguments where argument.hasPrefix("--") { #expect(outcome.errors.contains(argument)) }
  }

  @Test("The help of every program names the switches that Core Data itself reads", arguments: programs)
  func help(program: (name: String, store: String, arguments: [String])) throws {
    let outcome = try ProgramRunner.run(program.name, program.arguments + ["--help"])
    #expect(outcome.exitCode == 0)
    #expect(outcome.output.contains("-com.apple.CoreData.SQLDebug"))
    #expect(outcome.output.contains("-com.apple.CoreData.ConcurrencyDebug"))
  }

  @Test("An unknown subcommand is refused and named")
  func unknownSubcommand() throws {
    let outcome = try ProgramRunner.run("LibraryCatalog", ["frobnicate"])
    #expect(outcome.exitCode == 64)
    #expect(outcome.errors.contains("frobnicate"))
  }
}
