import ChapterSupport
import CoreData
import Foundation
import InsideTheFileChapter
import StoreFileReader

extension InsideTheFileProgram {
  /// `--break`: a file whose hash is not the model's, made in two ways.
  @MainActor func showBroken(_ url: URL) throws {
    let file = try fill(url)
    let model = try FileModel.museum.load()
    Output.heading("One bit of a hash in the file")
    guard let hash = model.entityVersionHashesByName["Room"] else { return }
    Output.line("before: \(try StoreShape(of: file.reader()).versionHashes["Room"] ?? "none")")
    let damaged = try HashDamage.flip(hash, inFileAt: url)
    Output.line("after:  \(try StoreShape(of: file.reader()).versionHashes["Room"] ?? "none")")
    try open(url, model)
    _ = try HashDamage.flip(damaged, inFileAt: url)
    Output.line("the bit turned back")
    try open(url, model)

    Output.heading("One word in the model")
    //> modifier
    let changed = try FileModel.museum.load()
    let value = changed.entitiesByName["Exhibit"]?.attributesByName["insuredValue"]
    value?.versionHashModifier = "cents"
    try open(url, changed)
    //< modifier
  }

  //> read-error
  /// Opens the file, and takes apart what is said if it can't be.
  private func open(_ url: URL, _ model: NSManagedObjectModel) throws {
    do {
      try FileStack(at: url, model: model).close()
      Output.line("it opens")
    } catch let error as NSError {
      Output.line("\(error.domain) \(error.code)")
      Output.line("  \(error.localizedDescription)")
      Output.line("  \(error.localizedFailureReason ?? "no reason")")
      let metadata = error.userInfo["metadata"] as? [String: Any]
      let stored = metadata?[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
      for (name, hash) in model.entityVersionHashesByName.sorted(by: { $0.key < $1.key }) {
        let other = stored[name]?.hex.prefix(16) ?? "none"
        let difference = "\(other)… in the file, \(hash.hex.prefix(16))… in the model"
        Output.line("  \(name): \(stored[name] == hash ? "agrees" : difference)")
      }
    }
  }
  //< read-error
}
