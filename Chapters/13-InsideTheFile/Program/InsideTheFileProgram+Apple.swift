import ChapterSupport
import CoreData
import Foundation
import InsideTheFileChapter
import StoreFileReader

extension InsideTheFileProgram {
  /// `--apple`: our file beside theirs, and the hashes worked out by hand.
  @MainActor func showComparison(_ url: URL) throws {
    //> compare
    let model = try FileModel.weblog.load()
    try FileStack(at: url, model: model).close()
    let ours = try StoreShape(of: StoreFileReader(contentsOf: url))
    let theirs = try AppleStore.shape()
    let comparison = ShapeComparison(theirs: theirs, ours: ours)
    //< compare
    show("Tables", comparison.tables) { name in
      Output.count(theirs.tables.first { $0.name == name }?.columns.count ?? 0, "column")
    }
    show("Indexes", comparison.indexes)
    show("Order", [comparison.order])
    show("Z_PRIMARYKEY", comparison.primaryKeys) { number in
      theirs.primaryKeys.first { $0[0] == number }?.dropFirst().joined(separator: " ") ?? ""
    }
    show("Version hashes", comparison.versionHashes) {
      theirs.versionHashes[$0].map { "\($0.prefix(16))…" } ?? ""
    }
    show("Metadata", comparison.metadata)
    show("Header", comparison.header) { theirs.header[$0] ?? "" }
    try showHash(model, theirs)
  }

  private func show(
    _ title: String, _ lines: [ShapeComparison.Line], remark: (String) -> String = { _ in "" }
  ) {
    Output.heading(title)
    let rows = lines.map { [$0.name, remark($0.name), $0.verdict].filter { !$0.isEmpty } }
    Output.table(rows)
  }

  private func showHash(_ model: NSManagedObjectModel, _ theirs: StoreShape) throws {
    Output.heading("The hash of SyncInfo, by hand")
    guard let entity = model.entitiesByName["SyncInfo"] else { return }
    //> by-hand
    var hand = HashByHand()
    let hash = hand.hash(of: entity)
    for step in hand.steps {
      Output.line(step.title)
      for part in step.parts { Output.line("  \(part.label): \(Self.short(part.bytes.hex))") }
      Output.line("  SHA-256: \(Self.short(step.digest.hex))")
    }
    Output.line("by hand:    \(hash.hex)")
    Output.line("the module: \(entity.versionHash.hex)")
    Output.line("Apple's:    \(theirs.versionHashes["SyncInfo"] ?? "none")")
    //< by-hand

    Output.heading("And of all others")
    let museum = try FileModel.museum.load()
    for entity in (model.entities + museum.entities).sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
      var hand = HashByHand()
      let hash = Data(hand.hash(of: entity))
      let name = entity.name ?? ""
      let agrees = hash == entity.versionHash ? "as the module's" : "NOT the module's"
      let apple = theirs.versionHashes[name].map { $0 == hash.hex ? ", as Apple's" : ", NOT Apple's" } ?? ""
      Output.line("\(name), \(Output.count(hand.steps.count, "digest")): \(hash.hex.prefix(16))… \(agrees)\(apple)")
    }
  }

  private static func short(_ hex: String) -> String {
    hex.count <= 40 ? hex : hex.prefix(16) + "…" + hex.suffix(8)
  }
}
