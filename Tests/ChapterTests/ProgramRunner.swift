import BuiltPrograms
import Foundation
import TestFiles
import Testing

/// Runs a chapter's built program and keeps what it said.
enum ProgramRunner {
  struct Outcome {
    let exitCode: Int32
    let output: String
    let errors: String

    /// The first number after `label` in the output.
    func number(after label: String) -> Int? {
      guard let range = output.range(of: label) else { return nil }
      return Int(output[range.upperBound...].drop { !$0.isNumber }.prefix { $0.isNumber })
    }
  }

  /// Runs it in the package's root.
  ///
  /// - Parameters:
  ///   - folder: Becomes `--store` if given.
  ///   - environment: Variables that come on top of this process's.
  @discardableResult
  static func run(
    _ program: String, _ arguments: [String], store folder: URL? = nil, environment: [String: String] = [:]
  ) throws -> Outcome {
    let process = Process()
    let executable: URL = try #require(BuiltProgram.url(program), "The program \(program) was not built.")
    process.executableURL = executable
    process.arguments = arguments + (folder.map { ["--store", $0.path] } ?? [])
    // Programs do what a reader's do, also when the tests run under stress.
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "COREDATA_STRESS" }
      .merging(environment) { $1 }
    // Files and no pipes: a program that says much would wait for a reader.
    let place = TemporaryFolder()
    let output = place.url.appendingPathComponent("output")
    let errors = place.url.appendingPathComponent("errors")
    for url in [output, errors] { try Data().write(to: url) }
    process.currentDirectoryURL = packageRoot
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return Outcome(
      exitCode: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }
}

extension TemporaryFolder {
  /// Writes a file.
  func file(_ name: String, _ text: String) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }
}

/// The root of the package, found from this file.
let packageRoot = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
