/// A snapshot as an object, whose identifiers may have any hashable type. A fetched results controller passes it to its
/// delegate.
///
/// `as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>` converts it to a value, and `as` converts a value to an
/// object. See ``NSDiffableDataSourceSnapshot`` for what the methods do and refuse.
///
/// Any thread may read it, as long as no thread changes it.
nonisolated open class NSDiffableDataSourceSnapshotReference: NSObject, NSCopying {
  typealias Erased = NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>

  // The snapshot that it was made from, until it is changed; and the one with erased identifiers, once that is needed.
  private let lock = NSLock()
  private var maker: (() -> any TypedSnapshot)?
  private var typed: (any TypedSnapshot)?
  private var known: Erased?

  /// An empty snapshot.
  public override init() { known = Erased() }

  init(_ snapshot: any TypedSnapshot) { typed = snapshot }

  /// A snapshot that is made at its first use, or by `makeNow()`.
  init(making maker: @escaping () -> any TypedSnapshot) { self.maker = maker }

  /// Makes the snapshot now, so that it no longer depends on its source.
  func makeNow() { lock.withLock { make() } }

  private func make() {
    if let maker { typed = maker() }
    maker = nil
  }

  final var erased: Erased {
    get { lock.withLock { makeErased() } }
    // Changed in place; otherwise each change would copy all identifiers.
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

  /// Called under the lock.
  private func makeErased() -> Erased {
    make()
    if known == nil { known = typed!.erased }
    return known!
  }

  /// The snapshot with identifiers of the given types; nil if an identifier has another type.
  func snapshot<Section, Item>(
    _ type: NSDiffableDataSourceSnapshot<Section, Item>.Type
  ) -> NSDiffableDataSourceSnapshot<Section, Item>? {
    let typed = lock.withLock {
      make()
      return self.typed
    }
    return typed as? NSDiffableDataSourceSnapshot<Section, Item> ?? erased.with(Section.self, Item.self)
  }

  /// An independent copy.
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
  /// The items whose views should be configured again.
  open var reconfiguredItemIdentifiers: [Any] { erased.reconfiguredItemIdentifiers.map(\.base) }

  /// How many items a section has, which must be in the snapshot.
  open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
    erased.numberOfItems(inSection: hashable(sectionIdentifier))
  }

  /// The items of a section, which must be there, in order.
  open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
    erased.itemIdentifiers(inSection: hashable(sectionIdentifier)).map(\.base)
  }

  /// The section of an item; nil if there is no such item.
  open func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
    erased.sectionIdentifier(containingItem: hashable(itemIdentifier))?.base
  }

  /// The position of an item among all; `NSNotFound` if there is no such item.
  open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
    erased.indexOfItem(hashable(itemIdentifier)) ?? NSNotFound
  }

  /// The position of a section; `NSNotFound` if there is no such section.
  open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
    erased.indexOfSection(hashable(sectionIdentifier)) ?? NSNotFound
  }

  final func hashable(_ identifier: Any) -> AnyHashable {
    guard let identifier = identifier as? AnyHashable else { misuse(.unhashableIdentifier(identifier)) }
    return identifier
  }
}
