/// Two pieces of code, and the changes from the first to the second.
public struct SourceDifference: Sendable {
  public enum Change: Hashable, Sendable {
    case same, removed, added

    var sign: String {
      switch self {
      case .same: " "
      case .removed: "-"
      case .added: "+"
      }
    }
  }

  public struct Line: Sendable {
    public let change: Change
    public let text: String
  }

  public let from: Quotation
  public let to: Quotation
  /// All lines of both; common ones appear once. In a change, the removed lines come first.
  public let lines: [Line]

  public init(from: Quotation, to: Quotation) {
    self.from = from
    self.to = to
    let (old, new) = (from.lines.map(\.text), to.lines.map(\.text))
    var removed = Set<Int>()
    var added = Set<Int>()
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): added.insert(offset)
      }
    }
    var lines: [Line] = []
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      if removed.contains(left) {
        lines.append(Line(change: .removed, text: old[left]))
        left += 1
      } else if added.contains(right) {
        lines.append(Line(change: .added, text: new[right]))
        right += 1
      } else {
        lines.append(Line(change: .same, text: new[right]))
        left += 1
        right += 1
      }
    }
    self.lines = lines
  }

  /// The text between the block's fences.
  public var body: [String] {
    ["--- \(from.label)", "+++ \(to.label)"]
      + lines.map { $0.text.isEmpty && $0.change == .same ? "" : $0.change.sign + $0.text }
  }
}
