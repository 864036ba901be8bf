import BookText
import Foundation

/// The set-ups' code as it stands in a checkout: counted, shown, and asked which objects it makes.
///
/// Not for several threads at once.
public final class SetupSources {
  public let root: URL
  private let book: BookText.Book
  private let quoter: Quoter

  /// - Throws: If there is no checkout at `root`.
  public init(root: URL) throws {
    self.root = root
    book = try BookText.Book(root: root)
    quoter = Quoter(book: book)
  }

  /// The checkout around the running program or the current folder; nil if there is none.
  public static func find() -> SetupSources? {
    var starts = [URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)]
    if let program = Bundle.main.executableURL { starts.append(program.deletingLastPathComponent()) }
    for start in starts {
      var folder = start.resolvingSymlinksInPath()
      while folder.path != "/" {
        let isCheckout = ["Package.swift", "Chapters", "Sources/Comparison"].allSatisfy {
          FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
        }
        if isCheckout { return try? SetupSources(root: folder) }
        folder.deleteLastPathComponent()
      }
    }
    return nil
  }

  /// What a place holds now.
  ///
  /// - Throws: `BookProblem` if there is no such file, region or symbol.
  public func quotation(of place: CodePlace) throws -> Quotation {
    let fence = "```swift file=\(place.file) \(place.kind.rawValue)=\(place.name)\n```\n"
    let page = Page(path: place.file, place: .contents, text: fence)
    guard let block = page.blocks.first, let quotation = try quoter.quotation(of: block, on: page) else {
      throw BookProblem(file: place.file, "\(place.name) cannot be quoted")
    }
    return quotation
  }

  /// What changes from one place to the other.
  public func difference(from: CodePlace, to: CodePlace) throws -> SourceDifference {
    SourceDifference(from: try quotation(of: from), to: try quotation(of: to))
  }

  /// Lines of the set-up's code: what two steps share counts once. Nil if some of it can't be found.
  public func lineCount(of info: SetupInfo) -> Int? {
    guard !info.steps.isEmpty else { return nil }
    return lineCount(info.steps.flatMap(\.code))
  }

  public func lineCount(of step: SetupStep) -> Int? { lineCount(step.code) }

  private func lineCount(_ places: [CodePlace]) -> Int? {
    var lines: [String: Set<Int>] = [:]
    for place in places {
      guard let quotation = try? quotation(of: place) else { return nil }
      for line in quotation.lines where Self.isCode(line.text) { lines[place.file, default: []].insert(line.number) }
    }
    return lines.values.reduce(0) { $0 + $1.count }
  }

  private static func isCode(_ line: String) -> Bool {
    let text = line.trimmingCharacters(in: .whitespaces)
    return !text.isEmpty && !text.hasPrefix("//")
  }

  /// Who makes the stack's objects: read off the code, which either makes an object itself or asks a container.
  public func objects(of info: SetupInfo) -> [MadeObject] {
    let code = info.steps.flatMap(\.code).compactMap { try? quotation(of: $0) }.flatMap(\.lines).map(\.text)
      .filter(Self.isCode).joined(separator: "\n")
    guard !code.isEmpty else { return [] }
    let hasContainer = ["NSPersistentContainer(", "ModelContainer("].contains(where: code.contains)
    func maker(_ calls: [String], otherwise: String = "none") -> String {
      if calls.contains(where: code.contains) { return "own code" }
      return hasContainer ? "container" : otherwise
    }
    let writers = ["newBackgroundContext(", "performBackgroundTask"].contains(where: code.contains)
    let ownWriter = code.contains("(concurrencyType: .privateQueueConcurrencyType)")
    return [
      MadeObject("container", by: hasContainer ? "own code" : "none"),
      MadeObject("model", by: code.contains("@Model\n") ? "macro" : maker(["NSManagedObjectModel("])),
      MadeObject("coordinator", by: maker(["NSPersistentStoreCoordinator("])),
      MadeObject("store", by: maker(["addPersistentStore("])),
      MadeObject("view context", by: maker(["(concurrencyType: .mainQueueConcurrencyType)"])),
      MadeObject(
        "writing context",
        by: ownWriter ? "own code" : writers ? "container" : code.contains("@ModelActor\n") ? "macro" : "none"),
    ]
  }
}
