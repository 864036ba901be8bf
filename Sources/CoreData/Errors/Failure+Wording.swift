internal import DataModelFiles
import Foundation

/// The wording of every failure.
extension Failure {
  /// What happened: one sentence that names the file, the entity, the property, the value.
  var description: String {
    switch self {
    case .storeCannotBeOpened(let url, _, let message):
      return "The store \(url.path) could not be opened: \(message)."
    case .storeDirectoryMissing(let url):
      return "The store \(url.path) could not be created: the folder "
        + "\(url.deletingLastPathComponent().path) does not exist."
    case .notADatabase(let url):
      return "The file \(url.path) is not a SQLite database."
    case .damagedDatabase(let url, let message):
      return "The SQLite file \(url.path) is damaged: \(message). Restore a backup, or save what is left "
        + "with \"sqlite3 FILE .recover\"."
    case .storeFileMissing(let url):
      return "There is no store at \(url.path)."
    case .storeAlreadyAdded(let url):
      return "Can't add the same store twice: \(url.path)."
    case .storeLocked(let url, let message):
      return "The store \(url.path) stayed locked by another connection until the timeout: \(message)."
    case .storeExists(let url):
      return "Can't create a store at \(url.path): a file already exists there."
    case .storeNotAdded(let url, let entity):
      let store = url.map { "The store \($0.path)" } ?? "The store"
      let objects = entity.map { ", so objects of the entity \($0) can't be saved to it" } ?? ""
      return "\(store) is not, or no longer, one of this coordinator's stores\(objects)."
    case .storeWithoutURL(let type):
      return "A store of type \(type) needs a URL."
    case .unknownStoreType(let type, let registered):
      return "No store class is registered for the type \"\(type)\". The registered types are \(list(registered))."
    case .storeTypeMismatch(let url, let expected, let found):
      return "The store \(url.path) is of type \(found), not \(expected)."
    case .incompatibleSchema(let url, let table, let what):
      return "The table \(table) of \(url.path) does not fit the model: \(what)."
    case .incompatibleModel(let url, _, let difference):
      let store = url.map { "the store \($0.path)" } ?? "the store"
      return "The model used to open \(store) is incompatible with the one used to create it: "
        + "\(difference.words)."
    case .notInferable, .mandatoryValuesMissing, .abstractEntityHasObjects, .missingSourceModel, .missingMapping,
      .migrationFailed, .migrationViolatesConstraint,
      .migrationCancelled, .policyFailed, .migrationSourceStore, .migrationDestinationStore,
      .modelReferenceNotFound, .stagedMigration, .stagedMigrationBackward, .mappingExpression,
      .unknownPolicyMethod:
      return migrationDescription
    case .migrationUnavailable(let url, _, let difference):
      return "The store \(url.path) was created with another version of the model (\(difference.words)). "
        + "It can't be migrated: migration needs a file, and a store class with metadataForPersistentStore(with:)."
    case .unknownConfiguration(let name, let configurations):
      return "The model has no configuration \"\(name)\"; it has \(list(configurations))."
    case .foreignStoreFile(let url, let type, let what):
      return "The file \(url.path) is not a store of type \(type): \(what)."
    case .damagedStore(let url, let line, let what):
      return "The store \(url.path) can't be read: \(line.map { "line \($0), " } ?? "")\(what)."
    case .unsuitableModel(let url, let type, let what):
      return "The store \(url.path) can't be of type \(type) with this model: \(what)."
    case .unsuitableMetadata(let url, let what):
      return "The metadata of \(url?.path ?? "the store") can't be written: \(what)."
    case .fileCall(let url, let name, let isWriting, let errno):
      return "The store \(url.path) could not be \(isWriting ? "written" : "read"): \(name) failed, "
        + "\(String(cString: strerror(errno)))."
    case .notAFile(let url):
      return "Can't use \(url.path) as a store: it is not a regular file."
    case .fileChangedElsewhere(let url):
      return "The store \(url.path) was changed or removed from outside since it was read. Saving would "
        + "overwrite that. Remove the store from its coordinator and add it again."
    case .storeContract(let store, let method, let what):
      return "The store class \(store) breaks the rules for \(method): \(what)."

    case .unreadableModelFile(let url, let what):
      return "The model file \(url.path) could not be read: \(what)."
    case .unusableModel(let problem):
      return "The model can't be used: \(problem.description)"
    case .modelsDisagree(let entity):
      return "The models can't be merged: they define the entity \(entity) in different ways."
    case .templatesDisagree(let name):
      return "The models can't be merged: they have different fetch request templates named \(name)."

    case .missingMandatoryValue(let subject):
      return "\(subject.property) is a required value of \(subject.entity)."
    case .valueOfWrongClass(let subject, let expected):
      return "\(subject.property) of \(subject.entity) takes a \(expected), not \(subject.valueWords)."
    case .readOnlyProperty(let entity, let property):
      return "\(property) of \(entity) can't be set: it is a fetched property."
    case .valueOutOfLimits(let subject, let code, let limit, _):
      return "\(subject.property) of \(subject.entity) \(Failure.limitWords(code, limit)): "
        + "\(subject.valueWords)."
    case .predicateFailed(let subject, let predicate, let warning):
      let rule = (warning as? String) ?? "it fails the rule \(predicate)"
      let end = rule.last.map(".!?".contains) == true ? "" : "."
      return "\(subject.property) of \(subject.entity) is not valid: \(rule)\(end) Its value is "
        + "\(subject.valueWords)."
    case .tooFewDestinations(let subject, let count, let minimum):
      return "\(subject.property) of \(subject.entity) has \(objects(count)); it needs at least \(minimum)."
    case .tooManyDestinations(let subject, let count, let maximum):
      return "\(subject.property) of \(subject.entity) has \(objects(count)); it takes at most \(maximum)."
    case .deleteDenied(let subject, let count):
      return "The \(subject.entity) can't be deleted: \(subject.property) still has \(objects(count))."
    case .constraintViolated(_, let entity, let attributes, let values):
      let pairs = zip(attributes, values).map { "\($0) = \(Failure.words(for: $1))" }
      return "Another \(entity) has the same \(pairs.joined(separator: ", "))."
    case .multipleValidationErrors(let errors):
      // A save of thousands of objects may fail thousands of times; all of them are in the error's userInfo.
      let rest = errors.count > 5 ? " And \(errors.count - 5) more." : ""
      return "\(errors.count) validation errors: "
        + errors.prefix(5).map(\.localizedDescription).joined(separator: " ") + rest

    case .mergeConflict(let conflicts):
      return "The save would overwrite changes made in the store since the objects were fetched: "
        + "\(describe(conflicts))."
    case .unsettledConflicts(let policy):
      return "The save gave up: the merge policy \(policy) was asked 100 times, and conflicts remained. Either other "
        + "programs keep writing the same rows, or the policy does not change its objects."
    case .constraintConflict(let conflicts):
      return "The save would violate a uniqueness constraint: \(describe(conflicts))."
    case .batchConstraintConflict(let entity, let constraint, let values, _):
      let names = constraint.joined(separator: ", ")
      let pairs = zip(constraint, values).map { "\($0) = \(Failure.words(for: $1))" }.joined(separator: ", ")
      return "The batch request would violate the uniqueness constraint (\(names)) of \(entity)"
        + (pairs.isEmpty ? "." : ": another row has \(pairs).")
    case .faultNotFulfillable(let id):
      return "The fault for \(id) can't be fulfilled: its row is no longer in the store."
    case .objectNotFound(let id):
      return "There is no object \(id) in the stores of the context."
    case .otherEntity(let id, let entity):
      return "The row of \(id) is one of \(entity): the id, or a reference in the store, names another entity."
    case .externalRelationship(let subject, let destination):
      return "\(subject.property) of \(subject.entity) leads to \(destination), which is in another store."
    case .noStoreForEntity(let entity, let why):
      return noStoreWords(entity, why)
    case .entityOutsideStore(let entity):
      return "The store can't hold \(entity): its configuration does not contain that entity."
    case .unknownEntity(let entity, let names):
      return "The model has no entity \"\(entity)\".\(Spelling.suggestion(for: entity, among: names)) "
        + "It has \(list(names))."
    case .readOnlyStore(let url, let entity):
      let store = url.map { "The store \($0.path)" } ?? "The store"
      let objects = entity.map { " objects of the entity \($0)" } ?? ""
      return "\(store) is read-only; it can't save\(objects)."
    case .incompleteSave(let stores, let errors):
      return "\(stores.count) of the stores could not be saved: "
        + errors.map(\.localizedDescription).joined(separator: " ")
    case .externalFile(let problem): return problem.description
    case .storeFileGone(let url, _) where !url.isFileURL:
      return "Another store is in the place of the open store \(url.absoluteString). Nothing was saved: it has other "
        + "objects. Remove the store from its coordinator and add it again."
    case .storeFileGone(let url, let isReplaced):
      let what = isReplaced ? "another file is in its place" : "there is no file in its place"
      return "The file of the open store \(url.path) was removed or moved away, and \(what). Nothing was saved: no "
        + "program would find it. Put the file back and save again, or remove the store from its coordinator and add it "
        + "again."
    case .sqlite(let code, let extendedCode, let message, let sql, let url):
      let number = extendedCode == code ? "\(code)" : "\(code), extended \(extendedCode)"
      let place = url.map { " in \($0.path)" } ?? ""
      let statement = sql.map { ", at: \($0)" } ?? ""
      return "SQLite error \(number)\(place): \(message)\(statement)"

    case .server(let state, let message, let sql, let isOpening):
      let statement = sql.map { ", at: \($0)" } ?? ""
      let action = isOpening ? "The store could not be opened: the server" : "The server"
      return "\(action) says \(state), \(message)\(statement)"
    case .missingLibrary(let name, let package, let what):
      return
        "The store could not be opened, since \(name) is not installed. On Debian, type: apt-get install \(package) "
        + "(\(what))"

    case .malformedPredicate(let format, let offset, let what):
      guard let offset else { return "Unable to parse the format string \"\(format)\": \(what)." }
      // The caret points at the place in the format; characters are counted from 1.
      let line = String(format.map { $0.isNewline || $0 == "\t" ? " " : $0 })
      return "Unable to parse the format string \"\(format)\" at character \(offset + 1): \(what).\n"
        + "    \(line)\n    " + line.prefix(offset).map { $0.isWide ? "  " : " " }.joined() + "^"
    case .malformedFetchRequest(let entity, let what):
      return "The fetch request\(entity.map { " for \($0)" } ?? "") can't be executed: \(what.ended)"
    case .malformedBatchRequest(let entity, let what):
      return "The batch request\(entity.map { " for \($0)" } ?? "") can't be executed: \(what.ended)"
    case .unknownKeyPath(let keyPath, let entity, let missing, let names):
      return "keypath \(keyPath) not found in entity \(entity): there is no \"\(missing)\"."
        + Spelling.suggestion(for: missing, among: names) + (names.isEmpty ? "" : " It has \(list(names)).")
    case .unsupportedRequest(let request, let store):
      return "A store of type \(store) can't execute \(request)."
    case .queryGenerationUnavailable(let what):
      return "The query generation cannot be read: \(what)."
    case .historyTokenExpired:
      return "The history before the token has been deleted."
    case .historyNotTracked(let store, let url):
      let sentence = "No history tracking option detected on store: "
      guard let store else { return sentence + "the coordinator has none. Add one first." }
      return sentence + "\(url?.path ?? "in memory"). It is of type \(store), and was opened without "
        + "NSPersistentHistoryTrackingKey, or keeps no history."
    case .cancelled:
      return "The fetch was canceled."
    case .unsupportedFeature(let name):
      return "\(name) is not implemented."
    case .valueNotArchivable(let subject, let transformer, let what):
      let by = transformer.map { " by the transformer \($0)" } ?? ""
      return "\(subject.property) of \(subject.entity) could not be transformed\(by): \(what)."
    case .archiveUnreadable(let subject, let store, let what):
      let place = store.map { " in \($0.path)" } ?? ""
      return "\(subject.property) of \(subject.entity)\(place) can't be read: \(what.ended)"
    }
  }

