import Foundation

/// What went wrong, as facts. `Failure+Wording.swift` puts them into words, and `nsError` makes the error that a
/// program sees.
///
/// Stores, migrations, mappings, history and evaluators throw a `Failure`; who calls them for a program does so in
/// `publicErrors`. What programs call, and all of the rooms Fetching, ManagedObject, Context and Container, throws
/// `failure.nsError`. Objects and ids are `Any`, because this room doesn't know their classes; they print their own
/// descriptions.
// @unchecked Sendable: the objects in it are only printed, never used.
enum Failure: Error, @unchecked Sendable {
  // Opening stores.
  case storeCannotBeOpened(url: URL, sqliteCode: Int?, message: String)
  case storeDirectoryMissing(url: URL)
  case notADatabase(url: URL)
  /// A SQLite file that SQLite finds damaged.
  case damagedDatabase(url: URL, message: String)
  case storeFileMissing(url: URL)
  case storeAlreadyAdded(url: URL)
  /// Another connection kept it locked until the timeout.
  case storeLocked(url: URL, message: String)
  /// A file already exists where a new store should go.
  case storeExists(url: URL)
  /// `entity` is that of the object to be saved; nil when no object is involved.
  case storeNotAdded(url: URL?, entity: String?)
  case storeWithoutURL(type: String)
  case unknownStoreType(type: String, registered: [String])
  case storeTypeMismatch(url: URL, expected: String, found: String)
  case incompatibleSchema(url: URL, table: String, what: String)
  case incompatibleModel(url: URL?, metadata: [String: Any], difference: Difference)
  case migrationUnavailable(url: URL, metadata: [String: Any], difference: Difference)
  case unknownConfiguration(name: String, configurations: [String])
  /// A client's store class breaks a rule.
  case storeContract(store: String, method: String, what: String)

  // Stores that are read and written as a whole.
  /// The file does not have the store's form at all.
  case foreignStoreFile(url: URL, type: String, what: String)
  /// The file has the form, but something in it is impossible.
  case damagedStore(url: URL, line: Int?, what: String)
  /// The model has something that the form can't hold.
  case unsuitableModel(url: URL, type: String, what: String)
  case unsuitableMetadata(url: URL?, what: String)
  /// A system call that failed.
  case fileCall(url: URL, name: String, isWriting: Bool, errno: Int32)
  case notAFile(url: URL)
  /// The file changed after the store read it.
  case fileChangedElsewhere(url: URL)

  // Models.
  case unreadableModelFile(url: URL, what: String)
  case unusableModel(ModelProblem)
  case modelsDisagree(entity: String)
  case templatesDisagree(name: String)

  // Migration. Models and errors are named by the room that throws.
  /// No mapping can be inferred between two models. `reason` says why, in a sentence without a full stop, as `userInfo`
  /// has it; `remedy` says what to do.
  case notInferable(entity: String?, property: String?, reason: String, remedy: String? = nil)
  /// `faults` names the versions that could not be read, each with the reason.
  case missingSourceModel(url: URL, metadata: [String: Any], faults: [String])
  /// `underlying` says why none could be inferred; nil if inferring was not asked for.
  case missingMapping(url: URL, source: Any, destination: Any, underlying: NSError?)
  /// Objects of the store lack a value that the new version demands, and no inferred mapping can give them one.
  case mandatoryValuesMissing(entity: String, property: String, isAttribute: Bool)
  /// The entity has become abstract, and the store has so many objects of it.
  case abstractEntityHasObjects(entity: String, count: Int)
  /// The store is unchanged. `reason` is a sentence without a full stop.
  case migrationFailed(url: URL, reason: String, underlying: NSError?)
  /// Rows that a new uniqueness constraint does not allow.
  case migrationViolatesConstraint(url: URL, entity: String, attributes: [String], values: [Any?])
  case migrationCancelled
  /// `underlying` is the error that the policy threw.
  case policyFailed(policy: String, mapping: String, method: String, underlying: NSError)
  case migrationSourceStore(url: URL?, underlying: NSError)
  case migrationDestinationStore(url: URL?, underlying: NSError)
  case modelReferenceNotFound(what: String)
  case stagedMigration(reason: String)
  case stagedMigrationBackward(reason: String)
  /// The expression of an entity mapping, or of one of its properties, has no value.
  case mappingExpression(String, mapping: String, property: String?, underlying: NSError)
  /// A mapping's expression calls a method of a policy that has no such name.
  case unknownPolicyMethod(String, policy: String)

  // Validation of one value; several are grouped by `multipleValidationErrors`.
  case missingMandatoryValue(Subject)
  case valueOfWrongClass(Subject, expected: String)
  case readOnlyProperty(entity: String, property: String)
  case valueOutOfLimits(Subject, code: Int, limit: String, rule: NSPredicate? = nil)
  case predicateFailed(Subject, predicate: NSPredicate, warning: Any?)
  case tooFewDestinations(Subject, count: Int, minimum: Int)
  case tooManyDestinations(Subject, count: Int, maximum: Int)
  case deleteDenied(Subject, count: Int)
  case constraintViolated(object: Any, entity: String, attributes: [String], values: [Any?])
  case multipleValidationErrors([NSError])

