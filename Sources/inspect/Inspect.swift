import ArgumentParser
import Foundation
import Inspection
import OutputFiles

@main
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract:
      "Shows what a Core Data file holds: a store (SQLite, XML, binary), a model, or a mapping model.",
    discussion: """
      Models are .xcdatamodeld, .xcdatamodel, .momd, .mom and .omo; mapping models are .xcmappingmodel and .cdm. \
      What FILE is, is told by its content, not by its name. Nothing is changed: neither the file, nor its -wal and \
      -shm, nor the folder. A store with a log is read from a temporary copy.

      Without options the whole file is described. A store is read with the model that it keeps; where it keeps none, \
      give one with --model.

      --error explains an error code of Core Data's, and needs no file: inspect --error 134100.

      Exit codes: 0, 1 when the file can't be shown, 64 when the command line is wrong.

      For completion of options in bash: inspect --generate-completion-script bash > FILE, and read FILE with source; \
      zsh and fish likewise.
      """,
    version: "inspect of Strata, for stores and models up to framework version 1344")

  @Argument(help: ArgumentHelp("A store or a model.", valueName: "file"))
  var file: String?

  @Option(help: ArgumentHelp("Say what an error code means, and what to do.", valueName: "code"))
  var error: Int?

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
    help: ArgumentHelp("Only objects for which this holds.", valueName: "predicate"))
  var condition: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sort objects: KEY, KEY.KEY, or -KEY downwards; several with commas.", valueName: "keys"))
  var sort: String?

  @Option(help: "How many objects or transactions at most (50 in a table, all in JSON).")
  var limit: Int?

  @Flag(help: "List the transactions of the store's persistent history with their changes.")
  var history = false

  @Option(
    help: ArgumentHelp("Write a picture of the model's entities and relationships.", valueName: "file.svg"))
  var diagram: String?

  func validate() throws {
    if error != nil {
      if file != nil { throw ValidationError("--error explains a code, and takes no file.") }
      return
    }
    if file == nil { throw ValidationError("Name a store or a model, or give --error with a code.") }
    if entity == nil, condition != nil || sort != nil {
      throw ValidationError("--where and --sort need an --entity.")
    }
    if let limit, limit < 0 { throw ValidationError("--limit can't be below zero.") }
    if limit != nil, entity == nil, !history { throw ValidationError("--limit needs --entity or --history.") }
    if [entity != nil, history, diagram != nil].filter({ $0 }).count > 1 {
      throw ValidationError("--entity, --history and --diagram exclude each other.")
    }
  }

  func run() throws {
    do {
      if let error { return try explain(error) }
      if let file { try inspect(file) }
    } catch let failure as InspectionFailure {
      let next = failure.code.flatMap(ErrorCode.find).map { "More about \($0.code): inspect --error \($0.code)" }
      let lines = ["Error: \(failure.sentence)", failure.picture, next].compactMap { $0?.visible }
      FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
      throw ExitCode.failure
    }
  }

  private func explain(_ code: Int) throws {
    guard let found = ErrorCode.find(code) else {
      throw InspectionFailure(
        "No part of Core Data throws an error \(code). The codes: \(ErrorCode.all.map { "\($0.code)" }.joined(separator: ", ")).")
    }
    show(found.text)
  }

  private func inspect(_ file: String) throws {
    let found = try FileKind.find(at: URL(fileURLWithPath: file))
    if found.kind.isMappingModel {
      if entity != nil || history || model != nil || diagram != nil {
        throw InspectionFailure(
          "\(file) is a mapping model: --entity, --history, --model and --diagram are for others.")
      }
      let report = try MappingReport(kind: found.kind, url: found.url)
      return show(json ? report.json.text + "\n" : report.text)
    }
    if !found.kind.isStore {
      if entity != nil || history || model != nil {
        throw InspectionFailure("\(file) is a model: --entity, --history and --model are for stores.")
      }
      let versions = try ModelVersions(kind: found.kind, url: found.url)
      if let diagram { return try write(Diagram(versions.current.model).svg, to: diagram) }
      let report = ModelReport(versions)
      return show(json ? report.json.text + "\n" : report.text)
    }
    let store = try StoreFile(
      kind: found.kind, url: found.url, modelURL: model.map { URL(fileURLWithPath: $0) })
    if let diagram {
      guard let model = store.values else {
        throw InspectionFailure(
          "No diagram of \(file) can be drawn: its model is not known; give one with --model.")
      }
      return try write(Diagram(model).svg, to: diagram)
    }
    if let entity {
      let query = ObjectQuery(
        entity: entity, condition: condition, order: sort,
        limit: limit ?? (json ? nil : ObjectList.tableLimit))
      let list = try ObjectList(store, query)
      guard json else { return show(try list.text) }
      let output = OutputFile.standardOutput()
      try list.writeJSON { try output.write(Data($0.utf8)) }
      return try output.finish()
    }
    if history {
      let list = try TransactionList(store, limit: limit ?? (json ? nil : ObjectList.tableLimit))
      return show(json ? list.json.text + "\n" : list.text)
    }
    let report = try StoreReport(store)
    show(json ? report.json.text + "\n" : report.text)
  }

  /// Names of entities and tables come from the file, too, so a terminal gets nothing to act upon.
  private func show(_ text: String) { print(text.visible, terminator: "") }

  private func write(_ svg: String, to path: String) throws {
    do { try OutputFile.write(Data(svg.utf8), to: path) } catch let problem as OutputFileProblem {
      throw InspectionFailure("\(problem)")
    }
    FileHandle.standardError.write(Data("Wrote \(path)\n".utf8))
  }
}
