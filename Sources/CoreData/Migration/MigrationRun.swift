import Foundation

/// One migration through objects, with its passes over the entity mappings; see ``NSEntityMigrationPolicy``.
///
/// Objects are read, made and related in batches. Only keys outlive a batch: those of the current mapping's source
/// objects, of the new objects, and of the associations.
///
/// Used on the queues of both contexts.
final class MigrationRun {
  unowned let manager: NSMigrationManager
  let mapping: NSMappingModel
  let source: MigrationStack
  let destination: MigrationStack
  private(set) var current: NSEntityMapping?
  let job: MigrationJob
  let associations: MigrationAssociations
  /// The keys of all objects that the migration has made, by entity.
  var made: [[Int64]]
  /// The new objects themselves, as faults, if the program has policies of its own: some of them look among the
  /// context's registered objects for those of earlier mappings. Without such policies it is empty.
  var kept = ContiguousArray<NSManagedObject>()
  let keepsObjects: Bool

  /// What the mapping does that made the last object.
  var plan: MappingPlan?

  private let steps: [Step]

  struct Step {
    let mapping: NSEntityMapping
    let policy: NSEntityMigrationPolicy
  }

  /// The number of objects that are read and saved together.
  private static let batchSize = 500

  func names(ofMappingsFrom entities: Set<String>) -> [String] {
    steps.compactMap { step in
      guard let entity = step.mapping.sourceEntityName, entities.contains(entity) else { return nil }
      return step.mapping.name
    }
  }

  init(
    _ manager: NSMigrationManager, _ job: MigrationJob, source: MigrationStack, destination: MigrationStack
  ) throws {
    self.manager = manager
    self.job = job
    mapping = job.mapping
    self.source = source
    self.destination = destination
    associations = MigrationAssociations(source, destination)
    made = Array(repeating: [], count: destination.layouts.layouts.count)
    steps = try (job.mapping.entityMappings ?? []).map { mapping in
      Step(mapping: mapping, policy: try MigrationPolicies.make(for: mapping, url: job.source.shownURL))
    }
    keepsObjects = steps.contains { type(of: $0.policy) != NSEntityMigrationPolicy.self }
    for step in steps { try check(step.mapping) }
    destination.context.didSave = { [weak self] in self?.noteSave($0, $1) }
  }

  /// Runs all passes. When it returns, the new objects are saved and valid.
  func run() throws {
    try make()
    try relate()
    try finishPasses()
    try validate()
    try checkReading()
    manager.advance(to: 1)
  }

  /// Checks that the models have the entities that a mapping names.
  private func check(_ mapping: NSEntityMapping) throws {
    func refuse(_ name: String, _ side: String) -> Failure {
      .migrationFailed(
        url: job.source.shownURL,
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
      try call(step, method: "begin(_:with:)") { try step.policy.begin(step.mapping, with: manager) }
      let rows = try sourceRows(step.mapping)
      try batches(of: rows, from: 0, to: 0.5, step: index) { batch in
        for object in try sourceObjects(batch) {
          try call(step, method: "createDestinationInstances(forSource:in:manager:)") {
            try step.policy.createDestinationInstances(forSource: object, in: step.mapping, manager: manager)
          }
        }
      }
      try call(step, method: "endInstanceCreation(forMapping:manager:)") {
        try step.policy.endInstanceCreation(forMapping: step.mapping, manager: manager)
      }
      try savePass()
    }
  }

  private func relate() throws {
    for (index, step) in steps.enumerated() {
      current = step.mapping
      let name = step.mapping.name ?? ""
      try batches(of: associations.destinations(name), from: 0.5, to: 0.9, step: index) { batch in
        let origins = batch.flatMap { associations.sources(name, of: $0) }
        try withExtendedLifetime(sourceObjects(origins)) {
          for object in try destinationObjects(batch) {
            try call(step, method: "createRelationships(forDestination:in:manager:)") {
              try step.policy.createRelationships(forDestination: object, in: step.mapping, manager: manager)
            }
          }
        }
      }
      try call(step, method: "endRelationshipCreation(forMapping:manager:)") {
        try step.policy.endRelationshipCreation(forMapping: step.mapping, manager: manager)
      }
      try savePass()
    }
  }

  private func finishPasses() throws {
    for step in steps {
      current = step.mapping
      try call(step, method: "performCustomValidation(forMapping:manager:)") {
        try step.policy.performCustomValidation(forMapping: step.mapping, manager: manager)
      }
      try call(step, method: "end(_:manager:)") { try step.policy.end(step.mapping, manager: manager) }
      try savePass()
    }
  }

  /// Validates all new objects by the model's rules. After an inferred mapping it doesn't: no code could have supplied
  /// the missing values, and migrations in place don't validate either.
  private func validate() throws {
    if job.delta != nil { return }
    for (entity, keys) in made.enumerated() where !destination.layouts[entity].validated.isEmpty {
      let rows = keys.map { RowReference(entity: entity, key: $0) }
      for start in stride(from: 0, to: rows.count, by: MigrationRun.batchSize) {
        let batch = Array(rows[start..<min(start + MigrationRun.batchSize, rows.count)])
        var errors: [NSError] = []
        for object in try destinationObjects(batch) {
          do { try object.validateForInsert() } catch { errors.append(error as NSError) }
        }
        try checkReading()
        try NSManagedObject.throwAll(errors)
        // Validation may have replaced values, which are saved here.
        try savePass()
        try checkCancellation()
      }
    }
  }

  // Calls.

  private func call(_ step: Step, method: StaticString, body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      try checkCancellation()
      try checkReading()
      throw Failure.policyFailed(
        policy: String(describing: type(of: step.policy)), mapping: step.mapping.name ?? "without a name",
        method: "\(method)", underlying: error as NSError)
    }
    try checkCancellation()
  }

  private func checkCancellation() throws {
    if let error = manager.state.cancellation { throw error }
  }

  /// Runs `body` for one batch of rows after the other, and saves after each.
  private func batches(
    of rows: [RowReference], from start: Double, to end: Double, step: Int, _ body: ([RowReference]) throws -> Void
  ) throws {
    var position = 0
    while position < rows.count {
      let next = min(position + MigrationRun.batchSize, rows.count)
      try body(Array(rows[position..<next]))
      // An `NSAtomicStore` is in memory as a whole anyway.
      if !(destination.store is NSAtomicStore) { try savePass() }
      position = next
      let part = (Double(step) + Double(position) / Double(rows.count)) / Double(steps.count)
      manager.advance(to: start + (end - start) * part)
    }
    manager.advance(to: start + (end - start) * Double(step + 1) / Double(max(steps.count, 1)))
  }
}
