import Foundation

/// A tree of files beside the broken files. Nothing in it may change, whatever a broken file contains.
struct Sentinel {
  private let folder: URL

  /// Makes the tree.
  init(in place: URL) throws {
    folder = place.appendingPathComponent("sentinel")
    let inner = folder.appendingPathComponent("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    for name in ["passwd", "00000000-0000-0000-0000-000000000000", "S.sqlite", "S.xml", "M.mom"] {
      try Data("sentinel \(name)".utf8).write(to: folder.appendingPathComponent(name))
      try Data("sentinel \(name)".utf8).write(to: inner.appendingPathComponent(name))
    }
  }

  /// Everything in the tree: names, types, permissions, sizes, times of the last write, and contents.
  func state() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().map { name in
      let path = folder.appendingPathComponent(name).path
      var status = stat()
      lstat(path, &status)
      let content = status.st_mode & S_IFMT == S_IFREG ? FileManager.default.contents(atPath: path) : nil
      return "\(name) \(status.st_mode) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) "
        + (content.map { String(decoding: $0, as: UTF8.self) } ?? "")
    }
  }
}
