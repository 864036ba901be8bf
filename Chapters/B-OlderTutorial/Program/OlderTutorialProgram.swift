import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import OlderTutorialChapter
import StoreFileReader

extension Ending: ExpressibleByArgument {}

@main
struct OlderTutorialProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "OlderTutorial",
    abstract: "What lines of older tutorials do: where their files go, what they ask, and how they end a program.")

  @OptionGroup var store: StoreOptions

  @Option(help: "Run one line that ends the program.")
  var end: Ending?

  static let storeName = "OlderTutorial.sqlite"
  /// A device has the name that the folder would have.
  static let nowhere = URL(fileURLWithPath: "/dev/null/OlderTutorial.sqlite")

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "OlderTutorial", stores: [Self.storeName], announcing: end == nil)
    if let end {
      end.run(at: Self.nowhere)
      return
    }
    let url = folder.appendingPathComponent(Self.storeName)
    try await showYesterday(url)
    try showNames(url)
    showFolders()
    await showThreads()
    showError()
    try showEndings(folder)
  }

  @MainActor private func showYesterday(_ url: URL) async throws {
    Output.heading("A stack of yesterday, on a good day")
    var stack: YesterdaysStack?
    await withCheckedContinuation { continuation in
      stack = YesterdaysStack(at: url) { continuation.resume() }
    }
    guard let context = stack?.managedObjectContext else { return }
    Output.line("called back on \(CurrentQueue.name)")
    for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
      try context.persistentStoreCoordinator?.remove(store)
    }
  }

  @MainActor private func showNames(_ url: URL) throws {
    Output.heading("The same object, in the names of yesterday and of today")
    let container = NSPersistentContainer(name: "OlderTutorial")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    container.loadPersistentStores { _, _ in }
    let context = container.viewContext
    //> names
    // Yesterday: names in strings, values by key, a cast.
    let ada = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
    ada.setValue("Ada", forKey: "name")
    let old = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
    let people = try context.fetch(old) as? [NSManagedObject] ?? []

    // Today: the compiler knows the class, its properties and the request's result.
    let grace = Person(context: context)
    grace.name = "Grace"
    let persons = try context.fetch(Person.fetchRequest())
    //< names
    Output.line("by strings: \(people.compactMap { $0.value(forKey: "name") as? String }.sorted())")
    Output.line("by types:   \(persons.compactMap(\.name).sorted())")
    try context.save()
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    let rows = try StoreFileReader(contentsOf: url).rowCount(of: "ZPERSON")
    Output.line("the file holds \(Output.count(rows, "row")), and can't tell them apart")
  }

  @MainActor private func showFolders() {
    Output.heading("One letter short: which folder?")
    //> folders
    let files = FileManager.default
    let documents = files.urls(for: .documentDirectory, in: .userDomainMask)
    let documentation = files.urls(for: .documentationDirectory, in: .userDomainMask)
    //< folders
    Output.line("documentDirectory:      \(Output.count(documents.count, "URL"))")
    let exists = documentation.first.map { files.fileExists(atPath: $0.path) } ?? false
    Output.line("documentationDirectory: \(Output.count(documentation.count, "URL")), exists: \(exists)")
  }

  @MainActor private func showThreads() async {
    Output.heading("Which thread is this?")
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        //> threads
        let main: Thread? = Thread.mainThread
        Output.line("there is a main thread:  \(main != nil)")
        Output.line("this is the main thread: \(Thread.isMainThread)")
        //< threads
        continuation.resume()
      }
    }
  }

  @MainActor private func showError() {
    Output.heading("What an error knows")
    let container = NSPersistentContainer(name: "OlderTutorial")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: Self.nowhere)]
    container.loadPersistentStores { _, error in
      guard let error else { return }
      //> user-info
      let failure = error as NSError
      Output.line("domain and code: \(failure.domain) \(failure.code)")
      Output.line("its file:        \(failure.userInfo[NSFilePathErrorKey] ?? "not named")")
      //< user-info
    }
  }

  /// Each line in a program of its own, since none of them lets it live.
  @MainActor private func showEndings(_ folder: URL) throws {
    Output.heading("Four lines that end a program")
    var rows = [["the line", "the program ended", "standard output"]]
    for ending in Ending.allCases {
      let child = Process()
      child.executableURL = Bundle.main.executableURL
      child.arguments = ["--store", folder.path, "--end", ending.rawValue]
      child.environment = ["SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/bin", "HOME": folder.path]
      let output = Pipe()
      child.standardOutput = output
      child.standardError = FileHandle.nullDevice
      try child.run()
      let said = output.fileHandleForReading.readDataToEndOfFile()
      child.waitUntilExit()
      let isSignal = child.terminationReason == .uncaughtSignal
      rows.append([ending.line, isSignal ? "by a signal" : "by itself", said.isEmpty ? "empty" : "not empty"])
    }
    Output.table(rows)
  }
}
