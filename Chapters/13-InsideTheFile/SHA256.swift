import Foundation

/// SHA-256 (FIPS 180-4), short rather than fast: neither Swift's library nor Foundation has it on Linux.
public enum SHA256 {
  /// 32 bytes that stand for `message`.
  public static func digest(_ message: [UInt8]) -> [UInt8] {
    var state = squareRoots
    let padded = pad(message)
    for start in stride(from: 0, to: padded.count, by: 64) {
      add(Array(padded[start..<start + 64]), to: &state)
    }
    return state.flatMap(bigEndian)
  }

  /// A one bit, zeros, and the length in bits as the last eight bytes of a whole number of blocks.
  private static func pad(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    return padded + bigEndian(UInt64(message.count) * 8)
  }

  /// 64 rounds over one block of 64 bytes.
  private static func add(_ block: [UInt8], to state: inout [UInt32]) {
    var words = stride(from: 0, to: 64, by: 4).map { place in
      block[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for round in 16..<64 {
      let (early, late) = (words[round - 15], words[round - 2])
      let mixed = turned(early, 7) ^ turned(early, 18) ^ early >> 3
      let mixedLate = turned(late, 17) ^ turned(late, 19) ^ late >> 10
      words.append(words[round - 16] &+ mixed &+ words[round - 7] &+ mixedLate)
    }
    var s = state
    for round in 0..<64 {
      let sum1 = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
      let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
      let first = s[7] &+ sum1 &+ choice &+ cubeRoots[round] &+ words[round]
      let sum0 = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)
      let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
      s = [first &+ sum0 &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
    }
    state = zip(state, s).map { $0 &+ $1 }
  }

  private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  private static func bigEndian<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    withUnsafeBytes(of: word.bigEndian) { Array($0) }
  }

  //> roots
  // The standard's constants are roots of the first primes: the first 32 bits after the point.
  // A `Double` has 53 bits, more than enough to work them out.

  private static let primes = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }
  private static let squareRoots = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
  private static let cubeRoots = primes.map { fraction(cbrt(Double($0))) }

  private static func fraction(_ root: Double) -> UInt32 {
    UInt32((root - root.rounded(.down)) * 4_294_967_296)
  }
  //< roots
}
