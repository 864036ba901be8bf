import Foundation

/// Names the version of a model that a stage of a migration needs.
///
/// The model is looked up once, when it is first needed, on the thread that asks.
nonisolated open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: `lock` guards `found`, and the rest never changes.

  private enum Place {
    case model(NSManagedObjectModel)
    case file(URL)
    case hashes([String: Data], Bundle?)
    case name(String, Bundle?)
  }

  private let place: Place
  private let checksum: String
  private let lock = NSLock()
  private var found: NSManagedObjectModel?

  /// The checksum that the model must have, see `NSManagedObjectModel.versionChecksum`.
  open var versionChecksum: String { checksum }

  /// Refers to a model that you have.
  public init(model: NSManagedObjectModel, versionChecksum: String) {
    place = .model(model)
    checksum = versionChecksum
  }

  /// Refers to the model in a file, as for `NSManagedObjectModel(contentsOf:)`. In a `.momd` it is the version with the
  /// checksum.
  public init(fileURL: URL, versionChecksum: String) {
    place = .file(fileURL)
    checksum = versionChecksum
  }

  /// Refers to the version with these hashes among the models of a bundle; nil is the main bundle. A hash has 32 bytes,
  /// and its key is the entity's name.
  public init(entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
    var hashes: [String: Data] = [:]
    for (name, hash) in versionHash {
      // Any other value is not a hash, so no model has it.
      hashes[name as? String ?? "\(name)"] = hash as? Data ?? Data()
    }
    place = .hashes(hashes, bundle)
    checksum = versionChecksum
  }

  /// Refers to the version with this name, or to the versions of the model with this name, among the models of a
  /// bundle; nil is the main bundle.
  public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    place = .name(modelName, bundle)
    checksum = versionChecksum
  }

  /// The model. Ends the program if it is not found, or has another checksum; a migration throws error 134504 instead.
  open var resolvedModel: NSManagedObjectModel {
    do { return try resolve() } catch { misuse(.unresolvedModel(self, error: error)) }
  }

  /// - Throws: `Failure.modelReferenceNotFound`.
  final func resolve() throws -> NSManagedObjectModel {
    try lock.withLock {
      if let found { return found }
      let candidates = candidates()
      guard let model = candidates.first(where: { $0.versionChecksum == checksum }) else {
        let others = candidates.map(\.versionChecksum).sorted()
        throw Failure.modelReferenceNotFound(
          what: others.isEmpty
            ? "there is no model \(words)"
            : "no model \(words) has the checksum \(checksum); the checksums there are \(others.joined(separator: ", "))"
        )
      }
      found = model
      return model
    }
  }

  private func candidates() -> [NSManagedObjectModel] {
    switch place {
    case .model(let model): [model]
    case .file(let url):
      url.pathExtension == "momd"
        ? NSManagedObjectModel.versionURLs(of: url).compactMap(NSManagedObjectModel.init(contentsOf:))
        : [NSManagedObjectModel(contentsOf: url)].compactMap { $0 }
    case .hashes(let hashes, let bundle):
      NSManagedObjectModel.versionURLs(in: bundle).lazy.compactMap(NSManagedObjectModel.init(contentsOf:))
        .first { $0.entityVersionHashesByName == hashes }.map { [$0] } ?? []
    case .name(let name, let bundle):
      NSManagedObjectModel.versionURLs(in: bundle).filter { url in
        url.deletingPathExtension().lastPathComponent == name
          || url.deletingLastPathComponent().lastPathComponent == "\(name).momd"
      }.compactMap(NSManagedObjectModel.init(contentsOf:))
    }
  }

  /// The place to look for the model, in words.
  private var words: String {
    func among(_ bundle: Bundle?) -> String { "among the models of the bundle \((bundle ?? .main).bundlePath)" }
    switch place {
    case .model: return "in the model given"
    case .file(let url): return "in the file \(url.path)"
    case .hashes(_, let bundle): return "with the hashes given \(among(bundle))"
    case .name(let name, let bundle): return "named \(name) \(among(bundle))"
    }
  }

  /// The checksum, and the place to look for the model.
  open override var description: String { "NSManagedObjectModelReference \(checksum) \(words)" }
}

extension MisuseReport {
  fileprivate static func unresolvedModel(
    _ reference: NSManagedObjectModelReference, error: any Error
  ) -> MisuseReport {
    MisuseReport(
      error.publicError.localizedDescription,
      facts: [("Call", "NSManagedObjectModelReference.resolvedModel"), ("Checksum", reference.versionChecksum)],
      how: "The reference names a model that does not exist, or that has changed since you noted its checksum.",
      remedy: "NSManagedObjectModel.checksumsForVersionedModel(at:) lists the checksums of all versions.")
  }
}
