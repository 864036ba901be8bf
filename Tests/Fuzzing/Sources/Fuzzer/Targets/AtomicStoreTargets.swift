@testable import CoreData

/// XML stores.
struct XMLStoreTarget: FuzzTarget {
  static let name = "xml-store"
  static let longest = 16_384

  func seeds() throws -> [[UInt8]] { [try Fixture.store(NSXMLStoreType, "xml")] }

  func run(_ input: [UInt8]) throws { try openStore(NSXMLStoreType, try Scratch.write(input, "S.xml")) }
}

/// Binary stores.
struct BinaryStoreTarget: FuzzTarget {
  static let name = "binary-store"
  static let longest = 16_384

  func seeds() throws -> [[UInt8]] { [try Fixture.store(NSBinaryStoreType, "binary")] }

  func run(_ input: [UInt8]) throws { try openStore(NSBinaryStoreType, try Scratch.write(input, "S.binary")) }

  /// Changes in one of the two archives; the header follows.
  func mutated(_ input: [UInt8], _ limit: Int, _ dice: inout Dice) -> [UInt8]? {
    guard dice.below(3) > 0, let header = try? BinaryStoreHeader(input) else { return nil }
    var (rows, metadata) = (Array(input[header.rows]), Array(input[header.metadata]))
    if dice.below(4) == 0 {
      metadata = ListMutator.mutated(metadata, &dice) ?? metadata
    } else {
      rows = ListMutator.mutated(rows, &dice) ?? rows
    }
    let end = BinaryStoreHeader.size + rows.count
    let new = BinaryStoreHeader(
      metadata: end..<end + metadata.count, rows: BinaryStoreHeader.size..<end, lastKey: header.lastKey)
    return new.bytes + rows + metadata
  }
}

private func openStore(_ type: String, _ url: URL) throws {
  if type != NSBinaryStoreType { _ = try? NSManagedObjectModel(storedIn: url) }
  _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
  try StoreUse(Fixture.open(type, url)).all()
}
