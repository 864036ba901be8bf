internal import CSwiftRuntime

/// The link from objects to their context, while it lives, and the context's identity map.
///
/// Objects, and through them ids and rows, outlive their context; they hold this instead of it.
///
/// Invariant 1: in one context there is at most one object for each row. The map does not keep objects alive. An object
/// removes itself when it is freed, on any thread.
final class ContextOwner: ObjectOwner, @unchecked Sendable {
  // `@unchecked Sendable`: the tables are only touched under `lock`; `stores` grows under it too, and the rest
  // belongs to the context's queue.

  private let contextReference: LivingReference<NSManagedObjectContext>
  let isMainQueue: Bool
  /// Whether the context has no queue: it is used on the thread that made it, which is not checked.
  let isConfined: Bool

  /// Recursive, since making an object runs a client's initializer.
  private let lock = RecursiveLock()
  // Unchecked or inlined by force, here and below, as the count of `insert` asks for; see CONTRIBUTING.md.
  /// For each store as many tables as there are entities, in the order of the entities. Entities of one hierarchy have
  /// the same table.
  @exclusivity(unchecked) private var tables: [Table] = []
  private let entityCount: Int
  /// Objects that no store has seen, by their negative keys.
  private let unsaved = Table()
  @exclusivity(unchecked) private(set) var stores: [StoreIdentity] = []
  /// The places in `stores` of those that were no store of the coordinator when they were first asked for.
  @exclusivity(unchecked) private var foreign: Set<Int> = []
  /// Whether one of the stores is of a client's class, and may be far away. Under `lock` too.
  @exclusivity(unchecked) private(set) var hasCustomStores = false
  /// The entity that `Book(context:)` found for each class. Asked for every new object. Belongs to the context's queue.
  var entityOfClass: [ObjectIdentifier: NSEntityDescription] = [:]
  /// The last class asked for: programs often make many objects of one class in a row. Belongs to the context's queue.
  var lastEntity: (objectClass: NSManagedObject.Type, entity: NSEntityDescription)?

  /// Whether a fault was made for a temporary id that the program has passed. Belongs to the context's queue.
  @exclusivity(unchecked) var hasMadeForTemporaryID = false

  private final class Table {
    @exclusivity(unchecked) var keys = KeyTable<NSManagedObject>()
    /// The store that is told which of its objects are registered here; nil for nearly all stores.
    let listener: StoreIdentity?
    /// Whether the store, or a context that keeps all its objects, has to know which objects come and go.
    @exclusivity(unchecked) var isWatched: Bool

    init(listener: StoreIdentity? = nil, isWatched: Bool = false) {
      self.listener = listener
      self.isWatched = isWatched || listener != nil
    }
  }

  /// What to tell such stores once the lock is free.
  @exclusivity(unchecked) private var news = RegistrationNews()

  /// All objects, if the context keeps them alive; see `holdAll(_:)`.
  @exclusivity(unchecked) private var held: [ObjectIdentifier: NSManagedObject] = [:]
  @exclusivity(unchecked) private var holdsAll = false

  init(_ context: NSManagedObjectContext, _ layouts: ModelLayouts, isMainQueue: Bool, isConfined: Bool) {
    _ = ConcurrencyGuard.setUp
    contextReference = LivingReference(context)
    self.isMainQueue = isMainQueue
    self.isConfined = isConfined
    entityCount = layouts.layouts.count
    super.init(layouts, hasContext: true)
  }

  deinit { lock.free() }

  var context: NSManagedObjectContext? { contextReference.object }

  override var isOnQueue: Bool {
    QueueOwnership.isOwned(self) || isMainQueue && QueueOwnership.isMainQueue || isConfined
  }

  override func reportWrongQueue(_ object: NSManagedObject?, call: String) {
    context?.reportWrongQueue(object, call: call)
  }

  override var letsUnreadChange: Bool { context?.letsUnreadChange == true }

  override func fulfil(_ object: NSManagedObject) -> FaultRow {
    guard let context else { return .gone }
    let row = context.read(for: object) {
      try context.source.row(of: object, for: context).map(FaultRow.found) ?? .gone
    }
    return row ?? .unread
  }

  override func handleInaccessible(_ object: NSManagedObject, property: LayoutProperty?) {
    guard let context else { return warn(.contextGone(object)) }
    context.handleInaccessible(object, property: property)
  }

  override func noteChange(of object: NSManagedObject) { context?.noteChange(of: object) }

