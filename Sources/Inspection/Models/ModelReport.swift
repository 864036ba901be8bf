import DataModelFiles
import Foundation

/// A report on a model file: its versions, each with entities, hashes, configurations and fetch templates.
public struct ModelReport {
  private let file: ModelVersions

  public init(_ file: ModelVersions) { self.file = file }

  // Text.

  public var text: String {
    var lines = [file.url.path]
    var head = TextTable()
    head.add(["kind", file.kind.words])
    head.add([
      "versions",
      file.versions.map { $0.model.name + ($0.isCurrent && file.versions.count > 1 ? " (current)" : "") }
        .joined(separator: ", "),
    ])
    lines += head.lines(indent: 2)
    for warning in file.warnings { lines.append("  " + warning) }
    for version in file.versions { lines += [""] + Self.lines(version, of: file) }
    return lines.asText
  }

  private static func lines(_ version: ModelVersions.Version, of file: ModelVersions) -> [String] {
    let model = version.model
    let hashes = version.hashes
    let mark = version.isCurrent && file.versions.count > 1 ? " (current)" : ""
    let title = "Version \(model.name)\(mark): \(counted(model.entities.count, "entity", "entities"))"
    var lines = [title, String(repeating: "-", count: title.columns)]
    var head = TextTable()
    head.add(["identifiers", model.versionIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")])
    head.add(["checksum", VersionHash.modelChecksum(hashes.map { ($0.key, $0.value) })])
    head.add(["digest", VersionHash.hashesDigest(hashes.map { ($0.key, $0.value) })])
    for configuration in model.configurations {
      head.add([
        "configuration", "\(configuration.name): \(configuration.entityNames.joined(separator: ", "))",
      ])
    }
    for template in model.fetchRequestTemplates {
      head.add(["template", "\(template.name): \(template.entityName) \(template.condition)".trimmingEnd()])
    }
    lines += head.lines(indent: 2)
    if !model.entities.isEmpty {
      var table = TextTable()
      for entity in model.entities.sorted(by: { $0.name < $1.name }) {
        table.add([entity.name, hashes[entity.name]?.hexadecimal])
      }
      lines += ["", "Version hashes"] + table.lines(indent: 2)
    }
    for difference in differences(version) { lines.append("  " + difference) }
    for entity in model.entities.sorted(by: { $0.name < $1.name }) {
      lines += [""] + EntityReport(entity, in: model, hash: hashes[entity.name]).lines
    }
    for composite in model.composites.sorted(by: { $0.name < $1.name }) {
      var table = TextTable()
      for attribute in composite.attributes {
        table.add([
          attribute.name, attribute.typeName, attribute.facts.compactMap(\.words).joined(separator: ", "),
        ])
      }
      lines += ["", "\(composite.name) (composite type)"] + table.lines(indent: 2)
    }
    return lines
  }

  /// The entities for which computing the hash gives another result than the file has.
  private static func differences(_ version: ModelVersions.Version) -> [String] {
    let computed = version.model.entityVersionHashes()
    return version.statedHashes.sorted { $0.key < $1.key }.compactMap { name, hash in
      guard let own = computed[name], own != hash else { return nil }
      return "The hash of \(name) is the one in the file; computing it gives \(own.hexadecimal)."
    }
  }

  // JSON.

  public var json: JSONValue {
    .record([
      "kind": .string("model"), "path": .string(file.url.path), "form": .string(file.kind.form),
      "currentVersion": .string(file.current.model.name), "warnings": .strings(file.warnings),
      "versions": .array(file.versions.map(Self.json)),
    ])
  }

  private static func json(_ version: ModelVersions.Version) -> JSONValue {
    let model = version.model
    let hashes = version.hashes
    let pairs = hashes.map { (name: $0.key, hash: $0.value) }
    return .record([
      "name": .string(model.name), "current": .bool(version.isCurrent),
      "identifiers": .strings(model.versionIdentifiers),
      "checksum": .string(VersionHash.modelChecksum(pairs)),
      "digest": .string(VersionHash.hashesDigest(pairs)),
      "configurations": .array(
        model.configurations.map {
          .record(["name": .string($0.name), "entities": .strings($0.entityNames)])
        }),
      "fetchTemplates": .array(model.fetchRequestTemplates.map { $0.json(named: $0.name) }),
      "entities": .array(
        model.entities.sorted { $0.name < $1.name }.map {
          EntityReport($0, in: model, hash: hashes[$0.name]).json
        }),
      "composites": .array(
        model.composites.sorted { $0.name < $1.name }.map { composite in
          .record([
            "name": .string(composite.name),
            "attributes": .array(
              composite.attributes.map {
                .record(["name": .string($0.name), "type": .string($0.typeName)])
              }),
          ])
        }),
    ])
  }
}
