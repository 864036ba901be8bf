import CoreData

/// Made-up patients, and a clock that stands still.
public enum WaitingRoomScript {
  /// 2024-03-04 08:00 UTC.
  public static let fixedTime = Date(timeIntervalSince1970: 1_709_539_200)

  /// Those who sit there when the program begins, with the minutes that they have waited.
  public static let waiting: [(newcomer: Newcomer, minutes: Int)] = [
    (Newcomer("Rosa Conti", "rash", .notUrgent), 40),
    (Newcomer("Jonas Weber", "sprained ankle", .standard), 35),
    (Newcomer("Aylin Demir", "high fever", .urgent), 30),
    (Newcomer("Piet Janssen", "cut hand", .standard), 22),
    (Newcomer("Tom Okafor", "broken wrist", .urgent), 15),
    (Newcomer("Mara Lindt", "chest pain", .veryUrgent), 5),
  ]

  /// Those who come later, one after the other, and then again.
  public static let newcomers: [Newcomer] = [
    Newcomer("Ines Moreau", "headache", .standard),
    Newcomer("Karl Holm", "stomach ache", .urgent),
    Newcomer("Lucia Serra", "bee sting", .standard),
    Newcomer("Ben Adler", "dizziness", .urgent),
    Newcomer("Nora Vik", "earache", .notUrgent),
    Newcomer("Samir Haddad", "burnt arm", .veryUrgent),
    Newcomer("Olga Petrova", "back ache", .standard),
    Newcomer("Yuki Mori", "nosebleed", .notUrgent),
  ]

  /// Fills an empty store, in one save.
  public static func seed(_ reception: Reception, now: Date) async throws {
    try await reception.write { context in
      guard try context.count(for: Patient.fetchRequest() as NSFetchRequest<Patient>) == 0
      else { return }
      for (newcomer, minutes) in waiting {
        Reception.admit(newcomer, at: now - Double(minutes * 60), in: context)
      }
    }
  }
}

/// A busy morning: another writer changes a little each time. The same steps in each run.
public struct BusyMorning {
  private let reception: Reception
  private var step = 0

  public init(_ reception: Reception) { self.reception = reception }

  /// One save by the writer, and what it was in words.
  public mutating func next(now: Date) async throws -> String {
    let step = step
    self.step += 1
    let newcomer = WaitingRoomScript.newcomers[step / 3 % WaitingRoomScript.newcomers.count]
    return try await reception.write { context in
      let request: NSFetchRequest<Patient> = Patient.fetchRequest()
      request.sortDescriptors = [
        NSSortDescriptor(key: "urgency", ascending: true),
        NSSortDescriptor(key: "arrival", ascending: true),
      ]
      let patients = try context.fetch(request)
      // A patient who is called has been treated two rounds later.
      let called = patients.first { $0.room == nil }
      switch step % 6 {
      case 0, 3:
        Reception.admit(newcomer, at: now, in: context)
        return "\(newcomer.name) came in"
      case 1, 4:
        called?.room = "Room \(step % 4 + 1)"
        return "\(called?.name ?? "no one") was called"
      case 2:
        let worse = patients.last { $0.urgency > 1 }
        worse?.urgency -= 1
        return "\(worse?.name ?? "no one") is worse"
      default:
        let treated = patients.first { $0.room != nil }
        if let treated { context.delete(treated) }
        return "\(treated?.name ?? "no one") goes home"
      }
    }
  }
}