  /// The failure reason, for failures that have one in Apple's framework.
  var reason: String? {
    switch self {
    case .incompatibleModel:
      return "The model used to open the store is incompatible with the one used to create the store"
    case .notInferable(_, _, let reason, _), .migrationFailed(_, let reason, _), .stagedMigration(let reason),
      .stagedMigrationBackward(let reason):
      return reason
    case .mandatoryValuesMissing(_, _, let isAttribute):
      return "Validation error missing attribute values on mandatory destination "
        + (isAttribute ? "attribute" : "relationship")
    case .abstractEntityHasObjects:
      return "The entity has become abstract, and the store has objects of it"
    case .missingMapping:
      return "Can't find or automatically infer mapping model for migration"
    case .missingSourceModel:
      return "Can't find model for source store"
    case .storeDirectoryMissing:
      return "Failed to create file; code = 2"
    case .notADatabase:
      return "file is not a database"
    case .damagedDatabase(_, let message):
      return message
    default:
      return nil
    }
  }

  private static func limitWords(_ code: Int, _ limit: String) -> String {
    switch code {
    case NSValidationNumberTooLargeError: return "is above its maximum \(limit)"
    case NSValidationNumberTooSmallError: return "is below its minimum \(limit)"
    case NSValidationDateTooLateError: return "is after its maximum \(limit)"
    case NSValidationDateTooSoonError: return "is before its minimum \(limit)"
    case NSValidationStringTooLongError: return "is longer than its maximum of \(limit)"
    case NSValidationStringTooShortError: return "is shorter than its minimum of \(limit)"
    case NSValidationStringPatternMatchingError: return "does not match its pattern \(limit)"
    case NSValidationInvalidDateError: return "is not a date"
    case NSValidationInvalidURIError: return "is not a URI"
    default: return "breaks its limit \(limit)"
    }
  }

