import Foundation

/// One migration through objects: the passes over the entity mappings; see ``NSEntityMigrationPolicy``.
///
/// Objects are read, made and related in batches. What outlives a batch are keys: of the source objects of the mapping
/// that is at work, of the new objects, and of the associations.
///
/// Used on the queues of both contexts.
final class MigrationRun {
  unowned let manager: NSMigrationManager
  let mapping: NSMappingModel
  let source: MigrationStack
  let destination: MigrationStack
  private(set) var current: NSEntityMapping?

  private let job: MigrationJob
  private let steps: [Step]
  let roots: Associations.Roots

  /// By the mapping's name.
  private var associations: [String: Associations] = [:]
  /// What was noted since the last save: the new objects may have no keys yet.
  private var pending: [PendingAssociation] = []
  private var pendingBySource: [ObjectIdentifier: [Int]] = [:]
  private var pendingByDestination: [ObjectIdentifier: [Int]] = [:]

  /// The keys of all objects that the migration has made, by entity.
  private(set) var made: [[Int64]]

  struct Step {
    let mapping: NSEntityMapping
    let policy: NSEntityMigrationPolicy
  }

  private struct PendingAssociation {
    let mapping: String
    let source: NSManagedObject
    let destination: NSManagedObject
  }

  /// How many objects are read, and saved, together.
  private static let batchSize = 500

  init(
    _ manager: NSMigrationManager, _ job: MigrationJob, source: MigrationStack, destination: MigrationStack
  ) throws {
    self.manager = manager
    self.job = job
    mapping = job.mapping
    self.source = source
    self.destination = destination
    roots = Associations.Roots(source.layouts, destination.layouts)
    made = Array(repeating: [], count: destination.layouts.layouts.count)
    steps = try (job.mapping.entityMappings ?? []).map { mapping in
      Step(mapping: mapping, policy: try MigrationPolicies.make(for: mapping, url: job.source.url))
    }
    for step in steps { try check(step.mapping) }
  }

  /// All passes; what was made is saved, and valid.
  func run() throws {
    try make()
    try relate()
    try finish()
    try validate()
    manager.state.advance(to: 1)
  }

  /// Entities that a mapping names have to be there.
  private func check(_ mapping: NSEntityMapping) throws {
    func refuse(_ name: String, _ side: String) -> Failure {
      .migrationFailed(
        url: job.source.url,
        reason: "the mapping \(mapping.name ?? "without a name") is for the entity \(name), which the \(side) model "
          + "does not have", underlying: nil)
    }
    if let name = mapping.sourceEntityName, source.layouts.layout(named: name) == nil { throw refuse(name, "source") }
    if let name = mapping.destinationEntityName, mapping.mappingType != .removeEntityMappingType,
      destination.layouts.layout(named: name) == nil
    {
      throw refuse(name, "destination")
    }
  }

  // The passes.

  private func make() throws {
    for (index, step) in steps.enumerated() {
      current = step.mapping
      try call(step, "begin(_:with:)") { try step.policy.begin(step.mapping, with: manager) }
      let rows = try sourceRows(step.mapping)
      try batches(of: rows, from: 0, to: 0.5, step: index) { batch in
        for object in try sourceObjects(batch) {
          try call(step, "createDestinationInstances(forSource:in:manager:)") {
            try step.policy.createDestinationInstances(forSource: object, in: step.mapping, manager: manager)
          }
        }
      }
      try call(step, "endInstanceCreation(forMapping:manager:)") {
        try step.policy.endInstanceCreation(forMapping: step.mapping, manager: manager)
      }
      try settle()
    }
  }

  private func relate() throws {
    for (index, step) in steps.enumerated() {
      current = step.mapping
      let name = step.mapping.name ?? ""
      try batches(of: associations[name]?.allDestinations ?? [], from: 0.5, to: 0.9, step: index) { batch in
        let origins = batch.flatMap { associations[name]?.sources(of: $0, roots) ?? [] }
        try withExtendedLifetime(sourceObjects(origins)) {
          for object in try destinationObjects(batch) {
            try call(step, "createRelationships(forDestination:in:manager:)") {
              try step.policy.createRelationships(forDestination: object, in: step.mapping, manager: manager)
            }
          }
        }
      }
      try call(step, "endRelationshipCreation(forMapping:manager:)") {
        try step.policy.endRelationshipCreation(forMapping: step.mapping, manager: manager)
      }
      try settle()
    }
  }

