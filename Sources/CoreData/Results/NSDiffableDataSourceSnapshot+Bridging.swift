/// A snapshot with erased types of identifiers, inside the object that it was bridged to.
protocol TypedSnapshot {
  var erased: NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable> { get }
}

extension NSDiffableDataSourceSnapshot: TypedSnapshot {
  var erased: NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable> {
    mapped({ AnyHashable($0) }, { AnyHashable($0) })!
  }

  /// The snapshot with identifiers of other types; nil if an identifier doesn't have the type.
  func with<Section, Item>(
    _ section: Section.Type, _ item: Item.Type
  ) -> NSDiffableDataSourceSnapshot<Section, Item>? {
    mapped(
      { AnyHashable($0).base as? Section }, { AnyHashable($0).base as? Item })
  }

  private func mapped<Section, Item>(
    _ section: (SectionIdentifierType) -> Section?, _ item: (ItemIdentifierType) -> Item?
  ) -> NSDiffableDataSourceSnapshot<Section, Item>? {
    func all<From, To>(_ values: [From], _ map: (From) -> To?) -> [To]? {
      var mapped: [To] = []
      mapped.reserveCapacity(values.count)
      for value in values {
        guard let value = map(value) else { return nil }
        mapped.append(value)
      }
      return mapped
    }
    typealias Other = NSDiffableDataSourceSnapshot<Section, Item>
    let others = all(sections) { old -> Other.Section? in
      guard let identifier = section(old.identifier), let items = all(old.items, item) else { return nil }
      return Other.Section(identifier: identifier, items: items)
    }
    guard let others, let reloaded = all(reloadedItemIdentifiers, item),
      let reconfigured = all(reconfiguredItemIdentifiers, item),
      let reloadedSections = all(reloadedSectionIdentifiers, section)
    else { return nil }
    var other = Other(sections: others, reloaded: reloaded)
    other.reconfiguredItemIdentifiers = reconfigured
    other.reloadedSectionIdentifiers = reloadedSections
    return other
  }
}

/// Implements `as`, `as?` and `as!` between the value and the object, on Linux too.
extension NSDiffableDataSourceSnapshot: _ObjectiveCBridgeable {
  public typealias _ObjectiveCType = NSDiffableDataSourceSnapshotReference

  public func _bridgeToObjectiveC() -> NSDiffableDataSourceSnapshotReference {
    NSDiffableDataSourceSnapshotReference(self)
  }

  public static func _forceBridgeFromObjectiveC(
    _ source: NSDiffableDataSourceSnapshotReference, result: inout NSDiffableDataSourceSnapshot?
  ) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSDiffableDataSourceSnapshotReference, result: inout NSDiffableDataSourceSnapshot?
  ) -> Bool {
    result = source.snapshot(self)
    return result != nil
  }

  public static func _unconditionallyBridgeFromObjectiveC(
    _ source: NSDiffableDataSourceSnapshotReference?
  ) -> NSDiffableDataSourceSnapshot {
    guard let source else { return NSDiffableDataSourceSnapshot() }
    guard let snapshot = source.snapshot(self) else {
      misuse(.otherIdentifiers(SectionIdentifierType.self, item: ItemIdentifierType.self, snapshot: source))
    }
    return snapshot
  }
}
