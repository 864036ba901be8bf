import DataModelFiles
import Foundation

/// The data model that most exercises share.
package struct ExerciseModel {
  /// The `.xcdatamodeld` folder.
  package let folder: URL
  private let model: DataModel

  /// - Throws: `LearningProblem` if there is no model, or if it can't be read.
  package init(course: Course) throws {
    let place = course.package.appendingPathComponent("Support", isDirectory: true)
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []).sorted()
    guard let name = names.first(where: { $0.hasSuffix(".xcdatamodeld") }) else {
      throw LearningProblem("There is no .xcdatamodeld in \(course.shown(place)).")
    }
    folder = place.appendingPathComponent(name, isDirectory: true)
    do {
      let package = try SourceModelReader.package(ofVersionsIn: folder)
      model = package.versions.first { $0.name == package.currentVersionName } ?? package.versions[0]
    } catch {
      throw LearningProblem("The model \(course.shown(folder)) can't be read: \(error)")
    }
  }

  /// The model's name: `Bookshop`.
  package var name: String { folder.deletingPathExtension().lastPathComponent }

  package var entityNames: [String] { model.entities.map(\.name).sorted() }

  /// An entity and its properties: for each the name, the Swift type, and other facts.
  package struct Entity: Equatable {
    package var name: String
    package var properties: [(name: String, type: String, facts: String)]

    package static func == (left: Entity, right: Entity) -> Bool {
      left.name == right.name && left.properties.elementsEqual(right.properties, by: ==)
    }
  }

  package var entities: [Entity] {
    model.entities.sorted { $0.name < $1.name }.map { entity in
      let attributes = entity.attributes.sorted { $0.name < $1.name }.map { attribute in
        var facts: [String] = []
        if !attribute.isOptional { facts.append("required") }
        if let value = attribute.defaultValue { facts.append("default \(words(value))") }
        if entity.uniquenessConstraints.contains([attribute.name]) { facts.append("unique") }
        return (attribute.name, attribute.type.editorName, facts.joined(separator: ", "))
      }
      let relationships = entity.relationships.sorted { $0.name < $1.name }.map {
        relationship -> (String, String, String) in
        var facts = relationship.inverseName.map { ["inverse \($0)"] } ?? []
        facts.append("delete rule \(relationship.deleteRule.editorName)")
        if relationship.isOrdered { facts.append("ordered") }
        if !relationship.isOptional { facts.append("at least \(max(relationship.minCount, 1))") }
        if relationship.maxCount > 1 { facts.append("at most \(relationship.maxCount)") }
        return (
          relationship.name, "to-\(relationship.isToMany ? "many" : "one") \(relationship.destinationName)",
          facts.joined(separator: ", ")
        )
      }
      return Entity(name: entity.name, properties: attributes + relationships)
    }
  }

  private func words(_ value: DataModel.Value) -> String {
    switch value {
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .date(let value): "\(Date(timeIntervalSinceReferenceDate: value))"
    case .data(let bytes): "\(bytes.count) bytes"
    case .uuid(let value): value.uuidString
    case .uri(let value): value
    }
  }
}

extension Exercise {
  /// Whether the exercise uses the shared model. Its tests then ask the bench for it.
  package var usesSharedModel: Bool {
    SourceFolder.files(in: tests).contains { file in
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      return text.contains("Bench.model") || text.contains(".makeCoordinator(")
    }
  }
}
