internal import CSwiftRuntime
import Foundation

extension Bundle {
  /// The URL of a resource. Swift packages keep a target's resources in a folder of their own beside the
  /// executable, `<package>_<target>.resources`; for the main bundle those are looked at first, and then what
  /// Foundation finds.
  ///
  /// Takes plain strings and so is preferred to Foundation's method in `url(forResource: "Model",
  /// withExtension: "momd")`. All targets' folders lie side by side, those of other programs too: the one
  /// named after the executable comes first, then those whose names begin so, then those that the executable
  /// names, then the others.
  public func url(forResource name: String, withExtension ext: String) -> URL? {
    if bundlePath == Bundle.main.bundlePath, let url = PackageResources.url(of: name, extension: ext) {
      return url
    }
    // Optional arguments choose Foundation's method.
    return url(forResource: Optional(name), withExtension: Optional(ext))
  }

  /// The path of a resource, found as by `url(forResource:withExtension:)`.
  public func path(forResource name: String, ofType ext: String) -> String? {
    url(forResource: name, withExtension: ext)?.path
  }
}

/// The resources that Swift packages put beside an executable.
enum PackageResources {
  static func url(of name: String, extension ext: String) -> URL? {
    guard let executable = Bundle.main.executableURL else { return nil }
    return url(of: name, extension: ext, executable: executable)
  }

  /// The folders of the targets that the running program is made of.
  static func folders() -> [URL] {
    guard let executable = Bundle.main.executableURL else { return [] }
    let beside = executable.resolvingSymlinksInPath().deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: beside.path)) ?? []
    let holders = names.filter { $0.hasSuffix(".resources") }.sorted()
    return ProgramText.named(holders, in: executable).map { beside.appendingPathComponent($0) }
  }

  static func url(of name: String, extension ext: String, executable: URL) -> URL? {
    let file = ext.isEmpty ? name : "\(name).\(ext)"
    let beside = executable.resolvingSymlinksInPath().deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: beside.path)) ?? []
    let holders = names.filter { $0.hasSuffix(".resources") }.sorted().filter {
      FileManager.default.fileExists(
        atPath: beside.appendingPathComponent($0).appendingPathComponent(file).path)
    }
    guard let holder = best(of: holders, executable: executable) else { return nil }
    return beside.appendingPathComponent(holder).appendingPathComponent(file)
  }

  private static func best(of holders: [String], executable: URL) -> String? {
    guard holders.count > 1 else { return holders.first }
    let program = executable.deletingPathExtension().lastPathComponent
    // `<package>_<target>.resources`; both names may hold underscores.
    if let own = holders.first(where: { $0.hasSuffix("_\(program).resources") }) { return own }
    let related = holders.filter { $0.contains("_\(program)") }
    if related.count == 1 { return related[0] }
    // A target's generated accessor holds the folder's name, and only linked targets are in the executable.
    let candidates = related.isEmpty ? holders : related
    return ProgramText.named(candidates, in: executable).first ?? candidates[0]
  }
}

/// The texts in a program's file. What the running program's has is found out once: a debug build has a hundred
/// megabytes, and its file stays as it is.
private enum ProgramText {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var found: [String: Bool] = [:]

  /// Those of some names that a program's file has in it.
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