  override func members(of property: LayoutProperty, in object: NSManagedObject) -> ContiguousArray<RowReference>? {
    guard let context else { return [] }
    return context.read(for: object, property) { try context.source.members(of: property, in: object, for: context) }
  }

  override func fewMembers(
    of property: LayoutProperty, in object: NSManagedObject, atMost limit: Int
  ) -> ContiguousArray<RowReference>? {
    guard let context else { return nil }
    return try? context.source.members(of: property, in: object, atMost: limit, for: context)
  }

  override func storedMembers(
    of property: LayoutProperty, in object: NSManagedObject
  ) throws -> ContiguousArray<RowReference> {
    guard let context else { return [] }
    return try context.source.members(of: property, in: object, for: context)
  }

  override func fetch(_ property: LayoutProperty, for object: NSManagedObject) -> NSArray? {
    context?.fetch(property, for: object)
  }

  override func noteTraversal(to object: NSManagedObject) { context?.noteTraversal(to: object) }

  override func storeIdentity(_ store: UInt16) -> StoreIdentity? {
    Int(store) < stores.count ? stores[Int(store)] : nil
  }

  // Stores.

  /// The number by which objects of this context refer to a store.
  func number(of store: StoreIdentity) -> UInt16 {
    lock.lock()
    defer { lock.unlock() }
    let known = stores.firstIndex { $0 === store }
    if let known, !foreign.contains(known) { return UInt16(known) }
    // An id that another coordinator gave out, for a store that this one has open too, perhaps since a moment ago.
    let own = context?.persistentStoreCoordinator?.persistentStores.map(\.identity) ?? []
    if !own.contains(where: { $0 === store }), let same = own.first(where: { $0.uuid == store.uuid }) {
      return number(of: same)
    }
    if let known { return UInt16(known) }
    if !own.contains(where: { $0 === store }) { foreign.insert(stores.count) }
    stores.append(store)
    hasCustomStores = hasCustomStores || store.asksContexts
    let first = tables.count
    for layout in layouts.layouts {
      tables.append(
        layout.isRoot
          ? Table(listener: store.asksContexts ? store : nil, isWatched: holdsAll) : tables[first + layout.rootIndex])
    }
    return UInt16(stores.count - 1)
  }

  private func table(_ entity: Int, store: UInt16, key: Int64) -> Table {
    key < 0 ? unsaved : table(entity, store: store)
  }

  private func table(_ entity: Int, store: UInt16) -> Table { tables[Int(store) &* entityCount &+ entity] }

  private func table(of object: NSManagedObject) -> Table {
    table(object.places.entity, store: object.store, key: object.key)
  }

  /// Each table once.
  private var allTables: [Table] {
    tables.enumerated().filter { layouts[$0.offset % entityCount].isRoot }.map(\.element) + [unsaved]
  }

  // The identity map.

  private func living(_ table: Table, _ key: Int64) -> NSManagedObject? {
    guard let object = table.keys[key], swift_tryRetain(object.toOpaque()) != nil else { return nil }
    return object.takeRetainedValue()
  }

  /// The living object with a key, if it is of the entity. A damaged file, or an id that was made from a URI, may name
  /// one key under two entities of a hierarchy. Each of the two gets an object of its own, because code that knows the
  /// entity takes the object's class for granted; the object that the row contradicts can't be read. Custom stores may
  /// name an ancestor of the entity.
  @inline(__always)
  private func living(_ table: Table, key: Int64, entity: Int, store: UInt16) -> NSManagedObject? {
    guard let object = living(table, key) else { return nil }
    return object.places.entity == entity || storeIdentity(store)?.asksContexts == true ? object : nil
  }

  func registered(_ reference: RowReference, store: UInt16) -> NSManagedObject? {
    lock.lock()
    defer { lock.unlock() }
    return living(table(Int(reference.entity), store: store, key: reference.key), reference.key)
  }

  override func object(for reference: RowReference, store: UInt16) -> NSManagedObject {
    lock.lock()
    defer { unlockAndTell() }
    let table = table(Int(reference.entity), store: store, key: reference.key)
    let entity = Int(reference.entity)
    if let object = living(table, key: reference.key, entity: entity, store: store) {
      return object
    }
    if reference.key < 0, let former = context?.formerKeys[reference.key] {
      return self.object(for: former.reference, store: number(of: former.store))
    }
    let maker = ObjectMaker(layouts[entity], self)
    return make(maker, key: reference.key, store: store, table: table)
  }

