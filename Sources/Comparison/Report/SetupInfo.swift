/// Describes a set-up and where its code is.
public struct SetupInfo: Codable, Sendable, Equatable {
  /// A short name for the command line: `manual`, `enqueue`.
  public var id: String
  /// A few words: `Manual, main queue`.
  public var title: String
  /// What distinguishes it, in one sentence.
  public var summary: String
  /// The chapter's number; nil for a set-up without a chapter.
  public var chapter: Int?
  /// The folder of its sources, relative to the package's root; nil for a reader's own file.
  public var folder: String?
  /// The name of the compiled model that its code loads; empty if the classes are the model.
  public var modelName: String
  /// The name of its store's file.
  public var storeName: String
  /// Whether its store is on a PostgreSQL server; then the file named `storeName` has the store's URL. Nil for a file.
  public var isOnServer: Bool?
  /// The steps of its code, in the order in which a page shows them.
  public var steps: [SetupStep]

  public init(
    id: String, title: String, summary: String, chapter: Int? = nil, folder: String? = nil, modelName: String,
    storeName: String, steps: [SetupStep] = [], isOnServer: Bool? = nil
  ) {
    self.id = id
    self.title = title
    self.summary = summary
    self.chapter = chapter
    self.folder = folder
    self.modelName = modelName
    self.storeName = storeName
    self.steps = steps
    self.isOnServer = isOnServer
  }

  /// Throws for what a page would not just show. An id stands in its style sheet, code is looked up in the checkout,
  /// and a report may be anybody's.
  func checkNames() throws {
    guard id.wholeMatch(of: #/[A-Za-z0-9_\-]+/#) != nil else {
      throw ComparisonFailure(
        "The report has a set-up with the id \(id.debugDescription): an id has letters, digits and hyphens.")
    }
    for place in steps.flatMap(\.code) {
      let leads = place.file.hasPrefix("/") || place.file.split(separator: "/").contains("..")
      guard !leads, !(place.file + place.name).contains(where: { $0.isNewline || $0 == "`" }) else {
        throw ComparisonFailure(
          "The set-up \(id) of the report has code in \(place.file.debugDescription), \(place.name.debugDescription), "
            + "which is no place in the checkout.")
      }
    }
  }

  /// The code of a step; nil if this set-up has no code for it.
  public func step(_ kind: SetupStep.Kind) -> SetupStep? { steps.first { $0.kind == kind } }
}

/// One step of setting up the stack, and the code that does it.
public struct SetupStep: Codable, Sendable, Equatable {
  /// The steps, in the order in which they are shown.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    case model, coordinator, store, context, errors, saving, writing, testing

    public var title: String {
      switch self {
      case .model: "Model"
      case .coordinator: "Coordinator"
      case .store: "Store"
      case .context: "Context"
      case .errors: "Errors"
      case .saving: "Saving"
      case .writing: "Writing in the background"
      case .testing: "For tests"
      }
    }
  }

  public var kind: Kind
  /// The regions or symbols with the code; empty if the step needs none.
  public var code: [CodePlace]
  /// A remark, above all on why there is no code.
  public var note: String?

  public init(_ kind: Kind, _ code: [CodePlace] = [], note: String? = nil) {
    self.kind = kind
    self.code = code
    self.note = note
  }
}

/// A piece of code: a region or symbol of a file, named as the book's texts name it.
public struct CodePlace: Codable, Sendable, Hashable {
  public enum Kind: String, Codable, Sendable {
    case region, symbol
  }

  public var kind: Kind
  /// The path from the package's root.
  public var file: String
  /// The region's name, or the symbol's: `DataController.close()`.
  public var name: String

  public init(_ kind: Kind, _ name: String, in file: String) {
    self.kind = kind
    self.file = file
    self.name = name
  }

  public static func region(_ name: String, in file: String) -> CodePlace { CodePlace(.region, name, in: file) }
  public static func symbol(_ name: String, in file: String) -> CodePlace { CodePlace(.symbol, name, in: file) }
}

/// Says whose code makes an object of the stack.
public struct MadeObject: Codable, Sendable, Equatable {
  /// `model`, `coordinator`, `store`, `view context`, `writing context` or `container`.
  public var object: String
  /// `own code`, `container`, `macro` or `none`.
  public var maker: String

  public init(_ object: String, by maker: String) {
    self.object = object
    self.maker = maker
  }
}

/// A context that the set-up used, and its queue.
public struct ContextFact: Codable, Sendable, Equatable, Hashable {
  /// What it was used for: `reads`, `writes`, `reads and writes`, `passes saves on`.
  public var role: String
  /// `main queue` or `private queue`.
  public var queue: String
  /// How many contexts of this kind there were in one run.
  public var count: Int

  public init(role: String, queue: String, count: Int) {
    self.role = role
    self.queue = queue
    self.count = count
  }
}
