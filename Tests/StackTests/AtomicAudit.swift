import Testing

@testable import CoreData

extension Stack {
  /// What an atomic store has in memory is what it would read from its file: every test shows it by the way.
  func audit() {
    guard let store = store as? AtomicFileStore, !store.isReadOnly,
      let file = try? WholeFile.read(url.path), store.persistentStoreCoordinator != nil
    else { return }
    do {
      // Another store may have written the file since.
      let header = try type(of: store).form.header(of: file.bytes)
      guard header.uuid == store.identifier, store.isCurrent, store.movedRows.isEmpty else { return }
      var loader = AtomicLoader(coordinator.layouts, store.heldLayouts)
      try type(of: store).form.readRows(of: file.bytes, into: &loader)
      let (read, _) = try loader.finish()
      let kept = store.committed.current
      for (index, layout) in coordinator.layouts.layouts.enumerated() where layout.isRoot {
        #expect(read.tables[index].keys.sorted() == kept.tables[index].keys.sorted(), "\(layout.name)")
        for key in kept.tables[index].keys {
          guard let a = kept.tables[index][key], let b = read.tables[index][key] else { continue }
          Stack.compare(a, kept, b, read)
        }
      }
    } catch {
      Issue.record(error, "The file of a \(store.type) store could not be read again.")
    }
  }

  private static func compare(_ a: RowSnapshot, _ kept: MemoryRows, _ b: RowSnapshot, _ read: MemoryRows) {
    let layout = kept.layouts[a.entity]
    #expect(a.reference == b.reference)
    guard a.entity == b.entity else { return }
    for property in layout.properties where property.isStoredByItself {
      let name = "\(layout.name).\(property.name)"
      switch property.kind {
      case .toMany:
        #expect(
          kept.members(of: property, owner: a.reference) == read.members(of: property, owner: b.reference), "\(name)")
      case .toOne:
        #expect(
          a.destination(property).flatMap(kept.row)?.reference == b.destination(property).flatMap(read.row)?.reference,
          "\(name)")
      default: #expect(a.isEqual(property, to: b), "\(name)")
      }
    }
  }
}
