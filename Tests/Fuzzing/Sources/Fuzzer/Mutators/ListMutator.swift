import DataModelFiles
import FuzzerEngine

/// Changes in what a property list says, with its form left whole: values of another kind, references that lead
/// elsewhere, keys that change places.
enum ListMutator {
  /// The list with one to three changes; nil for bytes that are no binary property list.
  static func mutated(_ bytes: [UInt8], _ dice: inout Dice) -> [UInt8]? {
    guard var list = try? BinaryPropertyListReader.read(bytes) else { return nil }
    var values: [PropertyList] = []
    collect(list, &values)
    guard values.count < 20_000 else { return nil }
    for _ in 0...dice.below(3) {
      var place = dice.below(values.count)
      list = changed(list, at: &place, values, &dice)
    }
    return BinaryPropertyListWriter.write(list)
  }

  private static func collect(_ list: PropertyList, _ values: inout [PropertyList]) {
    values.append(list)
    switch list {
    case .array(let elements): for element in elements { collect(element, &values) }
    case .dictionary(let entries): for (_, value) in entries.sorted(by: { $0.key < $1.key }) { collect(value, &values) }
    case .boolean, .integer, .real, .date, .data, .string, .uid: break
    }
  }

  private static func changed(
    _ list: PropertyList, at place: inout Int, _ values: [PropertyList], _ dice: inout Dice
  ) -> PropertyList {
    place -= 1
    if place == -1 { return replacement(for: list, values, &dice) }
    if place < -1 { return list }
    switch list {
    case .array(let elements): return .array(elements.map { changed($0, at: &place, values, &dice) })
    case .dictionary(let entries):
      var new: [String: PropertyList] = [:]
      for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
        new[key] = changed(value, at: &place, values, &dice)
      }
      return .dictionary(new)
    case .boolean, .integer, .real, .date, .data, .string, .uid: return list
    }
  }

  private static let integers: [Int64] = [0, -1, 1, 2, 7, 255, 1 << 31, -1 << 31, .max, .min]
  private static let reals = [0, -1, 0.5, 1e300, -1e300, Double.infinity, -.infinity, .nan]

  private static func replacement(
    for list: PropertyList, _ values: [PropertyList], _ dice: inout Dice
  ) -> PropertyList {
    if dice.below(3) == 0 {
      return [
        dice.any(values)!, .uid(dice.below(values.count + 2)), .integer(dice.any(integers)!),
        .real(dice.any(reals)!), .array([list, list]), .boolean(dice.below(2) == 0), .data([1, 2, 3]),
      ][dice.below(7)]
    }
    switch list {
    case .uid(let number): return .uid(dice.below(2) == 0 ? number + 1 : dice.below(values.count + 2))
    case .string(let text): return .string(String(decoding: bytes(Array(text.utf8)), as: UTF8.self))
    case .data(let data): return .data(bytes(data))
    case .integer(let number): return .integer(dice.below(2) == 0 ? dice.any(integers)! : number ^ 1 << dice.below(63))
    case .boolean(let flag): return .boolean(!flag)
    case .real: return .real(dice.any(reals)!)
    case .date: return .date(dice.any(reals)!)
    case .array(var elements):
      switch dice.below(4) {
      case 0: return .array(Array(elements.dropLast()))
      case 1: elements.append(dice.any(values)!)
      case 2 where elements.count > 1: elements.swapAt(dice.below(elements.count), dice.below(elements.count))
      default: elements.insert(dice.any(values)!, at: dice.below(elements.count))
      }
      return .array(elements)
    case .dictionary(var entries):
      guard let key = dice.any(entries.keys.sorted()) else { return .dictionary(["a": dice.any(values)!]) }
      switch dice.below(4) {
      case 0: entries[key] = nil
      case 1:
        let value = entries.removeValue(forKey: key)
        entries[String(decoding: bytes(Array(key.utf8)), as: UTF8.self)] = value
      default: entries[key] = dice.any(values)!
      }
      return .dictionary(entries)
    }
  }

  /// The bytes, changed by libFuzzer itself, which uses its dictionary and the values that the code compares with.
  static func bytes(_ bytes: [UInt8], limit: Int? = nil) -> [UInt8] {
    let limit = limit ?? bytes.count + 32
    guard limit > 0 else { return bytes }
    var room = Array(bytes.prefix(limit)) + [UInt8](repeating: 0, count: max(limit - bytes.count, 0))
    let count = room.withUnsafeMutableBufferPointer {
      LLVMFuzzerMutate($0.baseAddress!, min(bytes.count, limit), limit)
    }
    return Array(room.prefix(count))
  }
}