  /// A value as it appears in a sentence: strings in quotes, long ones cut.
  static func words(for value: Any?) -> String {
    guard let value else { return "nil" }
    guard let string = value as? String else { return "\(value)" }
    return string.count > 60 ? "\"\(string.prefix(60))…\"" : "\"\(string)\""
  }

  private func noStoreWords(_ entity: String, _ why: NoStore) -> String {
    switch why {
    case .noneAdded:
      return "The coordinator has no store yet, so \(entity) can't be fetched or saved. Add one first: "
        + "addPersistentStore(ofType:configurationName:at:options:)."
    case .notLoaded:
      return "The coordinator has no store yet, so \(entity) can't be fetched or saved. Did you call "
        + "loadPersistentStores on the container?"
    case .notLoadedYet:
      return "The coordinator has no store, so \(entity) can't be fetched or saved. The container was asked "
        + "to load its stores: none is open yet, or each failed. Look at the error that loadPersistentStores hands to "
        + "its completion handler."
    case .outsideConfigurations(let configurations):
      return "No store of the coordinator holds \(entity): the stores have the configurations "
        + "\(list(configurations)), and none of these contains it. Add a store with a configuration that does."
    }
  }

  private func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
  }

  private func objects(_ count: Int) -> String { count == 1 ? "1 object" : "\(count) objects" }

  private func describe(_ conflicts: [Any]) -> String {
    let rest = conflicts.count > 5 ? "; and \(conflicts.count - 5) more" : ""
    return conflicts.prefix(5).map { "\($0)" }.joined(separator: "; ") + rest
  }
}

