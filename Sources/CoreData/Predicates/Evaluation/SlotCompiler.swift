/// Turns a tree into tests for the objects of one entity.
struct SlotCompiler {
  let layout: EntityLayout
  var general: PredicateCompiler

  mutating func test(_ node: PredicateNode) throws -> SlotTest {
    switch node {
    case .and(let members) where !members.isEmpty: return try joined(members[...], BothTest.init)
    case .or(let members) where !members.isEmpty: return try joined(members[...], EitherTest.init)
    case .not(let member): return OppositeTest(try test(member))
    default:
      let test = try general.test(node)
      if case .comparison(let comparison) = node, let attribute = attributeTest(comparison, test) { return attribute }
      return GeneralTest(test)
    }
  }

  /// Combined in halves, so that thousands of members don't make a deep tree.
  private mutating func joined(
    _ members: ArraySlice<PredicateNode>, _ join: (SlotTest, SlotTest) -> SlotTest
  ) throws -> SlotTest {
    if members.count == 1 { return try test(members.first!) }
    let middle = members.startIndex + members.count / 2
    return join(try joined(members[..<middle], join), try joined(members[middle...], join))
  }

  /// nil unless this compares an attribute with a constant of a type that needs no conversion.
  private func attributeTest(_ comparison: Comparison, _ general: @escaping Test) -> SlotTest? {
    guard comparison.modifier == .direct, case .keyPath(let path) = comparison.left, path.count == 1,
      case .constant(let constant) = comparison.right, let property = layout.property(named: path[0]),
      // A class may compute it.
      !property.isTransient
    else { return nil }
    let comparator = comparison.comparator
    switch property.form {
    case .integer:
      if let number = constant.wholeNumber {
        return IntegerTest(property, comparator: comparator, number: number, general: general)
      }
    case .real:
      if let number = constant.realNumber {
        return RealTest(property, comparator: comparator, number: number, general: general)
      }
    case .text:
      if property.kind == .uri { return nil }
      if case .string(let text) = constant {
        return TextTest(property, comparator: comparator, piece: text, options: comparison.options, general: general)
      }
    case .uuid, .decimal, .bytes, .destination, .none: return nil
    }
    guard constant.isNull, comparator == .equalTo || comparator == .notEqualTo else { return nil }
    return NilTest(property, isEqual: comparator == .equalTo, general)
  }
}

extension PredicateConstant {
  /// An integer that has the same order relative to all integers as the constant.
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .int(let value): value
    case .bool(let value): value ? 1 : 0
    case .double(let value): Int64(exactly: value)
    case .nothing, .date, .string, .data, .uuid, .url, .decimal, .collection, .object, .other: nil
    }
  }

  /// A floating-point number that has the same order relative to all such numbers as the constant.
  fileprivate var realNumber: Double? {
    switch self {
    case .int(let value): Double(exactly: value)
    case .bool(let value): value ? 1 : 0
    case .double(let value): value
    case .date(let value): value.timeIntervalSinceReferenceDate
    case .nothing, .string, .data, .uuid, .url, .decimal, .collection, .object, .other: nil
    }
  }
}