  // Saving and faulting.
  case mergeConflict(conflicts: [Any])
  /// A merge policy answered again and again, and there were conflicts each time.
  case unsettledConflicts(policy: String)
  case constraintConflict(conflicts: [Any])
  /// A batch request violates a uniqueness constraint; `values` may be empty.
  case batchConstraintConflict(entity: String, constraint: [String], values: [Any?], conflict: Any)
  case faultNotFulfillable(id: Any)
  case objectNotFound(id: Any)
  /// The row of an id's key is not of the id's entity.
  case otherEntity(id: Any, entity: String)
  case externalRelationship(Subject, destination: String)
  case noStoreForEntity(entity: String, NoStore)
  /// The entity is not in the configuration of the store that the object was assigned to.
  case entityOutsideStore(String)
  /// The model of a request has no such entity; `names` are those it has.
  case unknownEntity(String, names: [String])
  case readOnlyStore(url: URL?, entity: String?)
  case incompleteSave(stores: [AnyObject], errors: [NSError])
  /// A value in a file of its own can't be read or written.
  case externalFile(ExternalFileProblem)
  /// The file of an open store was moved or removed. `isReplaced`: another file, or another store, is in its place.
  case storeFileGone(url: URL, isReplaced: Bool)
  case sqlite(code: Int, extendedCode: Int, message: String, sql: String?, url: URL?)
  /// A database server, or the way to it. `state` is SQL's five characters: 08… where there is no connection.
  case server(state: String, message: String, sql: String?, isOpening: Bool)
  /// A library that a store loads when it is opened.
  case missingLibrary(name: String, package: String, what: String)

  // Requests.
  /// `offset` in characters from the start of the format.
  case malformedPredicate(format: String, offset: Int?, what: String)
  case malformedFetchRequest(entity: String?, what: String)
  case malformedBatchRequest(entity: String?, what: String)
  /// `names` are the properties that the entity has where `missing` was looked for.
  case unknownKeyPath(keyPath: String, entity: String, missing: String, names: [String] = [])
  case unsupportedRequest(request: String, store: String)
  case historyTokenExpired
  case historyNotTracked(store: String?, url: URL?)
  case queryGenerationUnavailable(String)
  /// The program cancelled the request.
  case cancelled
  case unsupportedFeature(String)
  case valueNotArchivable(Subject, transformer: String?, what: String)
  /// An archived value in a file can't be read; `what` is a sentence without a full stop.
  case archiveUnreadable(Subject, store: URL?, what: String)

  /// The property that failed, of which object, and with which value.
  struct Subject {
    /// The object, or its id, or nil when no object is at hand.
    var object: Any?
    var entity: String
    var property: String
    var value: Any?

    init(object: Any? = nil, entity: String, property: String, value: Any? = nil) {
      self.object = object
      self.entity = entity
      self.property = property
      self.value = value
    }
  }

  /// Why no store takes an entity's objects.
  enum NoStore: Equatable {
    /// The coordinator has none yet.
    case noneAdded
    /// The coordinator belongs to a container that was never asked to load its stores.
    case notLoaded
    /// The coordinator belongs to a container whose stores failed to load, or are still loading.
    case notLoadedYet
    /// There are stores, with these configurations, and none of them has the entity.
    case outsideConfigurations([String])
  }

  /// Entities by which a store and a model differ.
  struct Difference: Equatable {
    /// In the model, not in the store.
    var added: [String]
    /// In the store, not in the model.
    var removed: [String]
    /// In both, with different hashes.
    var changed: [String]

    /// Compares version hashes by entity name.
    init(stored: [String: Data], model: [String: Data]) {
      added = model.keys.filter { stored[$0] == nil }.sorted()
      removed = stored.keys.filter { model[$0] == nil }.sorted()
      changed = model.keys.filter { stored[$0] != nil && stored[$0] != model[$0] }.sorted()
    }

    var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }
  }
}

/// Why a model cannot be used.
struct ModelProblem: Equatable {
  var entity: String?
  var property: String?
  var kind: Kind

  enum Kind: Equatable {
    case entityWithoutName
    case propertyWithoutName
    case duplicateEntity
    case duplicateProperty(inheritedFrom: String?)
    case inheritanceCycle
    case superentityOutsideModel(superentity: String)
    case superentityOutsideConfiguration(superentity: String, configuration: String)
    case undefinedAttributeType
    case noDestination
    case unknownDestination(name: String)
    case destinationOutsideModel(name: String)
    case unknownInverse(name: String, destination: String)
    case inverseOnWrongEntity(inverse: String, owner: String, destination: String)
    case inverseNotMutual(inverse: String, leadsBackTo: String?)
    case maxCountBelowMinCount(minCount: Int, maxCount: Int)
    case unknownConstraintAttribute(constraint: [String])
    case constraintOnNonAttribute(constraint: [String])
    case defaultValueOfWrongClass(value: String, expected: String)
  }
}
