/// Reads the files of one store that rows refer to.
final class ExternalFileSource: ExternalSource, @unchecked Sendable {
  // `@unchecked Sendable`: `openStore` is only touched under `lock`.

  private let files: ExternalFiles
  private let lock = NSLock()
  private var openStore = LivingReference<SQLiteStore>()

  private init(_ files: ExternalFiles) { self.files = files }

  private static let registry = NSLock()
  private nonisolated(unsafe) static var known: [String: (source: ExternalFileSource, number: Int)] = [:]

  /// The files of the store at `url`, for rows that `store` reads. Each URL has one source, until it is a link that
  /// leads elsewhere.
  static func files(at url: URL, of store: SQLiteStore) -> ExternalFiles {
    let (source, number) = registry.withLock { () -> (ExternalFileSource, Int) in
      let files = ExternalFiles(store: url)
      if let known = known[url.path], known.source.files.support == files.support { return known }
      let source = ExternalFileSource(files)
      let number = ExternalSources.add(source)
      known[url.path] = (source, number)
      return (source, number)
    }
    source.lock.withLock { source.openStore.object = store }
    return ExternalFiles(store: url, source: number)
  }

  func data(
    _ reference: ExternalReference, _ property: LayoutProperty, of row: RowReference, asksStore: Bool
  ) throws -> Data? {
    do {
      return try files.data(named: reference.name)
    } catch Failure.externalFile(var problem) {
      if problem.isMissing, asksStore {
        switch newerValue(than: reference, property, of: row) {
        case .some(let value): return value
        case .none: break
        }
      }
      problem.entity = property.description.entity.name
      problem.property = property.name
      throw Failure.externalFile(problem)
    }
  }

  /// The value that another process has given the property since the row was read. nil if there is none, or if the row
  /// can't be read any more.
  private func newerValue(
    than reference: ExternalReference, _ property: LayoutProperty, of row: RowReference
  ) -> Data?? {
    guard let store = lock.withLock({ openStore.object }) else { return nil }
    var last = reference
    // Give up after a while: a writer could replace the value each time before its file is read.
    for _ in 0..<10 {
      let layout = store.layouts[Int(row.entity)]
      guard let now = try? store.faultRow(forKey: row.key, at: layout.places),
        let property = store.layouts[now.entity].property(named: property.name), property.word >= 0
      else { return nil }
      if now.isNull(slot: property.slot) { return .some(nil) }
      if !now.isReference(word: property.word) { return .some(Data(now.tail(word: property.word))) }
      let next = now.externalReference(word: property.word)
      if next == last { return nil }
      last = next
      do {
        guard let source = ExternalSources[next.source] as? ExternalFileSource else { return nil }
        return .some(try source.files.data(named: next.name))
      } catch Failure.externalFile(let problem) where problem.isMissing {
        continue
      } catch {
        return nil
      }
    }
    return nil
  }
}
