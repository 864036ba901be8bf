/// The link from a managed object to its context, in a room that does not know contexts.
///
/// The base class is for objects without a context, which have no identity map, no faults, and no context that has to
/// know of changes. `ContextOwner` overrides all of it. An owner outlives its context, so that an object still knows
/// its entity and its id when its context is gone.
class ObjectOwner {
  /// Keeps the descriptions alive, which layouts refer to without counting references.
  let model: NSManagedObjectModel
  let layouts: ModelLayouts

  // Unchecked, as the count of `insert` asks for; see CONTRIBUTING.md.
  /// Told of each relationship that has changed because its other end did; nil where nothing follows them. Set before
  /// the first object is made, on the queue of the owner's context.
  @exclusivity(unchecked) final var inverseFollower: ((NSManagedObject, LayoutProperty) -> Void)?

  // Unchecked, as the count of `insert` asks for; see CONTRIBUTING.md.
  /// Where to-one relationships led when a hand-written accessor announced their change. Forgotten at the end of an
  /// event. Belongs to the context's queue.
  @exclusivity(unchecked) final var announcedDestinations: [AnnouncedDestination] = []

  /// The classes' own accessors that are being asked for a value, the innermost last. Belongs to the context's queue.
  final var runningAccessors: [(object: ObjectIdentifier, index: Int)] = []

  /// Whether there is a context, in which references lead to objects. Without one, relationships are empty.
  final let hasContext: Bool

  /// Whether an object that was saved is a fault for good once it has no context, as after its deletion was saved.
  var keepsFaults: Bool { true }

  /// Of objects whose rows were deleted elsewhere, the owner that they had. No program can know of that in time, so it
  /// may still delete them in that context or relate them to others.
  final let former: ObjectOwner?

  init(_ layouts: ModelLayouts, hasContext: Bool = false, former: ObjectOwner? = nil) {
    self.layouts = layouts
    self.former = former
    self.hasContext = hasContext
    model = layouts.model
  }

  /// Whether the object's deletion was saved.
  var isOfDeleted: Bool { false }

  /// Takes the values of an object whose deletion was saved, once the save was told of.
  func takeValues(of object: NSManagedObject) {}

  /// Gives them back to the object, which comes into a context again.
  func giveValuesBack(to object: NSManagedObject) {}

  /// Whether the calling thread may touch objects of this owner.
  var isOnQueue: Bool { true }

  /// Reports a use off the queue: see `ConcurrencyGuard`.
  func reportWrongQueue(_ object: NSManagedObject?, call: String) {}

  /// Whether objects that can't be read can be changed, because such changes are never saved.
  var letsUnreadChange: Bool { false }

  /// Reads the committed row of a fault.
  func fulfil(_ object: NSManagedObject) -> FaultRow { .gone }

  /// A fault's row is gone: deletes the object if the context wants it to, else traps.
  func handleInaccessible(_ object: NSManagedObject, property: LayoutProperty?) {}

  /// Called before the first change since the last save, and before the first in an event.
  func noteChange(of object: NSManagedObject) {}

  /// The object for this reference, made as a fault if it is not registered yet. Call it only if there is a context.
  func object(for reference: RowReference, store: UInt16) -> NSManagedObject {
    preconditionFailure("An object without a context was asked for another one.")
  }

  /// The committed members of a to-many relationship; nil if they can't be read and the handler lets them read as none.
  func members(of property: LayoutProperty, in object: NSManagedObject) -> ContiguousArray<RowReference>? { [] }

  /// The committed members if they are few and can be read; nil otherwise.
  func fewMembers(
    of property: LayoutProperty, in object: NSManagedObject, atMost limit: Int
  ) -> ContiguousArray<RowReference>? { nil }

  /// The committed members, where the store's error can be thrown: no handler is asked.
  func storedMembers(
    of property: LayoutProperty, in object: NSManagedObject
  ) throws -> ContiguousArray<RowReference> { [] }

  /// The results of a fetched property; nil without a context.
  func fetch(_ property: LayoutProperty, for object: NSManagedObject) -> NSArray? { nil }

  /// Called when a relationship has led to an object that is about to be read.
  func noteTraversal(to object: NSManagedObject) {}

  func storeIdentity(_ store: UInt16) -> StoreIdentity? { nil }

  /// Called by an object's deinit, on any thread.
  func removeDying(_ object: NSManagedObject) {}
}

/// A to-one relationship between `willChangeValue(forKey:)` and `didChangeValue(forKey:)`.
struct AnnouncedDestination {
  let object: NSManagedObject
  let slot: Int
  /// Where it led then, or since a setter was called.
  var former: NSManagedObject?
}

/// The outcome of reading a fault's row when a property is used.
enum FaultRow {
  case found(RowSnapshot)
  case gone
  /// The row can't be read, and the object stays a fault.
  case unread
}

/// What the stack makes an object from. Set for the thread just before it calls `init(entity:insertInto:)`, and taken
/// by the base initializer. It is hidden like this because a client's initializer has Apple's signature.
///
/// Plain memory that its owner keeps alive, since counting references to it would cost each object more than its memory
/// does.
struct Materialisation {
  unowned(unsafe) let owner: ObjectOwner
  let places: PlaceTable
}
