import Foundation
import TestDice

/// A folder on a disk that keeps back what was not synced: what a power cut leaves of it.
///
/// 1. A write is on the disk when its file has been synced since. Before that each sector of 512 bytes may have any of
///    the contents that it has had since the last sync, independent of all others: so writes are lost, torn, and done
///    in another order.
/// 2. The same holds for a file's length. Where the length has grown and the bytes have not come, there are zeros. What
///    a shorter length cuts off is there for as long as the longer one is: no disk writes zeros first.
/// 3. A name that was made, changed or removed is on the disk when its folder has been synced since. Before that each
///    such step may be lost, independent of all others and of the file's own sync; a renaming is one step.
///
/// That is less than any journalling file system promises, and all that POSIX does.
public struct Disk {
  public static let sector = 512

  private struct File {
    /// The contents that are read before a cut.
    var now: [UInt8]
    /// The contents at the last sync.
    var kept: [UInt8]
    var changes: [Change] = []
  }

  private enum Change {
    case write(Int, [UInt8])
    case length(Int)
  }

  private enum Entry: Equatable {
    case file(Int)
    case folder
  }

  /// A change of names that may not be on the disk yet.
  private struct Step {
    let folders: Set<String>
    let removed: String?
    let made: (name: String, entry: Entry)?

    func apply(to names: inout [String: Entry]) {
      if let removed { names[removed] = nil }
      if let made { names[made.name] = made.entry }
    }
  }

  private var files: [File] = []
  private var now: [String: Entry] = [:]
  private var kept: [String: Entry] = [:]
  private var steps: [Step] = []

  /// A disk with all that a folder has, already synced.
  public init(_ folder: URL) throws {
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where !name.hasSuffix("-shm") {
      let path = folder.appendingPathComponent(name).path
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      if isFolder.boolValue {
        now[name] = .folder
      } else {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        now[name] = .file(files.count)
        files.append(File(now: bytes, kept: bytes))
      }
    }
    kept = now
  }

  private static func folder(of name: String) -> String {
    name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
  }

  // Operations.

  public mutating func perform(_ operation: FileOperation) {
    let name = operation.name
    switch operation.kind {
    case .create:
      files.append(File(now: [], kept: []))
      step(made: (name, .file(files.count - 1)))
    case .makeFolder: step(made: (name, .folder))
    case .unlink, .removeFolder: step(removed: name)
    case .rename(let other):
      guard let entry = now[name] else { preconditionFailure("\(operation): there is no such file.") }
      precondition(entry != .folder, "Nobody renames folders.")
      step(removed: name, made: (other, entry))
    case .write(let offset, let bytes): change(operation, .write(offset, bytes))
    case .truncate(let length): change(operation, .length(length))
    case .sync: sync(name)
    case .mark: break
    }
  }

  private mutating func step(removed: String? = nil, made: (String, Entry)? = nil) {
    let folders = [removed, made?.0].compactMap { $0 }.map(Disk.folder)
    let step = Step(folders: Set(folders), removed: removed, made: made.map { (name: $0.0, entry: $0.1) })
    step.apply(to: &now)
    steps.append(step)
  }

