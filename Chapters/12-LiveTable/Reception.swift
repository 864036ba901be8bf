import CoreData

/// The desk that writes: patients come, are looked at, called and sent home. Every method is one save in
/// the background, and returns when the view context has merged it.
///
/// Callable from the main actor; a patient is named by its id, and one that is gone is an
/// error.
public struct Reception {
  public let stack: WaitingRoomStack

  public init(_ stack: WaitingRoomStack) { self.stack = stack }

  //> write
  /// Runs `change` on the writer's queue and saves. If either fails, nothing of it remains.
  @discardableResult
  public func write<Result>(
    _ change: @escaping @Sendable (NSManagedObjectContext) throws -> Result
  ) async throws -> Result {
    let writer = stack.writer
    return try await writer.perform {
      // The next change starts from what the store has.
      defer { writer.reset() }
      let result = try change(writer)
      try writer.save()
      return result
    }
  }
  //< write

  public func admit(_ newcomer: Newcomer, at arrival: Date) async throws {
    try await write { Self.admit(newcomer, at: arrival, in: $0) }
  }

  public func setUrgency(_ urgency: Urgency, of id: NSManagedObjectID) async throws {
    try await write { try Self.patient(id, in: $0).urgency = urgency.rawValue }
  }

  /// `nil` sends the patient back to the chairs.
  public func call(_ id: NSManagedObjectID, into room: String?) async throws {
    try await write { try Self.patient(id, in: $0).room = room }
  }

  public func discharge(_ id: NSManagedObjectID) async throws {
    try await write { $0.delete(try Self.patient(id, in: $0)) }
  }

  /// Leaves the change to be saved by the caller.
  @discardableResult
  public static func admit(
    _ newcomer: Newcomer, at arrival: Date, in context: NSManagedObjectContext
  ) -> Patient {
    let patient = Patient(context: context)
    patient.name = newcomer.name
    patient.complaint = newcomer.complaint
    patient.urgency = newcomer.urgency.rawValue
    patient.arrival = arrival
    return patient
  }

  public static func patient(
    _ id: NSManagedObjectID, in context: NSManagedObjectContext
  ) throws -> Patient {
    // The model has one entity, so an id is a patient's.
    try context.existingObject(with: id) as! Patient
  }

  /// The first of that name; nil if there is none.
  public static func patient(
    named name: String, in context: NSManagedObjectContext
  ) throws -> Patient? {
    let request: NSFetchRequest<Patient> = Patient.fetchRequest()
    request.predicate = NSPredicate(format: "name == %@", name)
    request.sortDescriptors = [NSSortDescriptor(key: "arrival", ascending: true)]
    return try context.fetch(request).first
  }
}

/// What the desk knows about a new patient.
public struct Newcomer: Sendable {
  public let name: String
  public let complaint: String
  public let urgency: Urgency

  public init(_ name: String, _ complaint: String, _ urgency: Urgency) {
    self.name = name
    self.complaint = complaint
    self.urgency = urgency
  }
}
