import CoreData

/// A folder to run a program in with other resources than its own.
///
/// A compiled model is found beside the executable. So the executable gets a hard link in a folder of its own, or a
/// copy if a link is impossible. Beside it lies the model of ``Book``, under the name that the set-up looks for. So a
/// set-up finds another model without a change to its code, or none for the fault in which the model is missing.
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

  /// The executable of the running program.
  static func ownProgram() throws -> URL {
    guard let url = Bundle.main.executableURL else { throw ComparisonFailure("This program cannot find its own file.") }
    return url.resolvingSymlinksInPath()
  }
}
