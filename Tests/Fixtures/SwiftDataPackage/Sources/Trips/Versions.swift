import Foundation
import SwiftData

public enum LogV1: VersionedSchema {
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  public static var models: [any PersistentModel.Type] { [Entry.self] }

  @Model
  public final class Entry {
    public var text: String
    public init(text: String) { self.text = text }
  }
}

public enum LogV2: VersionedSchema {
  public static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  public static var models: [any PersistentModel.Type] { [Entry.self] }

  @Model
  public final class Entry {
    @Attribute(originalName: "text") public var title: String
    public var length: Int = 0
    public init(title: String) { self.title = title }
  }
}

public enum LogPlan: SchemaMigrationPlan {
  public static var schemas: [any VersionedSchema.Type] { [LogV1.self, LogV2.self] }
  public static var stages: [MigrationStage] { [toV2] }

  static let toV2 = MigrationStage.custom(
    fromVersion: LogV1.self, toVersion: LogV2.self, willMigrate: nil,
    didMigrate: { context in
      for entry in try context.fetch(FetchDescriptor<LogV2.Entry>()) { entry.length = entry.title.count }
      try context.save()
    })
}
