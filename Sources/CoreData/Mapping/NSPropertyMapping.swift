import Foundation

/// How a migration gets the value of one attribute or relationship of the new object.
///
/// Don't change it while a migration uses it.
nonisolated open class NSPropertyMapping: NSObject {
  /// The property's name in the destination model.
  open var name: String?

  /// The expression for the value. It may use the variables `$manager`, `$source`, `$destination`, `$entityMapping`,
  /// `$propertyMapping`, `$entityPolicy`. nil leaves the property as the new object has it.
  open var valueExpression: FoundationExpression?

  /// Your own notes about the mapping.
  open var userInfo: [AnyHashable: Any]?

  /// An empty mapping.
  public override init() { super.init() }

  /// Whether the other mapping gives the same property the same value.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyMapping else { return false }
    return self === other
      || name == other.name && ModelEquality.sameText(valueExpression, other.valueExpression)
        && ModelEquality.same(userInfo, other.userInfo)
  }

  /// A hash of the name only, which is quick.
  open override var hash: Int { name?.hashValue ?? 0 }

  /// The property and the expression, for logs.
  open override var description: String {
    "NSPropertyMapping \(name ?? "(no name)") = \(valueExpression.map { "\($0)" } ?? "nothing")"
  }
}
