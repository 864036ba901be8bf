import ArgumentParser
import DataModelFiles
import Foundation

struct Describe: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the versions, entities and version hashes of a model, or what a mapping model says.")

  @Argument(help: "A .xcdatamodeld, .xcdatamodel, .momd or .mom; an .xcmappingmodel or .cdm.")
  var model: String

  func run() throws {
    let url = URL(fileURLWithPath: model)
    if ["xcmappingmodel", "cdm"].contains(url.pathExtension) { return try describeMapping(at: url) }
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
      show("\(version.name)\(mark)  checksum \(version.versionChecksum())")
      let hashes = version.entityVersionHashes()
      for entity in version.entities.sorted(by: { $0.name < $1.name }) {
        let hash = (hashes[entity.name] ?? []).map { byte in
          String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
        show("  \(entity.name): \(entity.className ?? "NSManagedObject")  \(hash.joined())")
      }
    }
  }

  /// Prints a line. Names come from the file, so characters that a terminal acts on are written out.
  private func show(_ line: String) { print(line.inOneLine) }

  /// Prints the source, destination and expressions of each entity mapping.
  private func describeMapping(at url: URL) throws {
    let mappings: [MappingModelFile.EntityMapping]
    do {
      mappings = try MappingModelFiles.model(at: url).model.entityMappings
    } catch let error as InvalidDataModel {
      FileHandle.standardError.write(Data((error.description + "\n").utf8))
      throw ExitCode.failure
    }
    for mapping in mappings {
      let policy = mapping.policyClassName.map { ", policy \($0)" } ?? ""
      show(
        "\(mapping.name): \(mapping.sourceName ?? "-") > \(mapping.destinationName ?? "-"), \(mapping.type)\(policy)")
      if let source = mapping.sourceExpression { show("  source objects: \(source.text)") }
      for property in mapping.attributeMappings + mapping.relationshipMappings {
        show("  \(property.name) = \(property.expression?.text ?? "-")")
      }
    }
  }
}
