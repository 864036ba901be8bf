import CoreData

/// A place for a program to run in with other resources than its own.
///
/// A compiled model is found beside the executable. So the executable gets a second name in a folder of its own (a hard
/// link, or a copy where there can be none), and beside it lies the model of ``Book`` under the name that the set-up
/// looks for. That changes which model a set-up finds without a change in its code, and takes it away for the fault in
/// which it is missing.
struct ProgramStage {
  let executable: URL

  init(program: URL, in folder: URL, models: [String]) throws {
    let files = FileManager.default
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    executable = folder.appendingPathComponent("setup")
    do {
      try files.linkItem(at: program, to: executable)
    } catch {
      try files.copyItem(at: program, to: executable)
    }
    guard !models.isEmpty else { return }
    let resources = folder.appendingPathComponent("Strata_Comparison.resources", isDirectory: true)
    try files.createDirectory(at: resources, withIntermediateDirectories: true)
    let compiled = try StoreFixtures.modelURL()
    for model in Set(models) {
      try files.copyItem(at: compiled, to: resources.appendingPathComponent("\(model).momd"))
    }
  }

  /// The program that is running.
  static func ownProgram() throws -> URL {
    guard let url = Bundle.main.executableURL else { throw ComparisonFailure("This program cannot find its own file.") }
    return url.resolvingSymlinksInPath()
  }
}