  /// The objects of the rows that a fetch found, in order. Faults take the row; others keep their values unless the
  /// fetch refreshes them.
  func objects(for rows: [RowSnapshot], store: UInt16, refreshing: Bool) -> [NSManagedObject] {
    var outdated: [(object: NSManagedObject, row: RowSnapshot)] = []
    let objects = objects(for: rows, store: store) { if refreshing { outdated.append(($0, $1)) } }
    // Without the lock, since observers are told.
    for (object, row) in outdated { object.takeRefreshed(row) }
    return objects
  }

  /// - Parameter isOutdated: called with each object that has other values, and its row.
  private func objects(
    for rows: [RowSnapshot], store: UInt16, isOutdated: (NSManagedObject, RowSnapshot) -> Void
  ) -> [NSManagedObject] {
    lock.lock()
    defer { unlockAndTell() }
    guard let first = rows.first else { return [] }
    let table = table(first.entity, store: store)
    table.keys.reserve(rows.count)
    // Each row gives one object, so the array is filled in place, without a check for room at each append.
    return Array(unsafeUninitializedCapacity: rows.count) { objects, count in
      func add(_ object: NSManagedObject) {
        objects.initializeElement(at: count, to: object)
        count += 1
      }
      while count < rows.count {
        let maker = ObjectMaker(layouts[rows[count].entity], self)
        let entity = maker.layout.index
        _ = rows.forEachHeld(from: count, while: { $0.entity == entity }) { row in
          guard let object = living(table, row.key), object.places.entity == entity else {
            return add(make(maker, key: row.key, store: store, table: table, row: row))
          }
          if object.state.contains(.fault) {
            object.row = row
          } else if object.row !== row {
            isOutdated(object, row)
          }
          add(object)
        }
      }
    }
  }

  /// The object for a row that the parent has found.
  func object(for found: ParentObject, refreshing: Bool) -> NSManagedObject {
    let object = object(for: found.reference, store: number(of: found.store))
    guard let row = found.row, row.entity == object.places.entity else { return object }
    if object.state.contains(.fault) {
      object.row = row
    } else if refreshing, object.row !== row {
      object.takeRefreshed(row)
    }
    return object
  }

  func faults(for references: RowReferences, store: UInt16) -> [NSManagedObject] {
    lock.lock()
    defer { unlockAndTell() }
    guard let first = references.first else { return [] }
    let table = table(Int(first.entity), store: store)
    table.keys.reserve(references.count)
    return Array(unsafeUninitializedCapacity: references.count) { objects, count in
      references.forEachRun { entity, keys in
        let maker = ObjectMaker(layouts[entity], self)
        for key in keys {
          let known = living(table, key: key, entity: entity, store: store)
          objects.initializeElement(at: count, to: known ?? make(maker, key: key, store: store, table: table))
          count += 1
        }
      }
    }
  }

  /// Makes objects of one entity. What they share is looked up once.
  private struct ObjectMaker {
    let layout: EntityLayout
    let entity: NSEntityDescription
    let objectClass: NSManagedObject.Type
    let materialisation: Materialisation

    init(_ layout: EntityLayout, _ owner: ContextOwner) {
      self.layout = layout
      entity = layout.entity
      objectClass = layout.objectClass
      materialisation = Materialisation(owner: owner, places: layout.places)
    }
  }

  /// Makes a fault, through the initializer of the client's class.
  private func make(
    _ maker: ObjectMaker, key: Int64, store: UInt16, table: Table, row: RowSnapshot? = nil
  ) -> NSManagedObject {
    let object = withUnsafePointer(to: maker.materialisation) { source in
      core_data_set_materialisation(UnsafeMutableRawPointer(mutating: source))
      return maker.objectClass.makeDynamically(of: maker.entity, in: nil)
    }
    object.key = key
    object.store = store
    object.began(asFault: true)
    if let row { object.row = row }
    enter(object, in: table)
    return object
  }

  /// Puts an object into a table, at its key.
  @inline(__always)
  private func enter(_ object: NSManagedObject, in table: Table) {
    table.keys.insert(.passUnretained(object))
    if table.isWatched { noteRegistration(object, table: table, isThere: true) }
  }

  /// Takes an object out of a table, where it is at its key.
  @inline(__always)
  private func remove(_ object: NSManagedObject, from table: Table) {
    table.keys.remove(.passUnretained(object))
    if table.isWatched { noteRegistration(object, table: table, isThere: false) }
  }

