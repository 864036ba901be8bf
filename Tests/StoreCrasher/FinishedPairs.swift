import Foundation

/// The pairs of scenario and fault that a long run has been through, a line each in a file, so that a run that is
/// stopped goes on where it was.
struct FinishedPairs {
  private let file: URL?
  private var titles: Set<String> = []
  private(set) var failures = 0
  private(set) var complaints = 0

  /// Without a path nothing is kept. Lines that are not of this form are passed over.
  init(_ path: String?) throws {
    file = path.map { URL(fileURLWithPath: $0) }
    guard let file, FileManager.default.fileExists(atPath: file.path) else { return }
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: "\t")
      guard parts.count == 3, let failures = Int(parts[1]), let complaints = Int(parts[2]) else { continue }
      note(String(parts[0]), failures, complaints)
    }
  }

  func contains(_ title: String) -> Bool { titles.contains(title) }

  mutating func add(_ title: String, failures: Int, complaints: Int) throws {
    note(title, failures, complaints)
    guard let file else { return }
    let kept = (try? Data(contentsOf: file)) ?? Data()
    try (kept + Data("\(title)\t\(failures)\t\(complaints)\n".utf8)).write(to: file, options: .atomic)
  }

  private mutating func note(_ title: String, _ failures: Int, _ complaints: Int) {
    titles.insert(title)
    self.failures += failures
    self.complaints += complaints
  }
}
