import ChapterSupport
import CoreData
import Foundation
import LiveTableChapter
import StoreFileReader

/// The same list told as text: the table, and each batch of changes as lines. The same on every
/// run with a fresh store.
@MainActor final class PlainTable {
  let stack: WaitingRoomStack
  let reception: Reception
  let list: PatientList
  let url: URL
  let now = WaitingRoomScript.fixedTime
  /// The last batch, and the list before it.
  var last: (batch: ListBatch, before: ShownList)?
  private var told: [String] = []

  init(_ stack: WaitingRoomStack, _ reception: Reception, _ folder: URL) throws {
    self.stack = stack
    self.reception = reception
    url = folder.appendingPathComponent(WaitingRoomStack.storeName)
    list = try PatientList(stack.viewContext, timeZone: TimeZone(secondsFromGMT: 0)!)
    list.onBatch = { [weak self] batch, before in
      MainActor.assumeIsolated { self?.note(batch, before) }
    }
  }

  private func note(_ batch: ListBatch, _ before: ShownList) {
    last = (batch, before)
    told += batch.lines(before: before)
  }

  //> step
  /// Prints what happens, lets it happen, prints what the list was told, and asks the store
  /// whether that was all.
  func step(_ what: String, _ write: () async throws -> Void) async throws {
    Output.line(what)
    told = []
    try await write()
    let count = try stack.viewContext.count(for: list.controller.fetchRequest)
    for line in told { Output.line("  \(line)") }
    Output.line("  rows in the table: \(list.shown.rows.count), in the store: \(count)")
  }
  //< step

  func tell() async throws {
    Output.heading("The table")
    show(list.shown)
    try await tellSingleChanges()
    try await tellOneSave()
    try await tellFilter()
    try await tellOtherForms()
    try await tellScreen()
    Output.heading("In the file")
    let reader = try StoreFileReader(contentsOf: url)
    Output.line("\(Output.count(try reader.rowCount(of: "ZPATIENT"), "row")) in ZPATIENT")
  }

  func show(_ list: ShownList) {
    for section in list.sections {
      Output.line(Urgency.title(ofSection: section.name))
      for row in section.rows {
        Output.line(
          "  \(row.arrival)  \(row.name), \(row.complaint)\(row.room.map { ", \($0)" } ?? "")")
      }
    }
  }

  /// The id of the patient of that name; an error if there is none.
  func id(_ name: String) throws -> NSManagedObjectID {
    guard let row = list.shown.rows.first(where: { $0.name == name }) else {
      throw ChapterFailure("\(name) is not in the table; begin with --fresh.")
    }
    return row.id
  }

  private func tellSingleChanges() async throws {
    Output.heading("One change, one batch")
    //> single-changes
    try await step("Ines Moreau comes in:") {
      try await reception.admit(WaitingRoomScript.newcomers[0], at: now)
    }
    try await step("Aylin Demir is called:") {
      try await reception.call(try id("Aylin Demir"), into: "Room 2")
    }
    try await step("Tom Okafor is worse:") {
      try await reception.setUrgency(.veryUrgent, of: try id("Tom Okafor"))
    }
    try await step("Rosa Conti goes home:") {
      try await reception.discharge(try id("Rosa Conti"))
    }
    //< single-changes
    show(list.shown)
  }

  private func tellOneSave() async throws {
    Output.heading("Many changes, one batch")
    let (jonas, piet, mara) = (
      try id("Jonas Weber"), try id("Piet Janssen"), try id("Mara Lindt")
    )
    let aylin = try id("Aylin Demir")
    let now = now
    //> one-save
    try await step("A quarter of an hour in one save:") {
      try await reception.write { context in
        try Reception.patient(aylin, in: context).urgency = Urgency.veryUrgent.rawValue
        try Reception.patient(piet, in: context).urgency = Urgency.immediate.rawValue
        try Reception.patient(mara, in: context).room = "Room 1"
        context.delete(try Reception.patient(jonas, in: context))
        Reception.admit(WaitingRoomScript.newcomers[2], at: now - 7200, in: context)
      }
    }
    //< one-save
    Output.line("the table that was told is the controller's: \(list.shown == list.listed)")
    show(list.shown)

    Output.heading("The same batch, change by change")
    guard let (batch, before) = last else { return }
    //> one-by-one
    var wrong = before
    do {
      try wrong.applyOneByOne(batch)
      Output.line("no error; right: \(wrong == list.listed)")
    } catch {
      Output.line("stopped: \(error)")
    }
    show(wrong)
    //< one-by-one
  }
}
