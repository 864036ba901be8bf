import Foundation

/// A transcript whose program needs a service that this machine lacks, with the program's own words.
public struct SkippedTranscript: Error {
  public let path: String
  public let reason: String
}

/// Runs the commands of transcripts with programs that are built already.
///
/// A run gets a store folder of its own, which is shown as if it were the transcript's, and what differs from run to
/// run is made the same; `normalised(_:)` says what that is. Any thread.
public struct TranscriptRunner: Sendable {
  /// The folder with the built programs.
  public let programs: URL
  /// Where commands run: the package's root.
  public let root: URL

  public init(programs: URL, root: URL) {
    self.programs = programs
    self.root = root
  }

  /// What the commands print now: everything below the transcript's first line.
  ///
  /// - Throws: `BookProblem` if a program isn't there or was ended by a signal, unless the transcript says so itself;
  ///   `SkippedTranscript` if one leaves with the code `EX_UNAVAILABLE`: it needs a service that this machine lacks.
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

  /// Runs one command. Its output goes through a file in `folder`.
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
    // Programs do what a reader's do, also when the checks run under stress.
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COREDATA_") }
    // One file for both outputs keeps their order; a pipe would make a program that says much wait for a reader.
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

  /// Durations as the stack's annotations have them (`0.0012s`) become `…s`, and UUIDs drawn by chance `UUID`; one with
  /// many zeros was chosen, and is shown. A moment with fractions becomes `TIME`. The size of a file that `inspect`
  /// reports becomes `…` too: it depends on whether the program before it had time to carry the log over.
  public static func normalised(_ text: String) -> String {
    text.replacing(#/\b[0-9]+\.[0-9]{4}s\b/#, with: "…s")
      .replacing(#/\b[0-9,]+ bytes, pages of\b/#, with: "… bytes, pages of")
      .replacing(#/\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]+Z/#, with: "TIME")
      .replacing(#/\b[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b/#) { match in
        match.0.count { $0 == "0" } < 12 ? "UUID" : String(match.0)
      }
  }
}
