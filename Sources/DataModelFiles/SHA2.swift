// SHA-256 and SHA-512 (FIPS 180-4), the two digests that identify data models. Both process blocks with a state of
// eight words. They differ in the word's width and in the numbers of rounds and rotations.
//
// Both count in `UInt64`, of which SHA-256 uses the lower half. One function for any width of word would say the same,
// but a debug build does not specialize it, and would take twelve times as long for a digest.

/// The SHA-256 digest of `bytes`: 32 bytes.
public func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  digest(Array(bytes), .sha256)
}

/// The SHA-512 digest of `bytes`: 64 bytes.
public func sha512(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  digest(Array(bytes), .sha512)
}

/// In what the two digests differ.
private struct Variant {
  /// The bits of a word.
  var width: UInt64

  var initialState: [UInt64]
  var constants: [UInt64]

  // The rotation distances. The third of a schedule's is a shift.
  var sigma0: (UInt64, UInt64, UInt64)
  var sigma1: (UInt64, UInt64, UInt64)
  var schedule0: (UInt64, UInt64, UInt64)
  var schedule1: (UInt64, UInt64, UInt64)

  /// SHA-256's tables are the same fractions, to half as many bits.
  static let sha256 = Variant(
    width: 32, initialState: squareRoots.map { $0 >> 32 }, constants: cubeRoots.prefix(64).map { $0 >> 32 },
    sigma0: (2, 13, 22), sigma1: (6, 11, 25), schedule0: (7, 18, 3), schedule1: (17, 19, 10))

  static let sha512 = Variant(
    width: 64, initialState: squareRoots, constants: cubeRoots,
    sigma0: (28, 34, 39), sigma1: (14, 18, 41), schedule0: (1, 8, 7), schedule1: (19, 61, 6))

  var bytesOfWord: Int { Int(width) / 8 }
  var blockSize: Int { bytesOfWord * 16 }
  var mask: UInt64 { .max >> (64 - width) }
}

private func digest(_ bytes: [UInt8], _ variant: Variant) -> [UInt8] {
  let message = padded(bytes, blockSize: variant.blockSize)
  var state = variant.initialState
  withUnsafeTemporaryAllocation(of: UInt64.self, capacity: variant.constants.count) { schedule in
    for block in stride(from: 0, to: message.count, by: variant.blockSize) {
      fill(schedule, from: message, at: block, variant)
      mix(&state, schedule, variant)
    }
  }
  var result: [UInt8] = []
  for word in state { appendBytes(of: word, width: variant.width, to: &result) }
  return result
}

/// Appends the lower `width` bits of `word`, the highest byte first.
private func appendBytes(of word: UInt64, width: UInt64, to bytes: inout [UInt8]) {
  var rest = width
  while rest > 0 {
    rest -= 8
    bytes.append(UInt8(truncatingIfNeeded: word &>> rest))
  }
}

/// The message, a 1 bit, zeros, and at the end of the last block the message's length in bits, in an eighth of a block.
private func padded(_ bytes: [UInt8], blockSize: Int) -> [UInt8] {
  var message = bytes
  message.append(0x80)
  let used = (message.count + blockSize / 8) % blockSize
  let zeros = (used == 0 ? 0 : blockSize - used) + blockSize / 8 - 8
  message += [UInt8](repeating: 0, count: zeros)
  appendBytes(of: UInt64(bytes.count) * 8, width: 64, to: &message)
  return message
}

/// Fills the schedule with the block at `start`: its sixteen words, and what follows from them.
private func fill(
  _ schedule: UnsafeMutableBufferPointer<UInt64>, from message: [UInt8], at start: Int, _ variant: Variant
) {
  let (width, mask, bytesOfWord) = (variant.width, variant.mask, variant.bytesOfWord)
  let (shifts0, shifts1) = (variant.schedule0, variant.schedule1)
  var position = start
  for t in 0..<16 {
    var word: UInt64 = 0
    for _ in 0..<bytesOfWord {
      word = word &<< 8 | UInt64(message[position])
      position += 1
    }
    schedule[t] = word
  }
  for t in 16..<schedule.count {
    let (before, last) = (schedule[t - 15], schedule[t - 2])
    let s0 = rotate(before, shifts0.0, width) ^ rotate(before, shifts0.1, width) ^ before &>> shifts0.2
    let s1 = rotate(last, shifts1.0, width) ^ rotate(last, shifts1.1, width) ^ last &>> shifts1.2
    schedule[t] = (schedule[t - 16] &+ s0 &+ schedule[t - 7] &+ s1) & mask
  }
}

/// The word of `width` bits, turned to the right. More bits than these may be set in the result.
private func rotate(_ word: UInt64, _ count: UInt64, _ width: UInt64) -> UInt64 {
  word &>> count | word &<< (width &- count)
}

/// Runs the rounds of one block, and adds their result to the state.
private func mix(_ state: inout [UInt64], _ schedule: UnsafeMutableBufferPointer<UInt64>, _ variant: Variant) {
  let (width, mask) = (variant.width, variant.mask)
  let (constants, sigma0, sigma1) = (variant.constants, variant.sigma0, variant.sigma1)
  var (a, b, c, d) = (state[0], state[1], state[2], state[3])
  var (e, f, g, h) = (state[4], state[5], state[6], state[7])
  for t in 0..<schedule.count {
    let s1 = rotate(e, sigma1.0, width) ^ rotate(e, sigma1.1, width) ^ rotate(e, sigma1.2, width)
    let choice = (e & f) ^ (~e & g)
    let t1 = h &+ s1 &+ choice &+ constants[t] &+ schedule[t]
    let s0 = rotate(a, sigma0.0, width) ^ rotate(a, sigma0.1, width) ^ rotate(a, sigma0.2, width)
    let majority = (a & b) ^ (a & c) ^ (b & c)
    (h, g, f, e, d, c, b, a) = (g, f, e, (d &+ t1) & mask, c, b, a, (t1 &+ s0 &+ majority) & mask)
  }
  let result = [a, b, c, d, e, f, g, h]
  for index in 0..<8 { state[index] = (state[index] &+ result[index]) & mask }
}

// The fractional parts of the square roots of the first 8 primes, and of the cube roots of the first 80.

private let squareRoots: [UInt64] = [
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]

private let cubeRoots: [UInt64] = [
  0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
  0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
  0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
  0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
  0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
  0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
  0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
  0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
  0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
  0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
  0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
  0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
  0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
  0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
  0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
  0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
  0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
  0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
  0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
  0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
]
