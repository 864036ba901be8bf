import CoreData
import Foundation
import Testing

/// References to models.
@Suite("References to models") struct StagedReferenceTests {
  private func keys(_ model: NSManagedObjectModel) -> [String] {
    model.entitiesByName["Entry"]!.attributesByName.keys.sorted()
  }

  @Test(
    "A model is found by itself, a file, a bundle and a name, a bundle and hashes; the checksum chooses the version")
  func places() throws {
    let folder = try VersionTests.Folder()
    let checksums = try NSManagedObjectModel.checksumsForVersionedModel(at: folder.momd)
    for (name, checksum) in checksums {
      let model = try folder.version(name)
      let hashes = model.entityVersionHashesByName as [AnyHashable: Any]
      let mom = folder.momd.appendingPathComponent("\(name).mom")
      for reference in [
        NSManagedObjectModelReference(model: model, versionChecksum: checksum),
        NSManagedObjectModelReference(fileURL: mom, versionChecksum: checksum),
        NSManagedObjectModelReference(fileURL: folder.momd, versionChecksum: checksum),
        NSManagedObjectModelReference(name: "Journal", in: folder.bundle, versionChecksum: checksum),
        NSManagedObjectModelReference(name: name, in: folder.bundle, versionChecksum: checksum),
        NSManagedObjectModelReference(entityVersionHashes: hashes, in: folder.bundle, versionChecksum: checksum),
      ] {
        #expect(reference.versionChecksum == checksum)
        #expect(keys(reference.resolvedModel) == keys(model))
        #expect(reference.resolvedModel === reference.resolvedModel)
      }
    }
  }

  @Test("Asking for a model that is not there ends the program")
  func missing() async {
    await #expect(processExitsWith: .failure) {
      _ = NSManagedObjectModelReference(name: "Nothing", in: nil, versionChecksum: "none").resolvedModel
    }
  }
}
