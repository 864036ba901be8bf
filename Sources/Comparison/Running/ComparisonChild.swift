import CoreData

/// The child processes of a comparison. Each set-up works alone in one: its memory is its own, its traps end nobody
/// else.
///
/// A program that holds set-ups calls `runIfAsked(_:)` first of all; when it was started as a child, that does what the
/// child has to do and ends the process.
public enum ComparisonChild {
  /// The first argument of a child; the second is a `Request` as JSON.
  static let mark = "comparison-child"

  enum Task: Codable, Sendable {
    /// Says which set-ups there are.
    case describe
    case workload(WorkloadSize)
    case fault(InjectedFault)
  }

  struct Request: Codable, Sendable {
    var task: Task
    /// `SetupInfo.id`.
    var setup = ""
    /// Where the store's file is.
    var folder = ""
    /// Where the answer goes: not to standard output, which belongs to the set-up.
    var answer: String
    var plant: PlantedFault?
  }

  /// Does what a parent process asked for and ends, or returns at once if this process is no child.
  ///
  /// - Parameter types: The set-ups that this program holds.
  @MainActor
  public static func runIfAsked(_ types: [any ComparedSetup.Type]) {
    let arguments = CommandLine.arguments
    guard arguments.count > 2, arguments[1] == mark else { return }
    FileSize.forbidCoreFiles()
    _Concurrency.Task { @MainActor in
      do {
        let request = try JSONDecoder().decode(Request.self, from: Data(arguments[2].utf8))
        try await answer(request, types)
        exit(EXIT_SUCCESS)
      } catch {
        FileHandle.standardError.write(Data("\(ErrorFacts(error).message)\n".utf8))
        exit(EXIT_FAILURE)
      }
    }
    // The main queue is the run loop's, as in a program with windows; see the chapters' programs.
    while true { RunLoop.main.run(until: .distantFuture) }
  }

  @MainActor
  private static func answer(_ request: Request, _ types: [any ComparedSetup.Type]) async throws {
    let encoder = JSONEncoder()
    func write(_ value: some Encodable) throws {
      try encoder.encode(value).write(to: URL(fileURLWithPath: request.answer))
    }
    if case .describe = request.task { return try write(types.map { $0.info }) }
    guard let type = types.first(where: { $0.info.id == request.setup }) else {
      throw ComparisonFailure("There is no set-up \(request.setup) in this program.")
    }
    let folder = URL(fileURLWithPath: request.folder, isDirectory: true)
    switch request.task {
    case .describe: break
    case .workload(let size):
      try write(try await Workload(type: type, folder: folder, size: size, plant: request.plant).run())
    case .fault(let fault):
      let run = FaultRun(type: type, folder: folder, fault: fault, plant: request.plant) { try? write($0) }
      try write(await run.run())
    }
  }
}
