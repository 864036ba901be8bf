import DurabilitySupport
import Foundation
import TestDice

/// How one file is broken: a pure function of a seed and the files' sizes.
struct Damage: CustomStringConvertible {
  private(set) var description = ""
  let file: Int

  private enum Kind {
    case cut(Int)
    case flip([(Int, UInt8)])
    case fill(Int, [UInt8])
    case insert(Int, [UInt8])
    case copy(Range<Int>, to: Int)
  }
  private let kind: Kind

  /// - Parameter sizes: The sizes of the files of which one is broken.
  init(seed: UInt64, sizes: [Int]) {
    var random = Dice(state: seed &* 0xD134_2543_DE82_EF95 &+ 1)
    file = random.below(sizes.count)
    let size = max(sizes[file], 1)
    /// A place, often near the beginning or the end, where formats keep what matters.
    func place() -> Int {
      switch random.below(4) {
      case 0: return random.below(min(size, 128))
      case 1: return max(size - 1 - random.below(64), 0)
      default: return random.below(size)
      }
    }
    switch random.below(16) {
    case 10, 11:
      // An integer at its limits, of any width.
      let start = place()
      let width = [1, 2, 4, 8][random.below(4)]
      let bytes = [[0xFF], [0x7F, 0xFF], [0x80, 0], [0]][random.below(4)] as [UInt8]
      let number = (0..<width).map { bytes[min($0, bytes.count - 1)] }
      kind = .fill(start, number)
      description = "the integer \(number) at \(start)"
    case 12, 13:
      let start = place()
      let count = [1, 3, 64, 5000][random.below(4)]
      kind = .insert(start, (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      description = "\(count) bytes put in at \(start)"
    case 14, 15:
      let (start, target) = (place(), place())
      let range = start..<min(start + [4, 40, 700, 4096][random.below(4)], size)
      kind = .copy(range, to: target)
      description = "the bytes \(range) once more at \(target)"
    case 0, 1:
      let length = random.below(2) == 0 ? place() : min(random.below(size / 512 + 1) * 512, size - 1)
      kind = .cut(length)
      description = "cut to \(length)"
    case 2, 3:
      let start = place()
      let count = [1, 4, 16, 512, 4096][random.below(5)]
      let byte = [0, 0xFF, nil][random.below(3)] as UInt8?
      kind = .fill(start, (0..<min(count, size - start)).map { _ in byte ?? UInt8(truncatingIfNeeded: random.next()) })
      description = "\(count) bytes of \(byte.map { "\($0)" } ?? "noise") at \(start)"
    default:
      let flips = (0...random.below(3)).map { _ in (place(), UInt8(1 << random.below(8))) }
      kind = .flip(flips)
      description = "flips " + flips.map { "\($0.0):\($0.1)" }.joined(separator: " ")
    }
    description = "file \(file), " + description
  }

  func apply(to data: Data) -> Data {
    var bytes = Array(data)
    switch kind {
    case .cut(let length): bytes.removeLast(max(bytes.count - length, 0))
    case .flip(let flips): for (place, bit) in flips where place < bytes.count { bytes[place] ^= bit }
    case .fill(let start, let noise):
      for (index, byte) in noise.enumerated() where start + index < bytes.count { bytes[start + index] = byte }
    case .insert(let start, let noise): bytes.insert(contentsOf: noise, at: min(start, bytes.count))
    case .copy(let range, let target):
      bytes.insert(contentsOf: bytes[range.clamped(to: 0..<bytes.count)], at: min(target, bytes.count))
    }
    return Data(bytes)
  }
}
