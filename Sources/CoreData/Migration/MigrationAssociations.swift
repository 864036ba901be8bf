import Foundation

/// The pairs of a source object and the object that a migration has made from it, by the names of the entity mappings.
///
/// It keeps objects until they are saved, because new objects have no keys before that, and then only keys.
final class MigrationAssociations {
  private let source: MigrationStack
  private let destination: MigrationStack
  private let roots: Associations.Roots
  private var saved: [String: Associations] = [:]
  private var pending: [Pending] = []
  /// The last of `pending` for each source; those before it follow from `Pending.beforeBySource`.
  private var lastBySource: [ObjectIdentifier: Int] = [:]
  private var lastByDestination: [ObjectIdentifier: Int] = [:]

  private struct Pending {
    let mapping: String
    let source: NSManagedObject
    let destination: NSManagedObject
    /// The index of the pair before this one with the same source; -1 for none.
    let beforeBySource: Int
    let beforeByDestination: Int
  }

  init(_ source: MigrationStack, _ destination: MigrationStack) {
    self.source = source
    self.destination = destination
    roots = Associations.Roots(source.layouts, destination.layouts)
  }

  // Recording.

  func append(_ source: NSManagedObject, destination: NSManagedObject, mapping: NSEntityMapping) {
    let index = pending.count
    pending.append(
      Pending(
        mapping: mapping.name ?? "", source: source, destination: destination,
        beforeBySource: lastBySource.updateValue(index, forKey: ObjectIdentifier(source)) ?? -1,
        beforeByDestination: lastByDestination.updateValue(index, forKey: ObjectIdentifier(destination)) ?? -1))
  }

  /// The indexes of pending pairs from the last one on backwards, in ascending order.
  private func chain(from last: Int?, _ before: KeyPath<Pending, Int>) -> [Int] {
    guard var index = last else { return [] }
    var indexes = [index]
    while pending[index][keyPath: before] >= 0 {
      index = pending[index][keyPath: before]
      indexes.append(index)
    }
    return indexes.reversed()
  }

  /// Replaces objects with their keys, after a save.
  func exchangeObjectsForKeys() {
    for new in pending where new.source.key > 0 && new.destination.key > 0 {
      associations(new.mapping)
        .append(source: new.source.reference, destination: new.destination.reference, roots)
    }
    dropPending()
  }

  private func associations(_ mapping: String) -> Associations {
    if let known = saved[mapping] { return known }
    let new = Associations()
    saved[mapping] = new
    return new
  }

  /// Forgets new objects that were deleted.
  func remove(destinations gone: Set<RowReference>) {
    for associations in saved.values { associations.remove(destinations: gone, roots) }
  }

  func removeAll() {
    saved = [:]
    dropPending()
  }

  private func dropPending() {
    pending.removeAll(keepingCapacity: true)
    lastBySource.removeAll(keepingCapacity: true)
    lastByDestination.removeAll(keepingCapacity: true)
  }

  // Finding rows of saved pairs.

  func destinations(_ mapping: String) -> [RowReference] { saved[mapping]?.allDestinations ?? [] }

  func sources(_ mapping: String, of destination: RowReference) -> [RowReference] {
    saved[mapping]?.sources(of: destination, roots) ?? []
  }

  // Finding objects, each once, in order.

  /// The objects that some mappings have made from these objects; nil stands for all objects.
  func destinations(_ mappings: [String], of objects: [NSManagedObject]?) -> [NSManagedObject] {
    guard let objects else {
      return mappings.flatMap { name in
        destination.faults(destinations(name)) + pending.filter { $0.mapping == name }.map(\.destination)
      }.distinct
    }
    var found: [NSManagedObject] = []
    for object in objects {
      for name in mappings {
        if let rows = saved[name]?.destinations(of: object.reference, roots) { found += destination.faults(rows) }
        let indexes = chain(from: lastBySource[ObjectIdentifier(object)], \.beforeBySource)
        for index in indexes where pending[index].mapping == name {
          found.append(pending[index].destination)
        }
      }
    }
    return found.distinct
  }

  /// The objects from which a mapping has made these objects; nil stands for all objects.
  func sources(_ mapping: String, of objects: [NSManagedObject]?) -> [NSManagedObject] {
    guard let objects else {
      return
        (source.faults(saved[mapping]?.allSources ?? [])
        + pending.filter { $0.mapping == mapping }.map(\.source)).distinct
    }
    var found: [NSManagedObject] = []
    for object in objects {
      found += source.faults(sources(mapping, of: object.reference))
      let indexes = chain(from: lastByDestination[ObjectIdentifier(object)], \.beforeByDestination)
      for index in indexes where pending[index].mapping == mapping {
        found.append(pending[index].source)
      }
    }
    return found.distinct
  }
}

extension [NSManagedObject] {
  /// The objects without duplicates, in order.
  fileprivate var distinct: [NSManagedObject] {
    if count < 2 { return self }
    var seen: Set<ObjectIdentifier> = []
    return filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
