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
