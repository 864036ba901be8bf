import ArgumentParser
import ChapterSupport
import Foundation
import LibraryCatalogChapter

struct ExportCommand: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write the books as a catalogue that import reads.")

  @OptionGroup var source: SourceOptions
  @OptionGroup var output: OutputOptions

  @MainActor func perform() async throws {
    let source = try source.open(announcing: false)
    let file = try output.open()
    let count = try CatalogExporter.export(source, to: file.write)
    try file.close()
    file.say("\(Output.count(count, "book")) written")
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
    try file.close()
    file.say("\(Output.count(count, "book")) written")
  }
}

/// `--output FILE`, else standard output.
struct OutputOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Write to this file and not to the terminal.", valueName: "file"))
  var output: String?

  func open() throws -> OutputFile {
    guard let output else { return OutputFile(handle: .standardOutput, path: nil) }
    guard FileManager.default.createFile(atPath: output, contents: nil),
      let handle = FileHandle(forWritingAtPath: output)
    else { throw ChapterFailure("The file \(output) cannot be written.") }
    return OutputFile(handle: handle, path: output)
  }
}

/// A file that is written in pieces large enough for the system to care about.
final class OutputFile {
  private static let pieceSize = 64 * 1024
  private let handle: FileHandle
  private let path: String?
  private var pending = Data()

  init(handle: FileHandle, path: String?) {
    self.handle = handle
    self.path = path
  }

  func write(_ data: Data) throws {
    pending.append(data)
    if pending.count >= Self.pieceSize { try flush() }
  }

  func close() throws {
    try flush()
    if path != nil { try handle.close() }
  }

  /// Said only when it does not land among the data.
  func say(_ text: String) {
    if let path { Output.line("\(text) to \(path)") }
  }

  private func flush() throws {
    do {
      try handle.write(contentsOf: pending)
    } catch {
      throw ChapterFailure(
        "The file \(path ?? "standard output") cannot be written: \(error.localizedDescription).")
    }
    pending.removeAll(keepingCapacity: true)
  }
}
