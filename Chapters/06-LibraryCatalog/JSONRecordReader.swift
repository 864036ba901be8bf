import Foundation

/// Reads the records of a JSON file one by one, in the memory of one record, which may have 16 MiB.
///
/// The file is an array of values, `[ … ]`, or values one after the other, as in JSON Lines. The reader
/// finds where each begins and ends; whether it is well-formed within is for `JSONSerialization` to say, so
/// that one bad record does not hide the next. Where the file itself is broken there is no next, and
/// `next()` throws.
///
/// One thread at a time.
public final class JSONRecordReader {
  /// One value of the file, still as bytes.
  public struct RawRecord {
    /// 1 for the first.
    public let number: Int
    /// The line on which it begins, from 1.
    public let line: Int
    public let bytes: Data
  }

  /// The file cannot be read, or cannot be read on.
  public struct Failure: Error, LocalizedError, CustomStringConvertible {
    public let url: URL
    public let line: Int?
    public let reason: String

    public var description: String {
      if let line {
        "The file \(url.relativePath), line \(line), is no catalogue: \(reason)."
      } else {
        "The file \(url.relativePath) cannot be read: \(reason)."
      }
    }
    public var errorDescription: String? { description }
  }

  public let url: URL
  /// How far the reader has come, in bytes, and how long the file is.
  public private(set) var position = 0
  public let length: Int

  private static let chunkSize = 64 * 1024
  private let longestRecord: Int
  private let handle: FileHandle
  private var chunk: [UInt8] = []
  private var index = 0
  private var line = 1
  private var number = 0
  private var state = State.start

  private enum State {
    case start
    case inArray(isFirst: Bool)
    case inSequence, done
  }

  public init(url: URL, longestRecord: Int = 16 * 1024 * 1024) throws {
    self.longestRecord = longestRecord
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw Failure(url: url, line: nil, reason: "there is no such file")
    }
    guard !isFolder.boolValue else { throw Failure(url: url, line: nil, reason: "it is a folder") }
    do {
      handle = try FileHandle(forReadingFrom: url)
      length = Int(try handle.seekToEnd())
      try handle.seek(toOffset: 0)
    } catch {
      throw Failure(url: url, line: nil, reason: Self.reason(error))
    }
    self.url = url
  }

  deinit { try? handle.close() }

  /// The next record, or nil at the end of the file.
  public func next() throws -> RawRecord? {
    if case .start = state { try begin() }
    switch state {
    case .start, .done:
      return nil
    case .inSequence:
      guard try peekPastSpace() != nil else { return end() }
    case .inArray(let isFirst):
      guard let byte = try peekPastSpace() else {
        throw failure("it ends before the list is closed with ]")
      }
      if byte == UInt8(ascii: "]") && isFirst { return try close() }
      if !isFirst {
        if byte == UInt8(ascii: "]") { return try close() }
        guard byte == UInt8(ascii: ",") else {
          throw failure("a comma or ] is missing after record \(number)")
        }
        advance()
        guard let next = try peekPastSpace() else { throw failure("it ends after a comma") }
        if next == UInt8(ascii: "]") { throw failure("a comma stands before the closing ]") }
      }
      state = .inArray(isFirst: false)
    }
    return try readValue()
  }

  private func begin() throws {
    if try peek() == 0xEF {
      // A byte order mark, which some editors leave, is not part of the text.
      for expected: UInt8 in [0xEF, 0xBB, 0xBF] {
        guard try peek() == expected else { throw failure("it is not UTF-8 text") }
        advance()
      }
    }
    if let first = try peek(), first == 0xFE || first == 0xFF {
      throw failure("it is not UTF-8 text but, as it seems, UTF-16; convert it: iconv -f utf16 -t utf8")
    }
    switch try peekPastSpace() {
    case UInt8(ascii: "["):
      advance()
      state = .inArray(isFirst: true)
    case UInt8(ascii: "{"):
      state = .inSequence
    case nil:
      throw failure("it is empty")
    default:
      throw failure("it begins with neither [ nor {")
    }
  }

  private func close() throws -> RawRecord? {
    advance()
    if try peekPastSpace() != nil { throw failure("something follows the closing ]") }
    return end()
  }

  private func end() -> RawRecord? {
    state = .done
    return nil
  }

  /// Collects the bytes of one value, a piece of the file at a time.
  private func readValue() throws -> RawRecord {
    number += 1
    let startLine = line
    var end = ValueEnd()
    var bytes = Data()
    while !end.isFound, try peek() != nil {
      let piece = chunk[index...]
      let (count, lines) = piece.withUnsafeBufferPointer { end.look(in: $0) }
      bytes.append(contentsOf: piece.prefix(count))
      index += count
      position += count
      line += lines
      if bytes.count > longestRecord {
        throw failure("record \(number), which begins on line \(startLine), has more than \(longestRecord) bytes")
      }
    }
    guard end.depth == 0, !end.inString else {
      throw failure("it ends within record \(number), which begins on line \(startLine)")
    }
    guard !bytes.isEmpty else { throw failure("a value is missing") }
    return RawRecord(number: number, line: startLine, bytes: bytes)
  }

  /// Looks for the end of a value: the matching bracket, past brackets within strings; or the next separator, for a
  /// bare number or word.
  private struct ValueEnd {
    var depth = 0
    var inString = false
    var isFound = false
    private var escaped = false

    /// How many of some bytes still belong to the value, and how many lines end in them.
    mutating func look(in bytes: UnsafeBufferPointer<UInt8>) -> (count: Int, lines: Int) {
      var lines = 0
      for index in bytes.indices {
        let byte = bytes[index]
        if byte == UInt8(ascii: "\n") { lines += 1 }
        if inString {
          if escaped {
            escaped = false
          } else if byte == UInt8(ascii: "\\") {
            escaped = true
          } else if byte == UInt8(ascii: "\"") {
            inString = false
          }
          continue
        }
        switch byte {
        case UInt8(ascii: "\""): inString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          isFound = depth <= 1
          if depth == 0 { return (index, lines) }
          depth -= 1
          if isFound { return (index + 1, lines) }
        case UInt8(ascii: ","), UInt8(ascii: "\n"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
          if depth > 0 { continue }
          isFound = true
          return (index, byte == UInt8(ascii: "\n") ? lines - 1 : lines)
        default: break
        }
      }
      return (bytes.count, lines)
    }
  }

  private func peek() throws -> UInt8? {
    if index == chunk.count {
      do {
        chunk = [UInt8](try handle.read(upToCount: Self.chunkSize) ?? Data())
      } catch {
        throw failure("it cannot be read on (\(Self.reason(error)))")
      }
      index = 0
      if chunk.isEmpty { return nil }
    }
    return chunk[index]
  }

  private func peekPastSpace() throws -> UInt8? {
    while let byte = try peek() {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): advance()
      default: return byte
      }
    }
    return nil
  }

  private func advance() {
    if chunk[index] == UInt8(ascii: "\n") { line += 1 }
    index += 1
    position += 1
  }

  /// A reason stands within a sentence, which has its own full stop.
  private static func reason(_ error: any Error) -> String {
    let words = error.localizedDescription
    return words.last == "." ? String(words.dropLast()) : words
  }

  private func failure(_ reason: String) -> Failure {
    Failure(url: url, line: line, reason: reason)
  }
}
