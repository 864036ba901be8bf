import FaultyFiles
import Foundation

/// One recorded operation that changed a watched folder.
public struct FileOperation: Sendable, CustomStringConvertible {
  public enum Kind: Sendable {
    case create
    case write(at: Int, [UInt8])
    case truncate(Int)
    case sync
    case rename(to: String)
    case unlink
    case makeFolder
    case removeFolder
    /// No operation: a test marks that everything before has been acknowledged.
    case mark(Int)
  }

  public let kind: Kind
  /// The path below the folder; "" for the folder itself.
  public let name: String

  public init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

  public var description: String {
    switch kind {
    case .create: "create \(name)"
    case .write(let offset, let bytes): "write \(name) \(bytes.count)@\(offset)"
    case .truncate(let length): "truncate \(name) \(length)"
    case .sync: "sync \(name.isEmpty ? "." : name)"
    case .rename(let other): "rename \(name) -> \(other)"
    case .unlink: "unlink \(name)"
    case .makeFolder: "mkdir \(name)"
    case .removeFolder: "rmdir \(name)"
    case .mark(let number): "mark \(number)"
    }
  }
}

extension FaultyFolder {
  /// What `body` changes in the folder, with all bytes. `body` may add marks.
  public func record(_ body: () throws -> Void) rethrows -> [FileOperation] {
    faulty_record(watch)
    try body()
    var length = 0
    guard let bytes = faulty_take_record(watch, &length) else { return [] }
    defer { free(bytes) }
    return FaultyFolder.operations(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  public func mark(_ number: Int) { faulty_mark(watch, number) }

  private static func operations(_ bytes: UnsafeRawBufferPointer) -> [FileOperation] {
    var operations: [FileOperation] = []
    var place = 0
    func take(_ count: Int) -> Slice<UnsafeRawBufferPointer> {
      defer { place += count }
      return bytes[place..<(place + count)]
    }
    while place < bytes.count {
      let head = bytes.loadUnaligned(fromByteOffset: place, as: FaultyRecord.self)
      place += MemoryLayout<FaultyRecord>.size
      let name = String(decoding: take(Int(head.name_length)), as: UTF8.self)
      let second = String(decoding: take(Int(head.second_length)), as: UTF8.self)
      let content = Int(head.kind) == Int(FAULTY_WRITE) ? [UInt8](take(head.size)) : []
      // SQLite rebuilds the log's index after a crash, and a removed file has no name.
      if name.hasSuffix("-shm") || name.hasSuffix(" (deleted)") { continue }
      let kind: FileOperation.Kind
      switch Int(head.kind) {
      case Int(FAULTY_CREATE): kind = .create
      case Int(FAULTY_WRITE): kind = .write(at: head.offset, content)
      case Int(FAULTY_TRUNCATE): kind = .truncate(head.size)
      case Int(FAULTY_SYNC): kind = .sync
      case Int(FAULTY_RENAME): kind = .rename(to: second)
      case Int(FAULTY_UNLINK): kind = .unlink
      case Int(FAULTY_MKDIR): kind = .makeFolder
      case Int(FAULTY_RMDIR): kind = .removeFolder
      case Int(FAULTY_MARK): kind = .mark(head.size)
      default: preconditionFailure("The recording has an operation that nobody replays: \(head.kind) \(name)")
      }
      operations.append(FileOperation(kind, name == "." ? "" : name))
    }
    return operations
  }
}