  private func finish() throws {
    for step in steps {
      current = step.mapping
      try call(step, "performCustomValidation(forMapping:manager:)") {
        try step.policy.performCustomValidation(forMapping: step.mapping, manager: manager)
      }
      try call(step, "end(_:manager:)") { try step.policy.end(step.mapping, manager: manager) }
      try settle()
    }
  }

  /// The model's own rules, for everything that is new.
  private func validate() throws {
    for (entity, keys) in made.enumerated() where !destination.layouts.layouts[entity].validated.isEmpty {
      let rows = keys.map { RowReference(entity: entity, key: $0) }
      for start in stride(from: 0, to: rows.count, by: MigrationRun.batchSize) {
        let batch = Array(rows[start..<min(start + MigrationRun.batchSize, rows.count)])
        var errors: [NSError] = []
        for object in try destinationObjects(batch) {
          do { try object.validateForInsert() } catch { errors.append(error as NSError) }
        }
        try NSManagedObject.throwAll(errors)
        // What a value's validation has put in its place.
        try settle()
        try checkCancellation()
      }
    }
  }

  // Calls.

  private func call(_ step: Step, _ method: StaticString, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      try checkCancellation()
      throw Failure.policyFailed(
        policy: String(describing: type(of: step.policy)), mapping: step.mapping.name ?? "without a name",
        method: "\(method)", underlying: error as NSError)
    }
    try checkCancellation()
  }

  private func checkCancellation() throws {
    if let error = manager.state.cancellation { throw error }
  }

  /// Runs `body` for so many rows at a time; saves after each.
  private func batches(
    of rows: [RowReference], from start: Double, to end: Double, step: Int, _ body: ([RowReference]) throws -> Void
  ) throws {
    var position = 0
    while position < rows.count {
      let next = min(position + MigrationRun.batchSize, rows.count)
      try body(Array(rows[position..<next]))
      try settle()
      position = next
      let part = (Double(step) + Double(position) / Double(rows.count)) / Double(steps.count)
      manager.state.advance(to: start + (end - start) * part)
    }
    manager.state.advance(to: start + (end - start) * Double(step + 1) / Double(max(steps.count, 1)))
  }

  // Objects.

  private func sourceRows(_ mapping: NSEntityMapping) throws -> [RowReference] {
    guard mapping.sourceEntityName != nil else { return [] }
    switch mapping.mappingType {
    case .addEntityMappingType, .removeEntityMappingType: return []
    default: break
    }
    return try reading {
      let request = try MigrationExpressions.sourceRequest(of: mapping, manager: manager)
      var description = try source.context.answeringFetches(
        FetchDescription(request, source.layouts), pendingChanges: false)
      description.output = .references
      let answers = try source.coordinator.answers(to: description, for: source.context, stores: nil, nil)
      return answers.flatMap { answer -> [RowReference] in
        switch answer.outcome {
        case .references(let rows): rows
        case .rows(let rows): rows.map(\.reference)
        case .count, .dictionaries: []
        }
      }
    }
  }

  private func sourceObjects(_ rows: [RowReference]) throws -> [NSManagedObject] {
    let objects = faults(rows, source)
    try reading { try source.context.readRows(of: objects) }
    return objects
  }

  /// Without those that a policy has deleted since.
  private func destinationObjects(_ rows: [RowReference]) throws -> [NSManagedObject] {
    let objects = faults(rows, destination)
    try writing { try destination.context.readRows(of: objects) }
    return objects.filter { $0.row != nil && !$0.isDeleted }
  }

  private func faults(_ rows: [RowReference], _ stack: MigrationStack) -> [NSManagedObject] {
    let owner = stack.context.owner!
    let number = owner.number(of: stack.store.identity)
    return rows.map { owner.object(for: $0, store: number) }
  }

  private func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      throw Failure.migrationSourceStore(url: job.source.url, underlying: error.publicError)
    }
  }

  private func writing<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
      throw Failure.migrationDestinationStore(url: job.destination.url, underlying: error.publicError)
    }
  }

  // Saving.

  /// Saves what is new or changed, and lets go of what was read. Objects that somebody holds become faults.
  private func settle() throws {
    let context = destination.context
    context.processPendingChanges()
    let new = Array(context.insertedObjects)
    let deleted = context.deletedObjects.map(\.reference)
    if context.hasChanges {
      do { try context.save() } catch { throw saveFailure(error as NSError) }
    }
    for object in new where object.key > 0 { made[object.layout.index].append(object.key) }
    takePending()
    if !deleted.isEmpty { forget(Set(deleted)) }
    for context in [context, source.context] { context.forgetReadRows() }
  }

  private func saveFailure(_ error: NSError) -> Failure {
    if error.code == NSManagedObjectConstraintMergeError,
      let conflict = (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any])?.first
        as? NSConstraintConflict,
      let object = conflict.conflictingObjects.first
    {
      return .migrationViolatesConstraint(
        url: job.destination.url, entity: object.layout.name, attributes: conflict.constraint,
        values: conflict.constraint.map { conflict.constraintValues[$0] })
    }
    return .migrationDestinationStore(url: job.destination.url, underlying: error)
  }

  private func forget(_ gone: Set<RowReference>) {
    for name in associations.keys { associations[name]?.remove(destinations: gone, roots) }
    for (entity, keys) in Dictionary(grouping: gone, by: { Int($0.entity) }) {
      let keys = Set(keys.map(\.key))
      made[entity].removeAll { keys.contains($0) }
    }
  }

  // Associations.

  func associate(_ source: NSManagedObject, _ destination: NSManagedObject, _ mapping: NSEntityMapping) {
    pendingBySource[ObjectIdentifier(source), default: []].append(pending.count)
    pendingByDestination[ObjectIdentifier(destination), default: []].append(pending.count)
    pending.append(PendingAssociation(mapping: mapping.name ?? "", source: source, destination: destination))
  }

  func forgetAssociations() {
    associations = [:]
    dropPending()
  }

  private func dropPending() {
    pending.removeAll(keepingCapacity: true)
    pendingBySource.removeAll(keepingCapacity: true)
    pendingByDestination.removeAll(keepingCapacity: true)
  }

  private func takePending() {
    for new in pending where new.source.key > 0 && new.destination.key > 0 {
      associations[new.mapping, default: Associations()]
        .append(source: new.source.reference, destination: new.destination.reference, roots)
    }
    dropPending()
  }

  func names(ofMappingsFrom entities: Set<String>) -> [String] {
    steps.compactMap { step in
      guard let entity = step.mapping.sourceEntityName, entities.contains(entity) else { return nil }
      return step.mapping.name
    }
  }

  func destinations(_ mapping: String, of objects: [NSManagedObject]?) -> [NSManagedObject] {
    destinations([mapping], of: objects)
  }

  func destinations(_ mappings: [String], of objects: [NSManagedObject]?) -> [NSManagedObject] {
    guard let objects else {
      return mappings.flatMap { name in
        faults(associations[name]?.allDestinations ?? [], destination)
          + pending.filter { $0.mapping == name }.map(\.destination)
      }.distinct
    }
    return objects.flatMap { object in
      mappings.flatMap { name in
        faults(associations[name]?.destinations(of: object.reference, roots) ?? [], destination)
          + (pendingBySource[ObjectIdentifier(object)] ?? []).map { pending[$0] }.filter { $0.mapping == name }
          .map(\.destination)
      }
    }.distinct
  }

  func sources(_ mapping: String, of objects: [NSManagedObject]?) -> [NSManagedObject] {
    guard let objects else {
      return
        (faults(associations[mapping]?.allSources ?? [], source)
        + pending.filter { $0.mapping == mapping }.map(\.source)).distinct
    }
    return objects.flatMap { object in
      faults(associations[mapping]?.sources(of: object.reference, roots) ?? [], source)
        + (pendingByDestination[ObjectIdentifier(object)] ?? []).map { pending[$0] }.filter { $0.mapping == mapping }
        .map(\.source)
    }.distinct
  }
}

extension [NSManagedObject] {
  /// Each object once.
  fileprivate var distinct: [NSManagedObject] {
    if count < 2 { return self }
    var seen: Set<ObjectIdentifier> = []
    return filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}

extension Error {
  /// The error that a program sees.
  var publicError: NSError { (self as? Failure)?.nsError ?? self as NSError }
}

extension NSManagedObjectContext {
  /// Makes faults of all objects without changes, and forgets what else was kept of the stores' rows.
  func forgetReadRows() {
    for object in owner?.allObjects ?? [] where object.state.isDisjoint(with: .pending) { object.turnIntoFault() }
    recentDestinations = []
    recentPosition = 0
    batches = []
    formerKeys = [:]
  }
}
