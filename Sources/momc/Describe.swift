import ArgumentParser
import DataModelFiles
import Foundation

struct Describe: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the versions, entities and version hashes of a model, source or compiled.")

  @Argument(help: "A .xcdatamodeld, .xcdatamodel, .momd or .mom.")
  var model: String

  func run() throws {
    let url = URL(fileURLWithPath: model)
    let isCompiled = ["momd", "mom"].contains(url.pathExtension)
    let package: DataModelPackage
    do {
      package = try isCompiled ? CompiledModelFiles.package(at: url) : SourceModelReader.package(at: url)
    } catch let error as InvalidDataModel {
      FileHandle.standardError.write(Data((error.description + "\n").utf8))
      throw ExitCode.failure
    }
    for version in package.versions {
      let mark = version.name == package.currentVersionName ? " (current)" : ""
      print("\(version.name)\(mark)  checksum \(version.versionChecksum())")
      let hashes = version.entityVersionHashes()
      for entity in version.entities.sorted(by: { $0.name < $1.name }) {
        let hash = (hashes[entity.name] ?? []).map { byte in
          String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        print("  \(entity.name): \(entity.className ?? "NSManagedObject")  \(hash.joined())")
      }
    }
  }
}
