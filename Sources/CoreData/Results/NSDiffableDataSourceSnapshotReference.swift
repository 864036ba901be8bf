/// A snapshot as an object, whose identifiers may be of any hashable type: what a fetched results controller
/// hands to its delegate.
///
/// `as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>` makes the value of it, and a value becomes an
/// object the same way. See ``NSDiffableDataSourceSnapshot`` for what the methods do, and what they refuse.
///
/// It may be read on any thread, as long as none changes it.
nonisolated open class NSDiffableDataSourceSnapshotReference: NSObject, NSCopying {
  typealias Erased = NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>

  // What it was made from, until it is changed; and the same with erased identifiers, once it is asked.
  private let lock = NSLock()
  private var maker: (() -> any TypedSnapshot)?
  private var typed: (any TypedSnapshot)?
  private var known: Erased?

  /// An empty one.
  public override init() { known = Erased() }

  init(_ snapshot: any TypedSnapshot) { typed = snapshot }

  /// One that is made when it is first looked at, or by `settle()`.
  init(making maker: @escaping () -> any TypedSnapshot) { self.maker = maker }

  /// From here on it no longer depends on what it is made from.
  func settle() { lock.withLock { make() } }

  private func make() {
    if let maker { typed = maker() }
    maker = nil
  }

  final var erased: Erased {
    get { lock.withLock { makeErased() } }
    // In place: else each change would copy all identifiers.
    _modify {
      lock.lock()
      var snapshot = makeErased()
      typed = nil
      known = nil
      lock.unlock()
      defer { lock.withLock { known = snapshot } }
      yield &snapshot
    }
  }

  /// Under the lock.
  private func makeErased() -> Erased {
    make()
    if known == nil { known = typed!.erased }
    return known!
  }

  /// The snapshot with identifiers of given types; nil if one is of another type.
  func snapshot<Section, Item>(
    _ type: NSDiffableDataSourceSnapshot<Section, Item>.Type
  ) -> NSDiffableDataSourceSnapshot<Section, Item>? {
    let typed = lock.withLock {
      make()
      return self.typed
    }
    return typed as? NSDiffableDataSourceSnapshot<Section, Item> ?? erased.with(Section.self, Item.self)
  }

  /// A copy that later changes of either don't touch.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSDiffableDataSourceSnapshotReference()
    copy.erased = erased
    return copy
  }

  /// How many items all sections have together.
  open var numberOfItems: Int { erased.numberOfItems }
  /// How many sections there are.
  open var numberOfSections: Int { erased.numberOfSections }
  /// The sections in order.
  open var sectionIdentifiers: [Any] { erased.sectionIdentifiers.map(\.base) }
  /// The items of all sections, in order.
  open var itemIdentifiers: [Any] { erased.itemIdentifiers.map(\.base) }
  /// The sections to reload.
  open var reloadedSectionIdentifiers: [Any] { erased.reloadedSectionIdentifiers.map(\.base) }
  /// The items to reload.
  open var reloadedItemIdentifiers: [Any] { erased.reloadedItemIdentifiers.map(\.base) }
  /// The items whose views should be filled again.
  open var reconfiguredItemIdentifiers: [Any] { erased.reconfiguredItemIdentifiers.map(\.base) }

  /// How many items a section has, which must be in the snapshot.
  open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
    erased.numberOfItems(inSection: hashable(sectionIdentifier))
  }

  /// The items of a section, which must be there, in order.
  open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
    erased.itemIdentifiers(inSection: hashable(sectionIdentifier)).map(\.base)
  }

  /// Nil if the item isn't there.
  open func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
    erased.sectionIdentifier(containingItem: hashable(itemIdentifier))?.base
  }

  /// Where an item is among all; `NSNotFound` if it isn't there.
  open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
    erased.indexOfItem(hashable(itemIdentifier)) ?? NSNotFound
  }

  /// `NSNotFound` if it isn't there.
  open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
    erased.indexOfSection(hashable(sectionIdentifier)) ?? NSNotFound
  }

  final func hashable(_ identifier: Any) -> AnyHashable {
    guard let identifier = identifier as? AnyHashable else { misuse(.unhashableIdentifier(identifier)) }
    return identifier
  }
}
