import Foundation

extension Bundle {
  /// The URL of a resource. Swift packages keep a target's resources in a folder of their own beside the
  /// executable, `<package>_<target>.resources`; for the main bundle those are searched first, and then Foundation is
  /// asked.
  ///
  /// Because its first parameter is a plain string, Swift prefers it to Foundation's method in `url(forResource:
  /// "Model", withExtension: "momd")`. All targets' folders lie side by side, those of other programs too: the one
  /// named after the executable comes first, then those whose names begin so, then those that the executable names,
  /// then the others.
  public func url(forResource name: String, withExtension ext: String?) -> URL? {
    url(forResource: name, withExtension: ext, subdirectory: nil)
  }

  /// The URL of a resource in a folder of the bundle, such as a version in a `.momd`, found as by
  /// `url(forResource:withExtension:)`.
  public func url(forResource name: String, withExtension ext: String?, subdirectory subpath: String?) -> URL? {
    if isMain, let url = PackageResources.url(of: name, extension: ext ?? "", in: subpath) { return url }
    // An optional name chooses Foundation's method.
    return url(forResource: Optional(name), withExtension: ext, subdirectory: subpath)
  }

  /// The URLs of all resources with an extension, or of all if it is empty. For the main bundle they are those of the
  /// program's targets, and then what Foundation finds.
  public func urls(forResourcesWithExtension ext: String, subdirectory subpath: String?) -> [URL]? {
    let others = urls(forResourcesWithExtension: Optional(ext), subdirectory: subpath)?.map { $0 as URL }
    let own = isMain ? PackageResources.urls(extension: ext, in: subpath) : []
    return own.isEmpty ? others : own + (others ?? [])
  }

  /// The path of a resource, found as by `url(forResource:withExtension:)`.
  public func path(forResource name: String, ofType ext: String?) -> String? {
    url(forResource: name, withExtension: ext)?.path
  }

  /// The path of a resource in a folder of the bundle, found as by `url(forResource:withExtension:)`.
  public func path(forResource name: String, ofType ext: String?, inDirectory subpath: String?) -> String? {
    url(forResource: name, withExtension: ext, subdirectory: subpath)?.path
  }

  /// The paths of all resources with an extension, found as by `urls(forResourcesWithExtension:subdirectory:)`.
  public func paths(forResourcesOfType ext: String, inDirectory subpath: String?) -> [String] {
    urls(forResourcesWithExtension: ext, subdirectory: subpath)?.map(\.path) ?? []
  }

  private var isMain: Bool { bundlePath == Bundle.main.bundlePath }
}

/// The resources that Swift packages put beside an executable.
enum PackageResources {
  static func url(of name: String, extension ext: String, in subpath: String?) -> URL? {
    guard let executable = Bundle.main.executableURL else { return nil }
    return url(of: name, extension: ext, in: subpath, executable: executable)
  }

  /// The files with an extension, or all if it is empty, target by target, in order of name.
  static func urls(
    extension ext: String, in subpath: String?, executable: URL? = Bundle.main.executableURL
  ) -> [URL] {
    folders(of: executable).flatMap {
      NSManagedObjectModel.files(in: $0.appendingPathComponent(subpath ?? ""), ext.isEmpty ? nil : [ext])
    }
  }

  /// The resource folders of the targets in a program.
  static func folders(of executable: URL? = Bundle.main.executableURL) -> [URL] {
    guard let executable else { return [] }
    let beside = executable.resolvingSymlinksInPath().deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: beside.path)) ?? []
    let holders = names.filter { $0.hasSuffix(ProgramText.ending) }.sorted()
    return ProgramText.named(holders, in: executable).map { beside.appendingPathComponent($0) }
  }

  static func url(of name: String, extension ext: String, in subpath: String? = nil, executable: URL) -> URL? {
    let path = subpath.map { $0.isEmpty ? name : "\($0)/\(name)" } ?? name
    let file = ext.isEmpty ? path : "\(path).\(ext)"
    let beside = executable.resolvingSymlinksInPath().deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: beside.path)) ?? []
    let holders = names.filter { $0.hasSuffix(ProgramText.ending) }.sorted().filter {
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
