/// The versions in a manager's stages, in order.
struct StagedVersions {
  struct Version {
    let checksum: String
    /// The reference of a custom stage; nil if the model is looked up by its checksum.
    let reference: NSManagedObjectModelReference?
    /// The custom stage that leads to the next version; nil for a lightweight step.
    var stage: NSCustomMigrationStage?
  }

  struct Duplicate: Error {
    let checksum: String
  }

  private(set) var versions: [Version] = []

  /// - Throws: `Duplicate`.
  init(_ stages: [NSMigrationStage]) throws {
    var places: [String: Int] = [:]
    func append(_ version: Version, isFirst: Bool) throws {
      if let place = places[version.checksum] {
        guard isFirst, place == versions.count - 1 else { throw Duplicate(checksum: version.checksum) }
        let known = versions[place]
        versions[place] = Version(
          checksum: known.checksum, reference: known.reference ?? version.reference, stage: version.stage)
        return
      }
      places[version.checksum] = versions.count
      versions.append(version)
    }
    for stage in stages {
      if let stage = stage as? NSCustomMigrationStage {
        let (from, to) = (stage.currentModel, stage.nextModel)
        try append(Version(checksum: from.versionChecksum, reference: from, stage: stage), isFirst: true)
        try append(Version(checksum: to.versionChecksum, reference: to), isFirst: false)
      } else if let stage = stage as? NSLightweightMigrationStage {
        for (place, checksum) in stage.versionChecksums.enumerated() {
          try append(Version(checksum: checksum, reference: nil), isFirst: place == 0)
        }
      }
    }
  }
}
