internal import CSwiftRuntime
import Foundation

/// Searches a program's file for the names of folders of resources. What was found in the running program's file is
/// kept: in a debug build it has a hundred megabytes, and it doesn't change.
enum ProgramText {
  /// What all the names end in. One pass over a file finds its few occurrences, however many names there are.
  static let ending = ".resources"

  private static let lock = NSLock()
  private nonisolated(unsafe) static var found: [String: Bool] = [:]

  /// Those of `names`, which end in `ending`, that occur in a program's file.
  static func named(_ names: [String], in executable: URL) -> [String] {
    guard !names.isEmpty else { return [] }
    guard executable == Bundle.main.executableURL else {
      let hits = search(names, in: executable)
      return names.filter(hits.contains)
    }
    return lock.withLock {
      let unknown = names.filter { found[$0] == nil }
      if !unknown.isEmpty {
        let hits = search(unknown, in: executable)
        for name in unknown { found[name] = hits.contains(name) }
      }
      return names.filter { found[$0] ?? false }
    }
  }

  private static func search(_ names: [String], in executable: URL) -> Set<String> {
    let descriptor = open(executable.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    let length = Int(lseek(descriptor, 0, SEEK_END))
    guard length > 0, let bytes = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0), bytes != MAP_FAILED else {
      return []
    }
    defer { munmap(bytes, length) }
    var hits: Set<String> = []
    var position = 0
    while hits.count < names.count, let hit = core_data_find(bytes + position, length - position, ending) {
      position = bytes.distance(to: UnsafeMutableRawPointer(mutating: hit)) + ending.utf8.count
      for name in names where ends(name, at: position, in: bytes) { hits.insert(name) }
    }
    return hits
  }

  private static func ends(_ name: String, at position: Int, in bytes: UnsafeMutableRawPointer) -> Bool {
    let count = name.utf8.count
    return position >= count && memcmp(bytes + position - count, name, count) == 0
  }
}
