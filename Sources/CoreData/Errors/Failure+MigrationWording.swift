import Foundation

/// The wording of failed migrations.
extension Failure {
  var migrationDescription: String {
    switch self {
    case .notInferable(let entity, let property, let reason, let remedy):
      let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
      return "A mapping model can't be inferred\(subject.isEmpty ? "" : " for \(subject)"): \(reason)."
        + "\(remedy.map { " \($0)." } ?? "")"
    case .mandatoryValuesMissing(let entity, let property, let isAttribute):
      return "Objects of \(entity) have no value for \(property), which the new version of the model demands. "
        + (isAttribute
          ? "Give the attribute a default value, make it optional, or set the values in a mapping model or a custom "
            + "migration stage."
          : "Make the relationship optional, or set its object in a mapping model or a custom migration stage.")
    case .abstractEntityHasObjects(let entity, let count):
      return "The entity \(entity) has become abstract, but the store still has "
        + "\(count == 1 ? "an object" : "\(count) objects") of it."
    case .missingSourceModel(let url, _, let faults):
      let words =
        "Can't find the model that the store \(url.path) was made with: no bundle has it, the program has not "
        + "loaded it, and the store does not keep it."
      if faults.isEmpty { return words }
      return words + " It may be a version that can't be read: " + faults.joined(separator: "; ")
    case .missingMapping(let url, _, _, let underlying):
      guard let underlying else {
        return "The store \(url.path) was made with another version of the model. No bundle has a mapping model for "
          + "the two versions, and inferring one is not allowed. Set "
          + "NSInferMappingModelAutomaticallyOption to true, or add a mapping model."
      }
      return "The store \(url.path) was made with another version of the model. No bundle has a mapping model for the "
        + "two versions. \(underlying.localizedDescription)"
    case .migrationFailed(let url, let reason, let underlying):
      let cause = underlying.map { " (\($0.localizedDescription))" } ?? ""
      return "The store \(url.path) could not be migrated and is unchanged: \(reason)\(cause)."
    case .migrationViolatesConstraint(let url, let entity, let attributes, let values):
      let pairs = zip(attributes, values).map { "\($0) \(Failure.words(for: $1))" }.joined(separator: ", ")
      return "The store \(url.path) could not be migrated and is unchanged: several objects of \(entity) have "
        + "\(pairs.isEmpty ? "the same \(attributes.joined(separator: ", "))" : pairs), which the new version of the "
        + "model requires to be unique."
    case .migrationCancelled:
      return "The migration was canceled."
    case .policyFailed(let policy, let mapping, let method, let underlying):
      return "The migration policy \(policy) failed in \(method) for the mapping \(mapping): "
        + underlying.localizedDescription
    case .migrationSourceStore(_, let underlying):
      return "The migration can't read its source store: \(underlying.localizedDescription)"
    case .migrationDestinationStore(_, let underlying):
      return "The migration can't write its destination store: \(underlying.localizedDescription)"
    case .modelReferenceNotFound(let what):
      return "The model of a migration stage can't be found: \(what)."
    case .stagedMigrationUnknownVersion(let url, let checksum):
      return "Cannot use staged migration with an unknown model version. The store \(url.path) is of the version "
        + "\(checksum), which is in none of the stages."
    case .stagedMigration(let reason), .stagedMigrationBackward(let reason):
      return "The staged migration can't be done: \(reason)."
    case .mappingExpression(let expression, let mapping, let property, let underlying):
      let owner = property.map { "the property \($0) in the mapping \(mapping)" } ?? "the mapping \(mapping)"
      return "The expression \(expression) of \(owner) has no value: \(underlying.localizedDescription)"
    case .unknownPolicyMethod(let selector, let policy):
      return "The policy \(policy) has no registered method \"\(selector)\". Register it: "
        + "NSEntityMigrationPolicy.register(\"\(selector)\", on: \(policy).self) { policy, arguments in … }."
    default:
      preconditionFailure("\(self.code) is not a migration failure.")
    }
  }
}
