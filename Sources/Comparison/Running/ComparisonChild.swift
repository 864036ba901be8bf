import CoreData

/// The child processes of a comparison. Each set-up works in a process of its own, so that its memory is its own and a
/// trap ends nothing else.
///
/// A program with set-ups calls `runIfAsked(_:)` first. If the program was started as a child, that call does the
/// child's work and ends the process.
public enum ComparisonChild {
  /// The first argument of a child. The second is a `Request` as JSON.
  static let mark = "comparison-child"

  enum Task: Codable, Sendable {
    /// Lists the set-ups in the program.
    case describe
    case workload(WorkloadSize)
    case fault(InjectedFault)
  }

  struct Request: Codable, Sendable {
    var task: Task
    /// `SetupInfo.id`.
    var setup = ""
    /// The folder for the store's file.
    var folder = ""
    /// The file for the answer. Standard output belongs to the set-up.
    var answer: String
    var plant: PlantedFault?
  }

  /// Does what a parent process asked for and ends the process. Returns at once if this process isn't a child.
  ///
  /// - Parameter types: the set-ups in this program.
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
    // The run loop serves the main queue, as in a program with windows; the chapters' programs do the same.
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
