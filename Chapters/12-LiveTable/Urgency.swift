/// How long a patient may wait: the section of the table in which the patient stands.
public enum Urgency: Int16, CaseIterable, Sendable {
  case immediate = 1
  case veryUrgent
  case urgent
  case standard
  case notUrgent

  public var title: String {
    switch self {
    case .immediate: "Immediate"
    case .veryUrgent: "Very urgent"
    case .urgent: "Urgent"
    case .standard: "Standard"
    case .notUrgent: "Not urgent"
    }
  }

  /// The title of a section of that name: a fetched results controller's sections are named by
  /// the value, `1` to `5`.
  public static func title(ofSection name: String) -> String {
    Int16(name).flatMap(Urgency.init)?.title ?? name
  }

  public var raised: Urgency { Urgency(rawValue: rawValue - 1) ?? self }
  public var lowered: Urgency { Urgency(rawValue: rawValue + 1) ?? self }
}
