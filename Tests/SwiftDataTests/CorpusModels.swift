import Foundation
import SwiftData

/// Models of the public applications whose stores are in the corpus. They were written from what the stores contain.
enum Vacuum {
  enum Rating: String, Codable {
    case easy = "Easy"
    case medium = "Medium"
    case hard = "Hard"
  }
  @Model class Challenge: Identifiable {
    var id: UUID
    var name: String
    var rating: Rating?
    init(id: UUID = UUID(), name: String, rating: Rating? = nil) {
      self.id = id
      self.name = name
      self.rating = rating
    }
  }
}

enum Scheduler {
  struct UserInfo: Codable, Equatable {
    var userInfo: [String: Data] = [:]
  }
  struct Text: Codable {
    /// Whatever a format string takes: not looked into.
    struct Argument: Codable {
      init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Keys.self) }
      func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Keys.self) }
      enum Keys: CodingKey {}
    }
    var arguments: [Argument]
    var key: String
  }
  enum Policy: Codable {
    case sameDay
    case afterStart
    case sameDayAfterStart
    case duringEvent
    case anytime
  }
  enum Thread: Codable {
    case global
    case task
    case custom(String)
    case none
  }
  struct Time: Codable, Equatable {
    var hour: Int
    var minute: Int
    var second: Int
  }
  enum Length: Codable, Equatable {
    case allDay
    case tillEndOfDay
    case duration(Duration)
  }
  enum Hint: Codable, Equatable {
    case components(month: Int?, day: Int?, hour: Int?, minute: Int?, second: Int?, weekday: Int?)
    case allDayNotification(weekday: Int?)
    case none
  }
  struct Plan: Codable, Equatable {
    var startDate: Date
    var scheduleDuration: Length
    var recurrenceRule: Data?
    var notificationMatchingHint: Hint
  }

  @Model final class Outcome {
    #Index<Outcome>([\.id], [\.occurrenceStartDate])
    @Attribute(.unique) var id: UUID
    private(set) var completionDate: Date
    private(set) var occurrenceStartDate: Date
    private(set) var task: Task
    private var userInfo = UserInfo()
    @Transient private var cache = 0

    init(task: Task, start: Date) {
      id = UUID()
      completionDate = .now
      occurrenceStartDate = start
      self.task = task
    }
  }

  @Model final class Task {
    #Unique<Task>([\.nextVersion], [\.id, \.nextVersion])
    #Index<Task>([\.id], [\.effectiveFrom], [\.effectiveFrom, \.nextVersion])
    private(set) var id: String
    var title: Text
    private(set) var instructions: Text
    private var categoryValue: String?
    var category: String? {
      @storageRestrictions(initializes: _categoryValue, accesses: _$backingData)
      init(initialValue) {
        _categoryValue = .init()
        _$backingData.setValue(forKey: \.categoryValue, to: initialValue)
      }
      get { categoryValue }
      set { categoryValue = newValue }
    }
    var schedule: Plan
    var completionPolicy: Policy
    var scheduleNotifications: Bool
    var notificationTime: Time?
    var notificationThread: Thread
    var tags: [String]
    @Relationship(deleteRule: .cascade, inverse: \Outcome.task) var outcomes: [Outcome]
    var effectiveFrom: Date
    @Relationship(inverse: \Task.nextVersion) var previousVersion: Task?
    @Relationship(deleteRule: .cascade) var nextVersion: Task?
    private(set) var userInfo: UserInfo

    init(id: String, title: Text, schedule: Plan) {
      self.id = id
      self.title = title
      instructions = title
      category = nil
      self.schedule = schedule
      completionPolicy = .anytime
      scheduleNotifications = false
      notificationThread = .global
      tags = []
      outcomes = []
      effectiveFrom = schedule.startDate
      userInfo = UserInfo()
    }
  }
}
