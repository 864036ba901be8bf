import ArgumentParser
import ChapterSupport
import Foundation
import LibraryCatalogChapter
import OutputFiles

struct ExportCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the books as a catalogue that import reads.")

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  @MainActor func perform() async throws {
    let source = try source.open(announcing: false)
    let file = try output.open()
    let count = try CatalogExporter.export(source, to: file.write)
    try file.finish()
    output.say("\(Output.count(count, "book")) written")
  }
}

struct GenerateCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Make up a catalogue of any size, the same for the same seed.")

  @Option(help: "How many books.")
  var count: Int

  @Option(help: "Which catalogue of that size.")
  var seed: UInt64 = 1

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (0...CatalogGenerator.largestCount).contains(count) else {
      throw ValidationError("--count is a number from 0 to \(CatalogGenerator.largestCount).")
    }
  }

  @MainActor func perform() async throws {
    let file = try output.open()
    var generator = CatalogGenerator(seed: seed)
    try generator.generate(count: count, to: file.write)
    try file.finish()
    output.say("\(Output.count(count, "book")) written")
  }
}

/// `--output FILE`, else standard output.
struct OutputOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Write to this file and not to the terminal.", valueName: "file"))
  var output: String?

  func open() throws -> OutputFile {
    guard let output else { return .standardOutput() }
    do { return try OutputFile(output) } catch { throw ChapterFailure(error) }
  }

  /// Said only when it does not land among the data.
  func say(_ text: String) { if let output { Output.line("\(text) to \(output)") } }
}
