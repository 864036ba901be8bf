import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import LiveTableChapter

@main
struct LiveTableProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "LiveTable",
    abstract: "A table that follows the store: in a terminal, or told as text.",
    discussion:
      "What goes to standard error would spoil the table; send it to a file with 2>FILE.")

  @OptionGroup var store: StoreOptions

  @Flag(help: "Tell it as text, also in a terminal.")
  var plain = false

  @Flag(help: "In a terminal: let another writer change something now and then.")
  var writer = false

  @Option(help: ArgumentHelp("How often that is.", valueName: "seconds"))
  var every = 1.5

  @Flag(
    name: .customLong("break"),
    help: "Ask for sections that the order of the fetch tears apart.")
  var breaksSections = false

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether(["--writer": writer, "--plain": plain])
    try refuseTogether(["--writer": writer, "--break": breaksSections])
    guard every >= 0.05, every <= 3600 else {
      throw ValidationError("--every is a number of seconds from 0.05 to 3600.")
    }
  }

  @MainActor func perform() async throws {
    let isInTerminal = Terminal.isThere && !plain && !breaksSections
    let folder = try store.openFolder(
      for: "LiveTable", stores: [WaitingRoomStack.storeName], announcing: !isInTerminal)
    let stack = try WaitingRoomStack(folder: folder)
    let reception = Reception(stack)
    if isInTerminal {
      try await WaitingRoomScript.seed(reception, now: Date())
      try await LiveTable(stack, reception).run(writing: writer ? every : nil)
      return try stack.close()
    }
    try await WaitingRoomScript.seed(reception, now: WaitingRoomScript.fixedTime)
    if breaksSections { return try showTornSections(stack) }
    try await PlainTable(stack, reception, folder).tell()
    try stack.close()
  }

  //> torn-sections
  @MainActor private func showTornSections(_ stack: WaitingRoomStack) throws {
    Output.heading("Sections by urgency, in the order of arrival")
    let request: NSFetchRequest<Patient> = Patient.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "arrival", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: stack.viewContext,
      sectionNameKeyPath: "urgency", cacheName: nil)
    do {
      try controller.performFetch()
    } catch {
      for (index, patient) in try stack.viewContext.fetch(request).enumerated() {
        Output.line("\(index): urgency \(patient.urgency), \(patient.name ?? "")")
      }
      Output.line("performFetch() says \((error as NSError).code)")
      Output.line("sections: \(controller.sections.map { "\($0.count)" } ?? "none")")
      throw error
    }
  }
  //< torn-sections
}
