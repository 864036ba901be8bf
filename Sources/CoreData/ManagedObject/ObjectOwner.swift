/// How a managed object knows the context it belongs to, without naming it.
///
/// The base class serves objects without a context: they have no identity to share, no faults and nobody to
/// tell of changes. `ContextOwner` overrides all of it. An owner outlives its context, so that an object whose
/// context is gone can still be asked for its entity and its id.
class ObjectOwner {
  /// Keeps the descriptions alive that layouts point into without counting.
  let model: NSManagedObjectModel
  let layouts: ModelLayouts

  /// Told of each relationship that has changed because its other end did; nil where nobody follows them. Set before
  /// the first object is made, on the queue of the owner's context.
  @exclusivity(unchecked) final var inverseFollower: ((NSManagedObject, LayoutProperty) -> Void)?

  init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    model = layouts.model
  }

  /// Whether the calling thread may touch objects of this owner.
  var isOnQueue: Bool { true }

  /// Reports a use off the queue: see `ConcurrencyGuard`.
  func reportWrongQueue(_ object: NSManagedObject?, call: String) {}

  /// Reads the committed row of a fault.
  func fulfil(_ object: NSManagedObject) -> FaultRow { .gone }

  /// A fault's row is gone: deletes the object if the context wants it to, else traps.
  func handleInaccessible(_ object: NSManagedObject, property: LayoutProperty?) {}

  /// Called before the first change since the last save, and before the first in an event.
  func noteChange(of object: NSManagedObject) {}

  /// The one object of this reference, made as a fault if it is not there yet.
  func object(for reference: RowReference, store: UInt16) -> NSManagedObject {
    preconditionFailure("An object without a context was asked for another one.")
  }

  /// The committed members of a to-many relationship; nil if they can't be read and read as none.
  func members(of property: LayoutProperty, in object: NSManagedObject) -> ContiguousArray<RowReference>? { [] }

  /// What a fetched property finds; nil without a context to fetch in.
  func fetch(_ property: LayoutProperty, for object: NSManagedObject) -> NSArray? { nil }

  /// Called when a relationship has led to an object that is about to be read.
  func noteTraversal(to object: NSManagedObject) {}

  func storeIdentity(_ store: UInt16) -> StoreIdentity? { nil }

  /// Called by a dying object, on any thread.
  func forget(_ object: NSManagedObject) {}
}

/// The row of a fault, when a property is used.
enum FaultRow {
  case found(RowSnapshot)
  case gone
  /// It can't be read, and the fault is kept.
  case unread
}

/// What an object is made from when its initialiser was not called by the client: set for the thread just
/// before `init(entity:insertInto:)` runs, taken by the base initialiser.
///
/// Plain memory that its maker keeps alive: counting references to it would cost each object more than its memory does.
struct Materialisation {
  unowned(unsafe) let owner: ObjectOwner
  let places: PlaceTable
}
