import Foundation
import Synchronization

extension NSEntityMigrationPolicy {
  /// Registers a method of a policy under the name by which a mapping's expressions call it: `FUNCTION($entityPolicy,
  /// "fullNameFromFirst:last:", $source.first, $source.last)`.
  ///
  ///     NSEntityMigrationPolicy.register("fullNameFromFirst:last:", on: PersonPolicy.self) { policy, arguments in
  ///       policy.fullName(first: arguments[0] as? String, last: arguments[1] as? String)
  ///     }
  ///
  /// This is an addition to Apple's API, because Swift can't call a method by its name without Objective-C. The name is
  /// spelled as in the mapping model. For a Swift method that is its Objective-C name: `fullName(first:last:)` is
  /// `fullNameWithFirst:last:`. Subclasses have the method too, unless they register their own. Call this before a
  /// migration, on any thread. A second method with the same name and class replaces the first.
  ///
  /// - Parameters:
  ///   - selector: with a colon for each argument.
  ///   - policyClass: the class of policies that have the method.
  ///   - method: gets the policy of the mapping and the values of the arguments. If it throws, the migration ends.
  public static func register<Policy: NSEntityMigrationPolicy>(
    _ selector: String, on policyClass: Policy.Type,
    _ method: @escaping @Sendable (_ policy: Policy, _ arguments: [Any?]) throws -> Any?
  ) {
    PolicyMethods.add(selector, policyClass: policyClass) { policy, arguments in
      guard let policy = policy as? Policy else { return nil }
      return try method(policy, arguments)
    }
  }
}

/// The methods of policies that expressions call by name.
enum PolicyMethods {
  typealias Method = @Sendable (NSEntityMigrationPolicy, [Any?]) throws -> Any?

  /// The methods, by class and selector.
  private static let methods = Mutex<[ObjectIdentifier: [String: Method]]>([:])

  static func add(_ selector: String, policyClass: NSEntityMigrationPolicy.Type, method: @escaping Method) {
    methods.withLock { $0[ObjectIdentifier(policyClass), default: [:]][selector] = method }
  }

  /// Calls a method. For a method that is not registered it throws an error that says how to register it.
  static func call(_ selector: String, of policy: NSEntityMigrationPolicy, _ arguments: [Any?]) throws -> Any? {
    let type = type(of: policy)
    var next: AnyClass? = type
    while let candidate = next {
      if let method = methods.withLock({ $0[ObjectIdentifier(candidate)]?[selector] }) {
        guard selector.filter({ $0 == ":" }).count == arguments.count else {
          throw Failure.unsupportedFeature("\(selector) with \(arguments.count) arguments")
        }
        return try method(policy, arguments)
      }
      next = _getSuperclass(candidate)
    }
    throw Failure.unknownPolicyMethod(selector, policy: "\(type)")
  }
}
