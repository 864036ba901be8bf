internal import CSwiftRuntime
import Foundation

/// Searches a program's file for texts. The running program's file is searched once for each text: in a debug build it
/// has a hundred megabytes, and it doesn't change.
enum ProgramText {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var found: [String: Bool] = [:]

  /// Those of `names` that occur in a program's file.
  static func named(_ names: [String], in executable: URL) -> [String] {
    guard !names.isEmpty else { return [] }
    guard executable == Bundle.main.executableURL else {
      let hits = search(names, in: executable)
      return names.filter { hits[$0] ?? false }
    }
    return lock.withLock {
      let unknown = names.filter { found[$0] == nil }
      if !unknown.isEmpty { found.merge(search(unknown, in: executable)) { $1 } }
      return names.filter { found[$0] ?? false }
    }
  }

  private static func search(_ names: [String], in executable: URL) -> [String: Bool] {
    let descriptor = open(executable.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [:] }
    defer { close(descriptor) }
    let length = Int(lseek(descriptor, 0, SEEK_END))
    guard length > 0, let bytes = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0), bytes != MAP_FAILED else {
      return [:]
    }
    defer { munmap(bytes, length) }
    var result: [String: Bool] = [:]
    for name in names {
      result[name] = core_data_contains(bytes, length, name)
    }
    return result
  }
}
