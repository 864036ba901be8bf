import Foundation

/// Finds policy classes by the names in mapping models.
enum MigrationPolicies {
  /// A new policy for an entity mapping.
  ///
  /// `Module.Class` is looked up unchanged. A name without a module is looked up in the modules whose managed object
  /// classes the program has used, and then in the program's own module.
  static func make(for mapping: NSEntityMapping, url: URL) throws -> NSEntityMigrationPolicy {
    guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty, name != "NSEntityMigrationPolicy" else {
      return NSEntityMigrationPolicy()
    }
    for candidate in EntityClasses.candidates(name) {
      guard let found = EntityClasses.anyClass(named: candidate) else { continue }
      guard let policy = found as? NSEntityMigrationPolicy.Type else {
        throw refusal(mapping, url: url, what: "\(name) is not a subclass of NSEntityMigrationPolicy")
      }
      return policy.makeDynamically()
    }
    throw refusal(mapping, url: url, what: "the program has no class \(name). Name it as \"Module.Class\"")
  }

  private static func refusal(_ mapping: NSEntityMapping, url: URL, what: String) -> Failure {
    .migrationFailed(
      url: url, reason: "the mapping \(mapping.name ?? "without a name") can't use its policy: \(what)",
      underlying: nil)
  }
}
