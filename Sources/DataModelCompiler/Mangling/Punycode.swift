/// A name with letters beyond ASCII, as symbols spell it: RFC 3492, with `_` as the delimiter, and `a` to `z`
/// and `A` to `J` as the digits. Swift's description of its mangling names both.
func punycode(_ name: String) -> String {
  let scalars = name.unicodeScalars.map(\.value)
  var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
  var handled = output.count
  if handled > 0 { output.append(UInt8(ascii: "_")) }
  let basicCount = handled
  var (code, delta, bias): (UInt32, UInt32, UInt32) = (0x80, 0, 72)
  while handled < scalars.count {
    let next = scalars.filter { $0 >= code }.min() ?? code
    delta += (next - code) * UInt32(handled + 1)
    code = next
    for scalar in scalars {
      if scalar < code { delta += 1 }
      guard scalar == code else { continue }
      var rest = delta
      var position: UInt32 = 36
      while true {
        let threshold = position <= bias ? 1 : min(position - bias, 26)
        if rest < threshold { break }
        output.append(punycodeDigit(threshold + (rest - threshold) % (36 - threshold)))
        rest = (rest - threshold) / (36 - threshold)
        position += 36
      }
      output.append(punycodeDigit(rest))
      bias = punycodeBias(delta, count: UInt32(handled + 1), isFirst: handled == basicCount)
      delta = 0
      handled += 1
    }
    delta += 1
    code += 1
  }
  return String(decoding: output, as: UTF8.self)
}

private func punycodeDigit(_ value: UInt32) -> UInt8 {
  UInt8(value) + (value < 26 ? UInt8(ascii: "a") : UInt8(ascii: "A") - 26)
}

private func punycodeBias(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
  var delta = isFirst ? delta / 700 : delta / 2
  delta += delta / count
  var steps: UInt32 = 0
  while delta > 455 {
    delta /= 35
    steps += 36
  }
  return steps + 36 * delta / (delta + 38)
}
