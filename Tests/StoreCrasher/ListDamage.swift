import DataModelFiles
import DurabilitySupport
import TestDice

/// Changes in what a property list says, with its form left whole: values of another kind, references that lead
/// elsewhere, keys that change places. Archives are property lists.
enum ListDamage {
  /// The list with one to three changes, and which; nil for bytes that are no property list.
  static func apply(to bytes: [UInt8], seed: UInt64) -> (bytes: [UInt8], description: String)? {
    guard var list = try? BinaryPropertyListReader.read(bytes) else { return nil }
    var random = Dice(state: seed &* 0x9E6C_63D0_876A_46AD &+ 3)
    var words: [String] = []
    let texts = Array(texts(of: list).prefix(400))
    for _ in 0...random.below(3) {
      var place = random.below(max(count(list), 1))
      list = changed(list, at: &place, texts, &random, &words, path: "")
    }
    return (BinaryPropertyListWriter.write(list), "list: " + words.joined(separator: "; "))
  }

  private static func count(_ list: PropertyList) -> Int {
    switch list {
    case .array(let elements): 1 + elements.reduce(0) { $0 + count($1) }
    case .dictionary(let entries): 1 + entries.values.reduce(0) { $0 + count($1) }
    case .boolean, .integer, .real, .date, .data, .string, .uid: 1
    }
  }

  private static func texts(of list: PropertyList) -> [String] {
    switch list {
    case .array(let elements): elements.flatMap(texts)
    case .dictionary(let entries): entries.sorted { $0.key < $1.key }.flatMap { [$0.key] + texts(of: $0.value) }
    case .string(let text): [text]
    case .boolean, .integer, .real, .date, .data, .uid: []
    }
  }

  private static func changed(
    _ list: PropertyList, at place: inout Int, _ texts: [String], _ random: inout Dice, _ words: inout [String],
    path: String
  ) -> PropertyList {
    place -= 1
    if place == -1 {
      let new = replacement(for: list, texts, &random)
      words.append("\(path) is \("\(new)".prefix(80))")
      return new
    }
    if place < -1 { return list }
    switch list {
    case .array(let elements):
      return .array(
        elements.enumerated().map { index, element in
          changed(element, at: &place, texts, &random, &words, path: "\(path)/\(index)")
        })
    case .dictionary(let entries):
      var new: [String: PropertyList] = [:]
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
        new[key] = changed(value, at: &place, texts, &random, &words, path: "\(path)/\(key)")
      }
      return .dictionary(new)
    case .boolean, .integer, .real, .date, .data, .string, .uid: return list
    }
  }

  private static func replacement(
    for list: PropertyList, _ texts: [String], _ random: inout Dice
  ) -> PropertyList {
    if random.below(2) == 0 {
      // Of the same kind.
      switch list {
      case .uid: return .uid(random.below(60))
      case .string: return .string(random.any(texts) ?? "")
      case .integer: return .integer(random.any([0, -1, 1, 7, 1 << 31, -1 << 31, Int64.max, Int64.min])!)
      case .boolean(let flag): return .boolean(!flag)
      case .real, .date: return .real(random.any([0, -1, 1e300, -1e300, .infinity, -.infinity, .nan])!)
      case .data(let bytes): return .data(random.below(2) == 0 ? [] : Array(bytes.dropLast(random.below(4))))
      case .array(let elements):
        return .array(random.below(2) == 0 ? elements + elements : Array(elements.dropLast()))
      case .dictionary(var entries):
        guard let key = random.any(entries.keys.sorted()) else { return list }
        let value = entries.removeValue(forKey: key)
        if random.below(2) == 0 { entries[random.any(texts) ?? ""] = value }
        return .dictionary(entries)
      }
    }
    switch random.below(8) {
    case 0: return .uid(random.below(60))
    case 1: return .string(random.any(texts) ?? "")
    case 2: return .integer(Int64(bitPattern: random.next()))
    case 3: return .real(random.any([0.5, .infinity, .nan])!)
    case 4: return .data([1, 2, 3])
    case 5: return .array([list, list])
    case 6: return .dictionary([random.any(texts) ?? "": list])
    default: return .boolean(true)
    }
  }
}
