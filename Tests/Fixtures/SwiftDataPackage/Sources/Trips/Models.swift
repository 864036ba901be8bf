import Foundation
import SwiftData

/// The models as a tutorial writes them.
@Model
public final class Trip {
  @Attribute(.unique) public var name: String
  public var destination: String
  public var startDate: Date
  public var endDate: Date
  @Relationship(deleteRule: .cascade, inverse: \Stay.trip) public var stays: [Stay] = []
  public var tags: [String] = []
  @Transient public var isSelected = false

  public init(name: String, destination: String, startDate: Date = .now, endDate: Date = .now) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }
}

@Model
public final class Stay {
  public var place: String
  public var nights: Int
  public var kind: Kind
  public var trip: Trip?

  public enum Kind: String, Codable, CaseIterable { case hotel, tent }

  public init(place: String, nights: Int, kind: Kind = .hotel) {
    self.place = place
    self.nights = nights
    self.kind = kind
  }
}

/// A class that other systems compile without SwiftData, with attributes that depend on the system.
#if canImport(SwiftData)
@Model
#endif
public final class Photo {
  #if canImport(SwiftData)
  @Attribute(.externalStorage)
  #endif
  public var data: Data
  #if os(Linux)
  @Attribute(.unique)
  #endif
  public var name: String
  #if os(Windows)
  @Attribute(.unique)
  #else
  @Attribute(originalName: "town")
  #endif
  public var place = ""
  #if canImport(SwiftData)
  @Transient
  #endif
  public var isShown = false

  public init(name: String, data: Data) {
    self.name = name
    self.data = data
  }

  #if canImport(ObjectiveC)
  @objc
  #endif
  public func show() { isShown = true }
}

/// A protocol of models whose name ends as that of all models does.
public protocol SyncedPersistentModel: PersistentModel {
  var isSynced: Bool { get set }
}

@Model
public class Place {
  public var name: String
  public init(name: String) { self.name = name }
}

@Model
public final class Camp: Place, SyncedPersistentModel {
  public var isSynced = false
  public override init(name: String) { super.init(name: name) }
}
