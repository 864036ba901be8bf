import CoreData
import DurabilitySupport

/// A folder with the store that a scenario begins with, and what the store holds after each step when nothing fails.
/// The folder is in memory where the system has `/dev/shm`, and is removed with the value.
final class ScenarioPlace {
  let url: URL
  let scenario: Scenario
  /// What the store holds before the first step, and after each.
  private(set) var states: [[String]] = []

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    url = URL(fileURLWithPath: base).resolvingSymlinksInPath()
      .appendingPathComponent("store-crasher-\(getpid())", isDirectory: true)
    try? FileManager.default.removeItem(at: url)
    try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
    try scenario.prepare(in: original)
    states = [try scenario.read(in: copy("dry/store"))]
    let folder = try copy("dry/store")
    try scenario.perform(in: folder) { _ in states.append(try scenario.read(in: folder)) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  private var original: URL { url.appendingPathComponent("original", isDirectory: true) }

  /// A copy of the folder that the scenario begins with.
  func copy(_ name: String) throws -> URL {
    let folder = url.appendingPathComponent(name, isDirectory: true)
    try? FileManager.default.removeItem(at: folder.deletingLastPathComponent())
    try FileManager.default.createDirectory(at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: original, to: folder)
    return folder
  }

  /// The files of the folder that this process has open.
  var descriptors: [String] {
    let folder = "/proc/self/fd"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))
        .flatMap { $0.hasPrefix(url.path + "/") ? $0 : nil }
    }
  }
}

/// What is wrong with a store.
struct Complaint: LocalizedError {
  let errorDescription: String?
  init(_ text: String) { errorDescription = text }
}