  func register(_ object: NSManagedObject) {
    lock.lock()
    defer { unlockAndTell() }
    object.enteredMap()
    enter(object, in: table(of: object))
  }

  func unregister(_ object: NSManagedObject) {
    removeDying(object)
    object.leftMap()
  }

  /// Gives a new object its permanent key.
  func rekey(_ object: NSManagedObject, to key: Int64) {
    lock.lock()
    defer { unlockAndTell() }
    remove(object, from: table(of: object))
    object.key = key
    object.cachedID = nil
    enter(object, in: table(of: object))
  }

  /// Gives new objects the keys that were reserved for them, all at once. Returns the objects that it has left out,
  /// because their temporary ids were given out.
  func takeReservedKeys(_ objects: ContiguousArray<NSManagedObject>) -> ContiguousArray<NSManagedObject> {
    lock.lock()
    defer { unlockAndTell() }
    var known = ContiguousArray<NSManagedObject>()
    var (store, entity) = (NSManagedObject.noStore, -1)
    var table = Unmanaged.passUnretained(unsaved)
    objects.forEachHeld { object in
      guard object.key < 0, let changes = object.changes, changes.reservedKey > 0 else { return }
      if object.attached != nil, object.cachedID != nil { return known.append(object) }
      if object.store != store || object.places.entity != entity {
        (store, entity) = (object.store, object.places.entity)
        table = .passUnretained(self.table(entity, store: store))
      }
      remove(object, from: unsaved)
      object.key = changes.reservedKey
      changes.forgetReservedKey()
      table._withUnsafeGuaranteedRef { enter(object, in: $0) }
    }
    return known
  }

  /// Makes room before many objects get their keys.
  func reserve(_ count: Int, entity: Int, store: UInt16) {
    lock.lock()
    table(entity, store: store).keys.reserve(count)
    lock.unlock()
  }

  override func removeDying(_ object: NSManagedObject) {
    lock.lock()
    remove(object, from: table(of: object))
    unlockAndTell()
  }

  // Telling others which objects there are.

  /// Starts or stops keeping all objects alive, those to come included, until they are deleted or forgotten.
  func holdAll(_ flag: Bool) {
    let objects = flag ? allObjects : []
    lock.lock()
    let former = held
    held = Dictionary(objects.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { first, _ in first })
    holdsAll = flag
    for table in allTables { table.isWatched = flag || table.listener != nil }
    lock.unlock()
    withExtendedLifetime(former) {}
  }

  private func noteRegistration(_ object: NSManagedObject, table: Table, isThere: Bool) {
    if holdsAll {
      if isThere { held[ObjectIdentifier(object)] = object } else { held[ObjectIdentifier(object)] = nil }
    }
    if let store = table.listener { news.add(object, of: store, isThere: isThere) }
  }

  /// Ends a critical section in which `noteRegistration` may have been called.
  @inline(__always)
  private func unlockAndTell() {
    if news.isEmpty {
      lock.unlock()
    } else {
      tellStores()
    }
  }

  private func tellStores() {
    let told = news
    news = RegistrationNews()
    lock.unlock()
    told.tell()
  }

  /// How many objects there are; those that are being freed are counted.
  var objectCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return allTables.reduce(0) { $0 + $1.keys.count }
  }

  /// All living objects.
  var allObjects: [NSManagedObject] { objects { _ in true } }

  /// The living objects but faults that have no row at hand. A context may have many more of those.
  var objectsWithRows: [NSManagedObject] { objects { !$0.state.contains(.fault) || $0.row != nil } }

  private func objects(_ isWanted: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    lock.lock()
    defer { lock.unlock() }
    var objects: [NSManagedObject] = []
    for table in allTables {
      table.keys.forEach { object in
        // An object's memory stays until it has left the table, so it can be asked before it is retained.
        if object._withUnsafeGuaranteedRef(isWanted), swift_tryRetain(object.toOpaque()) != nil {
          objects.append(object.takeRetainedValue())
        }
      }
    }
    return objects
  }
}

extension MisuseReport {
  fileprivate static func contextGone(_ object: NSManagedObject) -> MisuseReport {
    MisuseReport(
      unfulfilled: object,
      how: "Its context is gone. The object reads as empty, and what you set on it is lost.",
      remedy: "Keep the context for as long as you use its objects, or pass on `objectID` and fetch the object in "
        + "another context.")
  }
}