extension Failure.Subject {
  fileprivate var valueWords: String { Failure.words(for: value) }
}

extension Failure.Difference {
  fileprivate var words: String {
    var parts: [String] = []
    if !added.isEmpty { parts.append("the store lacks \(names(added))") }
    if !removed.isEmpty { parts.append("the model lacks \(names(removed))") }
    if !changed.isEmpty { parts.append("\(names(changed)) changed") }
    return parts.isEmpty ? "the hashes are equal" : parts.joined(separator: "; ")
  }

  /// `Author, Book and Tag`
  private func names(_ names: [String]) -> String {
    let first = names.dropLast().joined(separator: ", ")
    return first.isEmpty ? names.joined() : "\(first) and \(names[names.count - 1])"
  }
}

extension ModelProblem {
  /// What is wrong, as a sentence that begins with the entity or `Entity.property`.
  var description: String {
    let place = [entity ?? "(an entity without a name)", property].compactMap { $0 }.joined(separator: ".")
    switch kind {
    case .entityWithoutName: return "an entity has no name."
    case .propertyWithoutName: return "\(place) has a property without a name."
    case .duplicateEntity: return "there are two entities named \(place)."
    case .duplicateProperty(nil): return "\(place) is declared twice."
    case .duplicateProperty(let ancestor?): return "\(place) is already declared by \(ancestor)."
    case .inheritanceCycle: return "\(place) inherits from itself."
    case .superentityOutsideModel(let superentity):
      return "\(place) inherits from \(superentity), which is not in the model."
    case .superentityOutsideConfiguration(let superentity, let configuration):
      return "\(place) is in the configuration \(configuration), but its parent \(superentity) is not."
    case .undefinedAttributeType:
      return "\(place) has no type; only a transient attribute may lack one."
    case .noDestination: return "\(place) has no destination entity."
    case .unknownDestination(let name): return "\(place) leads to \(name), which is not in the model."
    case .destinationOutsideModel(let name):
      return "\(place) leads to an entity \(name) that belongs to another model."
    case .unknownInverse(let name, let destination):
      return "\(place) has the inverse \(name), which \(destination) does not have."
    case .inverseOnWrongEntity(let inverse, let owner, let destination):
      return "\(place) leads to \(destination), but its inverse \(inverse) is declared by \(owner)."
    case .inverseNotMutual(let inverse, nil):
      return "\(place) has the inverse \(inverse), which has no inverse itself."
    case .inverseNotMutual(let inverse, let other?):
      return "\(place) has the inverse \(inverse), whose own inverse is \(other)."
    case .maxCountBelowMinCount(let minCount, let maxCount):
      return "\(place) has a maximum count of \(maxCount), below its minimum of \(minCount)."
    case .unknownConstraintAttribute(let constraint):
      return "\(place) is named by the uniqueness constraint (\(constraint.joined(separator: ", "))), "
        + "but there is no such attribute."
    case .constraintOnNonAttribute(let constraint):
      return "\(place) is named by the uniqueness constraint (\(constraint.joined(separator: ", "))), "
        + "but is not a stored attribute."
    case .defaultValueOfWrongClass(let value, let expected):
      return "\(place) has the default value \(value), which is not of type \(expected)."
    }
  }
}

extension Character {
  /// Whether the character takes two columns in a terminal: emoji, and the scripts of East Asia.
  fileprivate var isWide: Bool {
    guard let scalar = unicodeScalars.first, scalar.value >= 0x1100 else { return false }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return true
    default: return scalar.properties.isEmojiPresentation
    }
  }
}

extension String {
  /// The text with a full stop at its end. Some reasons are whole sentences and have one; others are parts.
  fileprivate var ended: String { hasSuffix(".") ? self : self + "." }
}
