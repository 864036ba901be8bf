import ArgumentParser
import DataModelFiles
import Foundation
import Inspection
import OutputFiles

@main
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract:
      "Shows what a Core Data file holds: a store (SQLite, XML, binary), a model, or a mapping model; or a store on a "
      + "PostgreSQL server.",
    discussion: """
      Models are .xcdatamodeld, .xcdatamodel, .momd, .mom and .omo; mapping models are .xcmappingmodel and .cdm. \
      inspect recognizes FILE by its content, not by its name. It changes nothing: neither the file, nor its -wal and \
      -shm, nor the folder. It reads a store with a log from a temporary copy.

      For a store on a server name its URL, postgresql://…, as the program does. inspect shows no password, and needs \
      libpq, PostgreSQL's client library. --check is for files.

      Without options it describes the whole file. It reads a store with the model that the store keeps; if the store \
      keeps none, give one with --model.

      --check looks over a whole SQLite store: what rows say of each other and of files of long values.

      --error explains one of Core Data's error codes, and needs no file: inspect --error 134100. --runtime needs none \
      either: it tries what the module takes for granted of this version of Swift.

      Exit codes: 0, 1 when the file can't be shown or --check finds something wrong, 64 when the command line is \
      wrong, or asks for what the file does not have.

      For completion of options in bash: inspect --generate-completion-script bash > FILE, and read FILE with source; \
      zsh and fish likewise.
      """,
    version: "inspect of Strata, for stores and models up to framework version 1344")

  @Argument(help: ArgumentHelp("A store or a model; postgresql://… for a store on a server.", valueName: "file"))
  var file: String?

  @Option(help: ArgumentHelp("Explain an error code, and what to do about it.", valueName: "code"))
  var error: Int?

  @Flag(help: "Try what the module takes for granted of Swift's runtime, and say what happens where it is not so.")
  var runtime = false

  @Flag(help: "Print one JSON document.")
  var json = false

  @Option(help: ArgumentHelp("Read the store with this model.", valueName: "path"))
  var model: String?

  @Option(
    help: ArgumentHelp("List the objects of an entity, and of those that inherit from it.", valueName: "name")
  )
  var entity: String?

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("List only objects that match this predicate.", valueName: "predicate"))
  var condition: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sort objects by KEY, KEY.KEY, or -KEY for descending; separate several by commas.", valueName: "keys"))
  var sort: String?

  @Option(help: "Show at most this many objects or transactions (default: 50 in a table, all in JSON).")
  var limit: Int?

  @Flag(help: "List the transactions of the store's persistent history with their changes.")
  var history = false

  @Flag(help: "Look for what is wrong with a SQLite store: keys, versions, relationships, external files.")
  var check = false

  @Option(
    help: ArgumentHelp("Draw the model's entities and relationships into this file.", valueName: "file.svg"))
  var diagram: String?

  func validate() throws {
    if error != nil {
      if file != nil { throw ValidationError("--error explains a code, and takes no file.") }
      return
    }
    if runtime {
      if file != nil { throw ValidationError("--runtime tries this version of Swift, and takes no file.") }
      return
    }
    if file == nil { throw ValidationError("Name a store or a model, or give --error with a code.") }
    if entity == nil, condition != nil || sort != nil {
      throw ValidationError("--where and --sort need an --entity.")
    }
    if let limit, limit < 0 { throw ValidationError("--limit can't be below zero.") }
    if limit != nil, entity == nil, !history { throw ValidationError("--limit needs --entity or --history.") }
    if [entity != nil, history, check, diagram != nil].filter({ $0 }).count > 1 {
      throw ValidationError("Use only one of --entity, --history, --check and --diagram.")
    }
  }

  func run() throws {
    do {
      if let error { return try explain(error) }
      if runtime { return try tryRuntime() }
      if let file { try inspect(file) }
    } catch let failure as InspectionFailure {
      let next = failure.code.flatMap(ErrorCode.find).map { "More about \($0.code): inspect --error \($0.code)" }
      let lines = ["Error: \(failure.sentence)", failure.picture, next].compactMap { $0?.visible }
      FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
      throw failure.isOfQuestion ? ExitCode.validationFailure : ExitCode.failure
    }
  }

  private func explain(_ code: Int) throws {
    guard let found = ErrorCode.find(code) else {
      throw InspectionFailure(
        "Core Data has no error \(code). Its codes are \(ErrorCode.all.map { "\($0.code)" }.joined(separator: ", ")).")
    }
    show(found.text)
  }

  private func tryRuntime() throws {
    let report = RuntimeReport()
    show(report.text)
    if !report.isWhole { throw ExitCode.failure }
  }

  /// What the options ask of a file.
  private enum Task {
    case report, history, check
    case diagram(path: String)
    case objects(entity: String)
  }

  private var task: Task {
    if let diagram { return .diagram(path: diagram) }
    if let entity { return .objects(entity: entity) }
    return history ? .history : check ? .check : .report
  }

  private func inspect(_ file: String) throws {
    let (kind, url) = try FileKind.find(named: file)
    if kind.isStore { return try inspectStore(kind, url) }
    if kind.isMappingModel { return try inspectMappingModel(kind, url, named: file) }
    try inspectModel(kind, url, named: file)
  }

  private func inspectMappingModel(_ kind: FileKind, _ url: URL, named file: String) throws {
    guard case .report = task, model == nil else {
      throw InspectionFailure(
        "\(file) is a mapping model: --entity, --history, --check, --model and --diagram don't work on it.")
    }
    let report = try MappingReport(kind: kind, url: url)
    show(json ? report.json.text + "\n" : report.text)
  }

  private func inspectModel(_ kind: FileKind, _ url: URL, named file: String) throws {
    let isForStores =
      switch task {
      case .objects, .history, .check: true
      case .report, .diagram: model != nil
      }
    if isForStores {
      throw InspectionFailure("\(file) is a model: --entity, --history, --check and --model are for stores.")
    }
    let versions = try ModelVersions(kind: kind, url: url)
    if case .diagram(let path) = task { return try write(try Diagram(versions.current.model).svg, to: path) }
    let report = ModelReport(versions)
    show(json ? report.json.text + "\n" : report.text)
  }

  private func inspectStore(_ kind: FileKind, _ url: URL) throws {
    let store = try StoreFile(kind: kind, url: url, modelURL: model.map { URL(fileURLWithPath: $0) })
    switch task {
    case .diagram(let path):
      guard let model = store.values else {
        throw InspectionFailure(
          "Can't draw a diagram of \(store.name): its model is not known. Give one with --model.")
      }
      try write(try Diagram(model).svg, to: path)
    case .objects(let entity):
      let list = try ObjectList(
        store, ObjectQuery(entity: entity, condition: condition, order: sort, limit: shownLimit))
      guard json else { return show(try list.text) }
      let output = OutputFile.standardOutput()
      try list.writeJSON { try output.write(Data($0.utf8)) }
      try output.finish()
    case .history:
      let list = try TransactionList(store, limit: shownLimit)
      show(json ? list.json.text + "\n" : list.text)
    case .check:
      let check = try StoreCheck(store)
      show(json ? check.json.text + "\n" : check.text)
      if !check.problems.isEmpty { throw ExitCode.failure }
    case .report:
      let report = try StoreReport(store)
      show(json ? report.json.text + "\n" : report.text)
    }
  }

  /// How many objects or transactions to list; nil for all.
  private var shownLimit: Int? { limit ?? (json ? nil : ObjectList.tableLimit) }

  /// Prints a text. Names of entities and tables come from the file, so characters that a terminal acts on are written
  /// out.
  private func show(_ text: String) { print(text.visible, terminator: "") }

  private func write(_ svg: String, to path: String) throws {
    do { try OutputFile.write(Data(svg.utf8), to: path) } catch let problem as OutputFileProblem {
      throw InspectionFailure("\(problem)")
    }
    FileHandle.standardError.write(Data("Wrote \(path)\n".utf8))
  }
}
