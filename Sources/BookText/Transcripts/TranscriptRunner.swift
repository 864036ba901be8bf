import Foundation

/// The error for a transcript whose program needs a service that this machine lacks. The reason is in the program's
/// words.
public struct SkippedTranscript: Error {
  public let path: String
  public let reason: String
}

/// Runs the commands of transcripts with programs that are already built.
///
/// Each run gets a store folder of its own, whose path is replaced by the transcript's. Parts of the output that differ
/// from run to run are replaced too; see `normalised(_:)`. Any thread may use it.
public struct TranscriptRunner: Sendable {
  /// The folder with the built programs.
  public let programs: URL
  /// The folder in which commands run: the package's root.
  public let root: URL

  public init(programs: URL, root: URL) {
    self.programs = programs
    self.root = root
  }

  /// Runs the commands, and returns the output: everything below the transcript's first line.
  ///
  /// - Throws: `BookProblem` if a program doesn't exist, or if a signal ends it and the transcript doesn't say so.
  ///   `SkippedTranscript` if a program exits with `EX_UNAVAILABLE`, because it needs a service that this machine
  ///   lacks.
  public func run(_ transcript: Transcript) throws -> String {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-book-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("store").path
    let first = transcript.steps[0].arguments
    let shownStore = first.firstIndex(of: "--store").flatMap { $0 + 1 < first.count ? first[$0 + 1] : nil }

    var text = ""
    for (index, step) in transcript.steps.enumerated() {
      let arguments = step.arguments.map { argument in
        guard let shownStore, argument == shownStore || argument.hasPrefix(shownStore + "/") else { return argument }
        return store + argument.dropFirst(shownStore.count)
      }
      if index > 0 { text += step.command + "\n" }
      text += try output(of: step, arguments, in: folder, of: transcript)
    }
    if let shownStore { text = text.replacingOccurrences(of: store, with: shownStore) }
    return Self.normalised(text)
  }

  /// Runs one command. A file in `folder` receives its output.
  private func output(
    of step: Transcript.Step, _ arguments: [String], in folder: URL, of transcript: Transcript
  ) throws -> String {
    let program = programs.appendingPathComponent(step.program)
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw BookProblem(file: transcript.path, line: 1, "the program \(step.program) is not in \(programs.path)")
    }
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = root
    // Without switches that checks under stress may set, programs do what a reader's do.
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREDATA_") }
    // One file for both outputs keeps their order. With a pipe, a program with much output would have to wait for a
    // reader.
    let output = folder.appendingPathComponent("output")
    try Data().write(to: output)
    let handle = try FileHandle(forWritingTo: output)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = handle
    process.standardError = handle
    try process.run()
    process.waitUntilExit()
    let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
    if process.terminationReason == .exit {
      guard process.terminationStatus == EX_UNAVAILABLE else { return text }
      throw SkippedTranscript(path: transcript.path, reason: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    guard step.isKilled, process.terminationStatus == SIGKILL else {
      throw BookProblem(
        file: transcript.path, line: 1, "\(step.program) was ended by signal \(process.terminationStatus)")
    }
    return text + Transcript.killed + "\n"
  }

  /// Replaces what differs from run to run. Durations such as `0.0012s` become `…s`. Random UUIDs become `UUID`; a UUID
  /// with many zeros was chosen, and stays. A time with fractions of a second becomes `TIME`. The file size that
  /// `inspect` reports becomes `…`, because it depends on whether the program before had time to move the log into the
  /// file.
  public static func normalised(_ text: String) -> String {
    text.replacing(#/\b[0-9]+\.[0-9]{4}s\b/#, with: "…s")
      .replacing(#/\b[0-9,]+ bytes, pages of\b/#, with: "… bytes, pages of")
      .replacing(#/\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]+Z/#, with: "TIME")
      .replacing(#/\b[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b/#) { match in
        match.0.count { $0 == "0" } < 12 ? "UUID" : String(match.0)
      }
  }
}
