import Foundation
import SwiftData

/// A module whose declarations are the main actor's unless they say otherwise, in Swift 6, as new projects are set up.
@Model
public final class Entry {
  public var text: String
  @Relationship(deleteRule: .cascade, inverse: \Picture.entry) public var pictures: [Picture] = []
  public init(text: String) { self.text = text }
}

@Model
public final class Picture {
  @Attribute(.externalStorage) public var data: Data
  public var entry: Entry?
  public init(data: Data) { self.data = data }
}

@Model
public class Plan {
  public var title: String
  public init(title: String) { self.title = title }
}

@Model
public final class Appointment: Plan {
  public var place: String
  public init(title: String, place: String) {
    self.place = place
    super.init(title: title)
  }
}

@ModelActor
public actor DiaryWriter {
  public func write(_ text: String) throws -> PersistentIdentifier {
    let entry = Entry(text: text)
    modelContext.insert(entry)
    try modelContext.save()
    return entry.persistentModelID
  }
}

public enum DiaryV1: VersionedSchema {
  public static let versionIdentifier = Schema.Version(1, 0, 0)
  public static var models: [any PersistentModel.Type] { [Entry.self, Picture.self, Plan.self, Appointment.self] }
}

public enum DiaryPlan: SchemaMigrationPlan {
  public static var schemas: [any VersionedSchema.Type] { [DiaryV1.self] }
  public static let stages: [MigrationStage] = []
}

/// What a program shows: the main actor's, with the main context.
public final class Diary {
  public let container: ModelContainer
  public init() throws {
    container = try ModelContainer(
      for: Schema(versionedSchema: DiaryV1.self), migrationPlan: DiaryPlan.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  public func texts(containing typed: String) throws -> [String] {
    let wanted = FetchDescriptor<Entry>(
      predicate: #Predicate { $0.text.localizedStandardContains(typed) && $0.pictures.isEmpty },
      sortBy: [SortDescriptor(\.text)])
    return try container.mainContext.fetch(wanted).map(\.text)
  }
}
