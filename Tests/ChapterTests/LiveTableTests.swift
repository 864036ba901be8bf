import CoreData
import Foundation
import LiveTableChapter
import StoreFileReader
import TestFiles
import Testing

@Suite("Chapter 12: a live table", .serialized)
@MainActor
struct LiveTableTests {
  let folder: TemporaryFolder
  let stack: WaitingRoomStack
  let reception: Reception
  let list: PatientList
  let zone = TimeZone(secondsFromGMT: 0)!

  private var context: NSManagedObjectContext { stack.viewContext }

  init() async throws {
    folder = TemporaryFolder()
    stack = try WaitingRoomStack(folder: folder.url)
    reception = Reception(stack)
    try await WaitingRoomScript.seed(reception, now: WaitingRoomScript.fixedTime)
    list = try PatientList(stack.viewContext, timeZone: zone)
  }

  private func id(_ name: String) throws -> NSManagedObjectID {
    try #require(list.shown.rows.first { $0.name == name }).id
  }

  private func names(_ list: ShownList) -> [String] {
    list.sections.map { "\($0.name): \($0.rows.map(\.name).joined(separator: ", "))" }
  }

  @Test(
    "Patients stand in sections by urgency, each in the order of arrival, shown in the zone that was given"
  )
  func sections() throws {
    #expect(
      names(list.shown) == [
        "2: Mara Lindt", "3: Aylin Demir, Tom Okafor", "4: Jonas Weber, Piet Janssen", "5: Rosa Conti",
      ])
    #expect(list.shown.sections[0].rows[0].arrival == "07:55")
    let india = try PatientList(context, timeZone: TimeZone(secondsFromGMT: 19_800)!)
    #expect(india.shown.sections[0].rows[0].arrival == "13:25")
    try stack.close()
  }

  @Test("When a write returns the table has it: each save is one batch")
  func batches() async throws {
    var told: [[String]] = []
    list.onBatch = { batch, before in told.append(batch.lines(before: before)) }
    try await reception.setUrgency(.veryUrgent, of: try id("Tom Okafor"))
    try await reception.discharge(try id("Rosa Conti"))
    #expect(
      told == [["move 1.1 -> 0.0 Tom Okafor"], ["delete section 3, Not urgent", "delete 3.0 Rosa Conti"]])
    #expect(list.shown == list.listed)
    try stack.close()
  }

  @Test(
    "Random saves, replayed from what is told, give what a fetch gives; so do snapshots and differences"
  )
  func randomBatches() async throws {
    let snapshots = SnapshotList()
    let bySection = NSFetchedResultsController(
      fetchRequest: list.controller.fetchRequest, managedObjectContext: context,
      sectionNameKeyPath: "urgency",
      cacheName: nil)
    bySection.delegate = snapshots
    try bySection.performFetch()
    let arrivals = NSFetchedResultsController(
      fetchRequest: list.controller.fetchRequest, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    try arrivals.performFetch()
    let differences = DifferenceList((arrivals.fetchedObjects ?? []).map(\.objectID))
    arrivals.delegate = differences

    var wentWrong = 0
    list.onBatch = { batch, before in
      var oneByOne = before
      let isDone: Void? = try? oneByOne.applyOneByOne(batch)
      if isDone == nil || oneByOne != self.list.listed { wentWrong += 1 }
    }
    for seed in 1...60 {
      try await reception.write { context in
        var random = Numbers(seed: UInt64(seed))
        for patient in try context.fetch(Patient.fetchRequest() as NSFetchRequest<Patient>)
          .sorted(by: { $0.name! < $1.name! })
        {
          switch random.next(8) {
          case 0: context.delete(patient)
          case 1, 2: patient.urgency = Int16(random.next(5) + 1)
          case 3: patient.room = "Room \(random.next(9))"
          case 4: patient.arrival = patient.arrival! + Double(random.next(100) - 50) * 60
          default: break
          }
        }
        for number in 0..<random.next(4) {
          let newcomer = Newcomer("N\(seed)-\(number)", "ache", Urgency(rawValue: Int16(random.next(5) + 1))!)
          Reception.admit(
            newcomer, at: WaitingRoomScript.fixedTime + Double(random.next(100)) * 60, in: context)
        }
      }
      #expect(list.shown == list.listed, "seed \(seed)")
      #expect(list.shown == (try PatientList(context, timeZone: zone)).shown, "seed \(seed)")
      #expect(snapshots.snapshot.itemIdentifiers == list.shown.rows.map(\.id), "seed \(seed)")
      #expect(snapshots.snapshot.sectionIdentifiers == list.shown.sections.map(\.name), "seed \(seed)")
      #expect(differences.ids == arrivals.fetchedObjects?.map(\.objectID), "seed \(seed)")
    }
    // The order matters not only in the chapter's example.
    #expect(wentWrong > 20)
    try stack.close()
  }

  @Test("A patient who comes to match the filter is listed, and one who ceases to is not")
  func filter() async throws {
    let (tom, piet) = (try id("Tom Okafor"), try id("Piet Janssen"))
    try list.setFilter("FÉVER")
    #expect(names(list.shown) == ["3: Aylin Demir"])
    try await reception.write { try Reception.patient(tom, in: $0).complaint = "fever" }
    #expect(names(list.shown) == ["3: Aylin Demir, Tom Okafor"])
    try await reception.write { try Reception.patient(piet, in: $0).complaint = "fever" }
    #expect(names(list.shown) == ["3: Aylin Demir, Tom Okafor", "4: Piet Janssen"])
    try await reception.write { try Reception.patient(tom, in: $0).complaint = "wrist" }
    #expect(names(list.shown) == ["3: Aylin Demir", "4: Piet Janssen"])
    try stack.close()
  }

  @Test("A write that fails leaves file and table as they were, and the next one works")
  func failingWrite() async throws {
    let rosa = try id("Rosa Conti")
    try await reception.discharge(rosa)
    let before = list.shown
    await #expect {
      try await reception.call(rosa, into: "Room 1")
    } throws: {
      ($0 as NSError).code == NSManagedObjectReferentialIntegrityError
    }
    await #expect(throws: CocoaError.self) {
      try await reception.admit(Newcomer("", "no name", .urgent), at: WaitingRoomScript.fixedTime)
    }
    #expect(list.shown == before && list.listed == before)
    try await reception.admit(WaitingRoomScript.newcomers[0], at: WaitingRoomScript.fixedTime)
    #expect(list.shown.rows.count == 6)
    let file = folder.url.appendingPathComponent(WaitingRoomStack.storeName)
    #expect(try StoreFileReader(contentsOf: file).rowCount(of: "ZPATIENT") == 6)
    try stack.close()
  }

  @Test(
    "A filter may be any text; what is special in predicates is not special in it",
    arguments: ["%@", "*", "'", "\""])
  func anyFilter(text: String) async throws {
    try list.setFilter(text)
    #expect(list.shown.sections.isEmpty)
    try await reception.admit(Newcomer("A \(text) B", "", .urgent), at: WaitingRoomScript.fixedTime)
    #expect(list.shown.rows.count == 1)
    try stack.close()
  }

  @Test("A busy morning goes through all kinds of changes, and the table follows")
  func busyMorning() async throws {
    var kinds: Set<NSFetchedResultsChangeType> = []
    list.onBatch = { batch, _ in kinds.formUnion(batch.rows.map(\.type)) }
    var morning = BusyMorning(reception)
    for step in 0..<60 {
      _ = try await morning.next(now: WaitingRoomScript.fixedTime + Double(step))
      #expect(list.shown == list.listed)
    }
    #expect(kinds == [.insert, .delete, .move, .update])
    try stack.close()
  }
}

/// Numbers that are the same on every run.
private struct Numbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % limit
  }
}
