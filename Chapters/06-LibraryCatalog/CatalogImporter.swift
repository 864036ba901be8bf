import CoreData

/// Brings catalogue files into the library, in the memory of one batch.
///
/// Importing twice changes nothing, since books that the library has are skipped. Bad records are reported and
/// counted, and the good ones go in, unless the import is strict.
///
/// | import   | saves          | on a bad record               | memory                |
/// |----------|----------------|-------------------------------|-----------------------|
/// | lenient  | once per batch | reports it, goes on           | one batch             |
/// | strict   | once           | throws, and leaves the library as it was | all new books |
public struct CatalogImporter {
  /// A record that cannot be imported: where it is, and why.
  public struct BadRecord: Error, LocalizedError, Equatable {
    public let file: URL
    /// From 1, in the file.
    public let number: Int
    /// On which the record begins, from 1.
    public let line: Int
    public let reason: String

    public var sentence: String { "\(file.relativePath), record \(number) (line \(line)): \(reason)" }
    public var errorDescription: String? { sentence }
  }

  public struct Report: Equatable, Sendable {
    public var read = 0
    public var added = 0
    public var alreadyThere = 0
    public var bad = 0

    /// Whether there were records, and none of them could be used.
    public var isAllBad: Bool { bad > 0 && bad == read }
  }

  /// A lenient import could not go on; what it had saved before stays.
  public struct Stopped: Error, LocalizedError {
    public let report: Report
    public let underlying: any Error

    public var errorDescription: String? {
      let kept = report.added == 1 ? "1 new book before it is" : "\(report.added) new books before it are"
      return "\(underlying.localizedDescription) The import stopped there; \(kept) in the library."
    }
  }

  /// How far the import is within a file.
  public struct Progress {
    public let file: URL
    public let bytesRead: Int
    public let length: Int
    public let report: Report
  }

  //> duplicates
  /// What to do with a book, author or subject that the library has already.
  public enum Duplicates: String, CaseIterable, Sendable {
    /// Look it up first, and insert nothing.
    case lookUp = "look-up"
    /// Insert it, and let a uniqueness constraint fail the save.
    case refuse
    /// Insert it, and let a merge policy bring it into the row that is there.
    case merge
  }
  //< duplicates

  public let container: NSPersistentContainer
  /// Records looked up and saved together.
  public let batchSize: Int
  public let duplicates: Duplicates

  public init(
    container: NSPersistentContainer, batchSize: Int = 500, duplicates: Duplicates = .lookUp
  ) {
    precondition(batchSize > 0, "A batch has at least one record, not \(batchSize).")
    self.container = container
    self.batchSize = batchSize
    self.duplicates = duplicates
  }

  /// The catalogue that comes with the program.
  public static var shippedCatalog: URL? {
    Bundle.module.url(forResource: "catalog", withExtension: "json")
  }

  //> check
  /// Reads all files and throws the first bad record. A strict import begins with it, before it
  /// opens the library.
  public static func check(_ files: [URL]) throws {
    for file in files {
      let reader = try JSONRecordReader(url: file)
      while let raw = try reader.next() { _ = try record(from: raw, in: file) }
    }
  }
  //< check

  /// - Parameters:
  ///   - strict: All or nothing, in one save.
  ///   - progress: Called after each batch, on the import's queue.
  ///   - onBadRecord: Called for each bad record, in order. A strict import throws it instead.
  /// - Throws: `Stopped`. A strict import throws what stopped it, and the library is as before.
  public func importFiles(
    _ files: [URL],
    strict: Bool = false,
    progress: (Progress) -> Void = { _ in },
    onBadRecord: (BadRecord) -> Void = { _ in }
  ) throws -> Report {
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      if duplicates == .merge { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
      let writer = CatalogWriter(context: context, looksUp: duplicates == .lookUp)
      var report = Report()
      do {
        for file in files {
          let reader = try JSONRecordReader(url: file)
          var isAtEnd = false
          while !isAtEnd {
            var stop: (any Error)?
            var batch: [CatalogRecord] = []
            do {
              isAtEnd = try fill(&batch, from: reader, file, strict, &report, onBadRecord)
            } catch {
              stop = error
            }
            //> import-batch
            // After an error a lenient import still saves what it has read.
            if stop == nil || !strict {
              let added = try writer.add(batch)
              if !strict { try writer.saveAndForget() }
              report.added += added
              report.alreadyThere += batch.count - added
            }
            //< import-batch
            if let stop { throw stop }
            progress(
              Progress(
                file: file, bytesRead: reader.position, length: reader.length, report: report))
          }
        }
        if strict { try writer.saveAndForget() }
      } catch {
        context.reset()
        throw strict ? error : Stopped(report: report, underlying: error)
      }
      return report
    }
  }

  /// Reads records until the batch is full. Returns true when the file has no more.
  private func fill(
    _ batch: inout [CatalogRecord], from reader: JSONRecordReader, _ file: URL, _ strict: Bool,
    _ report: inout Report, _ onBadRecord: (BadRecord) -> Void
  ) throws -> Bool {
    while batch.count < batchSize {
      guard let raw = try reader.next() else { return true }
      report.read += 1
      do {
        batch.append(try Self.record(from: raw, in: file))
      } catch let bad as BadRecord where !strict {
        report.bad += 1
        onBadRecord(bad)
      }
    }
    return false
  }

  static func record(from raw: JSONRecordReader.RawRecord, in file: URL) throws -> CatalogRecord {
    func bad(_ reason: String) -> BadRecord {
      BadRecord(file: file, number: raw.number, line: raw.line, reason: reason)
    }
    guard String(validating: raw.bytes, as: UTF8.self) != nil else {
      throw bad("it is not UTF-8 text; if the file is in Latin-1, convert it: iconv -f latin1 -t utf8")
    }
    do {
      return try CatalogFields.record(
        from: JSONSerialization.jsonObject(with: raw.bytes, options: [.fragmentsAllowed]))
    } catch let unfit as CatalogFields.Unfit {
      throw bad(unfit.description)
    } catch {
      throw bad(JSONFault(error, in: raw).description)
    }
  }
}
