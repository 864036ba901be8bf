import DataModelFiles
import Foundation

/// A report on a mapping model: the source and destination of each entity mapping, and its expressions.
public struct MappingReport {
  private let url: URL
  private let kind: FileKind
  private let model: MappingModelFile
  private let warnings: [String]

  /// Reads the file that ``FileKind/find(at:)`` found.
  public init(kind: FileKind, url: URL) throws {
    self.url = url
    self.kind = kind
    do {
      if kind == .mappingModel {
        let file = url.appendingPathComponent("xcmapping.xml")
        let read = try MappingModelFiles.model(
          source: try MappingModelFiles.bytes(of: file, "mapping model"), package: url, file: file.path)
        (model, warnings) = (read.model, read.warnings.map(\.description))
      } else {
        model = try MappingModelFiles.model(
          cdm: try MappingModelFiles.bytes(of: url, "compiled mapping model"), file: url.path)
        warnings = []
      }
    } catch let error as InvalidDataModel {
      throw InspectionFailure("The mapping model \(url.path) cannot be read: \(error.problems[0].description).")
    } catch {
      throw InspectionFailure("The mapping model \(url.path) cannot be read", because: error)
    }
  }

  // Text.

  public var text: String {
    var lines = [url.path]
    var head = TextTable()
    head.add(["kind", kind.words])
    head.add(["entities", "\(counted(model.entityMappings.count, "entity mapping"))"])
    lines += head.lines(indent: 2)
    for warning in warnings { lines.append("  " + warning) }
    for mapping in model.entityMappings { lines += [""] + Self.lines(mapping) }
    return lines.asText
  }

  private static func lines(_ mapping: MappingModelFile.EntityMapping) -> [String] {
    var lines = ["\(mapping.name): \(mapping.way)"]
    var head = TextTable()
    head.add(["type", mapping.type.editorName])
    let facts = [
      ("policy", mapping.policyClassName), ("source objects", mapping.sourceExpression?.text),
      ("source hash", mapping.sourceHash?.hexadecimal), ("destination hash", mapping.destinationHash?.hexadecimal),
    ]
    for (name, value) in facts where value != nil { head.add([name, value]) }
    lines += head.lines(indent: 2)
    var table = TextTable()
    for property in mapping.attributeMappings + mapping.relationshipMappings {
      table.add([property.name, property.expression.map { "= \($0.text)" } ?? "as the new object has it"])
    }
    return lines + table.lines(indent: 2)
  }

  // JSON.

  public var json: JSONValue {
    .record([
      "kind": .string("mapping"), "path": .string(url.path), "form": .string(kind.form),
      "warnings": .strings(warnings),
      "entityMappings": .array(
        model.entityMappings.map { mapping in
          .record([
            "name": .string(mapping.name), "type": .string(mapping.type.editorName),
            "source": .text(mapping.sourceName), "destination": .text(mapping.destinationName),
            "policy": .text(mapping.policyClassName), "sourceObjects": .text(mapping.sourceExpression?.text),
            "sourceHash": .text(mapping.sourceHash?.hexadecimal),
            "destinationHash": .text(mapping.destinationHash?.hexadecimal),
            "attributes": Self.json(mapping.attributeMappings),
            "relationships": Self.json(mapping.relationshipMappings),
          ])
        }),
    ])
  }

  private static func json(_ mappings: [MappingModelFile.PropertyMapping]) -> JSONValue {
    .array(mappings.map { .record(["name": .string($0.name), "value": .text($0.expression?.text)]) })
  }
}

extension MappingModelFile.EntityMapping {
  /// `Book to Volume`, `Book is left behind`, `Note is new`.
  fileprivate var way: String {
    switch (sourceName, destinationName) {
    case (let source?, let destination?): source == destination ? source : "\(source) to \(destination)"
    case (let source?, nil): "\(source) is left behind"
    case (nil, let destination?): "\(destination) is new"
    case (nil, nil): "nothing to nothing"
    }
  }
}