  private mutating func change(_ operation: FileOperation, _ change: Change) {
    guard case .file(let index)? = now[operation.name] else {
      preconditionFailure("\(operation): there is no such file.")
    }
    files[index].changes.append(change)
    Disk.apply(change, to: &files[index].now)
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .length(let length): resize(&bytes, length)
    case .write(let offset, let new):
      if bytes.count < offset + new.count { resize(&bytes, offset + new.count) }
      bytes.replaceSubrange(offset..<(offset + new.count), with: new)
    }
  }

  private static func resize(_ bytes: inout [UInt8], _ length: Int) {
    if length < bytes.count { bytes.removeLast(bytes.count - length) }
    if length > bytes.count { bytes += [UInt8](repeating: 0, count: length - bytes.count) }
  }

  private mutating func sync(_ name: String) {
    if case .file(let index)? = now[name] {
      files[index].kept = files[index].now
      files[index].changes = []
      return
    }
    for step in steps where step.folders.contains(name) { step.apply(to: &kept) }
    steps.removeAll { $0.folders.contains(name) }
  }

  // A cut.

  /// Which of the unsynced changes a cut leaves on the disk.
  public enum Luck: CaseIterable, Sendable {
    case nothing, everything, namesOnly, contentsOnly, few, half, most
  }

  /// Writes what the disk has after a cut into a new folder.
  public func cut(_ luck: Luck, _ random: inout Dice, into folder: URL) throws {
    var names = kept
    for step in steps where luck.keepsName(&random) { step.apply(to: &names) }
    // A file is lost with its folder.
    func isReachable(_ name: String) -> Bool {
      let parent = Disk.folder(of: name)
      return parent.isEmpty || (names[parent] == .folder && isReachable(parent))
    }
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in names.keys.sorted() where isReachable(name) {
      let url = folder.appendingPathComponent(name)
      switch names[name]! {
      case .folder: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      case .file(let index): try Data(content(files[index], luck, &random)).write(to: url)
      }
    }
  }

  private func content(_ file: File, _ luck: Luck, _ random: inout Dice) -> [UInt8] {
    if file.changes.isEmpty { return file.kept }
    var bytes = file.kept
    var lengths = [bytes.count]
    /// The contents that a sector has had since the last sync.
    var versions: [Int: [ArraySlice<UInt8>]] = [:]
    for change in file.changes {
      let before = bytes.count
      Disk.apply(change, to: &bytes)
      if bytes.count != before { lengths.append(bytes.count) }
      if bytes.count < before { continue }
      let touched =
        switch change {
        case .write(let offset, let new): min(offset, before)..<(offset + new.count)
        case .length(let length): before..<length
        }
      if touched.isEmpty { continue }
      for sector in (touched.lowerBound / Disk.sector)...((touched.upperBound - 1) / Disk.sector) {
        let start = min(sector * Disk.sector, bytes.count)
        versions[sector, default: []].append(bytes[start..<min(start + Disk.sector, bytes.count)])
      }
    }
    var result = file.kept
    Disk.resize(&result, luck.choose(lengths, &random))
    for (sector, list) in versions.sorted(by: { $0.key < $1.key }) {
      guard let version = luck.version(of: list, &random) else { continue }
      let start = sector * Disk.sector
      if start >= result.count { continue }
      let space = min(Disk.sector, result.count - start)
      let content = version.prefix(space)
      result.replaceSubrange(
        start..<(start + space), with: content + [UInt8](repeating: 0, count: space - content.count))
    }
    return result
  }
}

extension Disk.Luck {
  fileprivate func keepsName(_ random: inout Dice) -> Bool {
    switch self {
    case .nothing, .contentsOnly: false
    case .everything, .namesOnly: true
    case .few, .half, .most: random.below(8) < chance
    }
  }

  /// How many names of eight, or sectors of eight, reach the disk on average.
  private var chance: Int {
    switch self {
    case .few: 1
    case .most: 7
    default: 4
    }
  }

  /// The content of a sector that is on the disk; nil for the one that was synced.
  fileprivate func version(of list: [ArraySlice<UInt8>], _ random: inout Dice) -> ArraySlice<UInt8>? {
    switch self {
    case .nothing, .namesOnly: return nil
    case .everything, .contentsOnly: return list.last
    case .few, .half, .most:
      if random.below(8) >= chance { return nil }
      return random.below(2) == 0 ? list.last : random.any(list)
    }
  }

  fileprivate func choose(_ lengths: [Int], _ random: inout Dice) -> Int {
    switch self {
    case .nothing, .namesOnly: lengths[0]
    case .everything, .contentsOnly: lengths.last!
    case .few: random.below(2) == 0 ? lengths[0] : random.any(lengths)!
    case .half: random.any(lengths)!
    case .most: random.below(2) == 0 ? lengths.last! : random.any(lengths)!
    }
  }
}
