import Foundation

/// `BEGINSWITH`, `ENDSWITH`, `CONTAINS` and `string IN string`: where in a text a piece must be.
enum TextAnchor {
  case start, end, anywhere
}

/// A piece of text to look for, folded once.
struct StringFinder {
  private let piece: [UInt8]
  private let options: Comparison.Options
  private let anchor: TextAnchor
  private let folds: Bool

  init(_ piece: String, _ anchor: TextAnchor, options: Comparison.Options) {
    self.piece = Array(foldForComparison(piece, options: options).utf8)
    self.options = options
    self.anchor = anchor
    folds =
      !options.contains(.normalized) && !options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
  }

  /// Whether `text` has the piece where it must be. An empty piece is in no text, as with Foundation's
  /// `range(of: "")`.
  func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8(matches)
  }

  /// Whether a text's bytes have the piece in its place.
  func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { folds ? folded(bytes, occurs) : occurs(in: bytes) }

  /// Whether a text's bytes equal the piece.
  func isAll(of bytes: UnsafeBufferPointer<UInt8>) -> Bool { folds ? folded(bytes, isPiece) : isPiece(bytes) }

  /// Calls `body` with the folded form of `bytes`. For ASCII, which most texts are, this makes no string.
  private func folded(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Bool {
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      var text = foldForComparison(String(decoding: bytes, as: UTF8.self), options: options)
      return text.withUTF8(body)
    }
    guard options.contains(.caseInsensitive) else { return body(bytes) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { small in
      for (index, byte) in bytes.enumerated() { small[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte }
      return body(UnsafeBufferPointer(small))
    }
  }

  private func isPiece(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count == piece.count && bytes.elementsEqual(piece)
  }

  private func occurs(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !piece.isEmpty, bytes.count >= piece.count else { return false }
    let last = bytes.count - piece.count
    switch anchor {
    case .start: return occurs(at: 0, in: bytes)
    case .end: return occurs(at: last, in: bytes)
    case .anywhere:
      var offset = 0
      while offset <= last {
        guard let next = memchr(bytes.baseAddress! + offset, Int32(piece[0]), last - offset + 1) else {
          return false
        }
        offset = bytes.baseAddress!.distance(to: next.assumingMemoryBound(to: UInt8.self))
        if occurs(at: offset, in: bytes) { return true }
        offset += 1
      }
      return false
    }
  }

  private func occurs(at offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let equal = piece.withUnsafeBufferPointer {
      memcmp(bytes.baseAddress! + offset, $0.baseAddress!, $0.count) == 0
    }
    guard equal, options.contains(.word) else { return equal }
    return isWordBoundary(offset, in: bytes) && isWordBoundary(offset + piece.count, in: bytes)
  }

  /// Bytes of ASCII letters and digits, and all bytes of other letters, belong to words.
  private func isWordBoundary(_ offset: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard offset > 0, offset < bytes.count else { return true }
    func isWord(_ byte: UInt8) -> Bool {
      byte >= 0x80 || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F
    }
    return !(isWord(bytes[offset - 1]) && isWord(bytes[offset]))
  }
}
