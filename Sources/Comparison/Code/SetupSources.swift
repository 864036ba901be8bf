import BookText
import Foundation

/// The code of the set-ups in a checkout: quotes it, counts its lines, and finds out which objects it makes.
///
/// One thread at a time may use it.
public final class SetupSources {
  public let root: URL
  private let book: BookText.Book
  private let quoter: Quoter

  /// - Throws: if there is no checkout at `root`.
  public init(root: URL) throws {
    self.root = root
    book = try BookText.Book(root: root)
    quoter = Quoter(book: book)
  }

  /// Finds the checkout that contains the current folder or the running program; nil if there is none.
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

  /// The code at a place, as it is now.
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

  /// The difference between the code at two places.
  public func difference(from: CodePlace, to: CodePlace) throws -> SourceDifference {
    SourceDifference(from: try quotation(of: from), to: try quotation(of: to))
  }

  /// The number of lines of a set-up's code. Lines that two steps share count once. Nil if some of the code can't be
  /// found.
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

  /// Finds out from the code who makes each object of the stack: the code itself, or a container.
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
