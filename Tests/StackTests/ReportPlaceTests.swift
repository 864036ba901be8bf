import Foundation
import Synchronization
import Testing

@testable import CoreData

/// Where reports point to, and how often they come.
@Suite("Reports name the reader's line")
struct ReportPlaceTests {
  /// Runs a body off the queue of a context without a name, in a program of its own that only reports, and gives the
  /// reports.
  private func reports(_ result: ExitTest.Result?) throws -> [String] {
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    return words.components(separatedBy: "An unnamed context was used off its queue.").dropFirst().map { $0 }
  }

  @Test("One save off the queue is one report, with the function it stands in, and says how to stop there")
  func oneSave() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let context = try reportingContext()
      context.performAndWait { _ = context.new("Tag") }
      await onAnotherThread { saveTheTag(context) }
    }
    let reports = try reports(result)
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    #expect(report.contains("Call:  NSManagedObjectContext.save()"))
    #expect(report.contains("Queue: private queue of an unnamed context; called on a background thread"))
    // The line itself is looked for in programs smaller than the tests': a chapter's.
    #expect(report.contains("in saveTheTag(_:)") || report.contains("At:    saveTheTag(_:)"))
    #expect(report.contains("-com.apple.CoreData.ConcurrencyDebug 1"))
  }

  @Test("The place of a call has its file, its line and its function")
  func line() throws {
    let (site, line) = (siteOfThisLine(), lineOfSite)
    let found = try #require(site).description
    #expect(found == "ReportPlaceTests.swift:\(line), in siteOfThisLine()")
  }

  @Test("The place of a call is found on threads of all kinds, whatever their outermost frames leave on the stack")
  func threads() async throws {
    let found = Mutex<[String]>([])
    @Sendable func look() {
      let place = CallSite.ofClient(findsLine: false)?.function ?? "nothing"
      found.withLock { $0.append(place) }
    }
    for quality in [DispatchQoS.QoSClass.background, .utility, .default, .userInitiated] {
      for _ in 0..<2 { DispatchQueue.global(qos: quality).sync(execute: look) }
      await withCheckedContinuation { done in
        DispatchQueue.global(qos: quality).async {
          look()
          done.resume()
        }
      }
      let queue = DispatchQueue(label: "place", qos: .init(qosClass: quality, relativePriority: 0))
      await withCheckedContinuation { done in
        queue.async {
          // A queue within a queue, as contexts have them.
          DispatchQueue(label: "inner").sync(execute: look)
          done.resume()
        }
      }
    }
    await onAnotherThread(look)
    await Task.detached { look() }.value
    await MainActor.run { look() }
    let places = found.withLock { $0 }
    // Four times four, and three.
    #expect(places.count == 19)
    #expect(places.allSatisfy { $0.contains("look") }, "\(places)")
  }

  @Test("Two kinds of calls are two reports, and a loop over one of them is one")
  func places() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let context = try reportingContext()
      await onAnotherThread { lookAtTheSets(of: context) }
    }
    #expect(try reports(result).count == 2)
  }

  @Test("A frame is a client's by the module of its function, that of an extension included")
  func modules() {
    for (symbol, isClients) in [
      ("$s3App4ListV6reloadyyF", true), ("$s8CoreData22NSManagedObjectContextC4saveyyKF", false),
      ("$s8CoreData22NSManagedObjectContextC3AppE6reloadyyF", true), ("main", true), ("async_MainTQ0_", true),
      ("$s3App4ListV6reloadyyFyyXEfU_", true),
      ("$s3App6reload33_9B0C6C585DEFADA908A4C285EB58632FLLyyF", true), ("start_thread", false),
      ("$sSa6appendyyxnF", false),
      ("$s10Foundation11NSPredicateC8CoreDataE6formatACSS_tcfC", false),
    ] {
      #expect(CallSite.isClients(symbol) == isClients, "\(symbol)")
    }
  }

  @Test("An entity that the model lacks is named with the ones it has, when it is fetched and when it is inserted")
  func unknownEntity() async throws {
    let context = try reportingContext()
    let error = context.performAndWait {
      failure { _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Autor")) }
    }
    #expect(
      error?.localizedDescription
        == "The model has no entity \"Autor\". Did you mean \"Author\"? It has \(entities.joined(separator: ", ")).")
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try reportingContext()
      context.performAndWait { _ = NSEntityDescription.insertNewObject(forEntityName: "Bok", into: context) }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("has no entity \"Bok\". Did you mean \"Book\"?"))
    #expect(words.contains("Entities: \(entities.joined(separator: ", "))"))
  }

  private var entities: [String] { library().entities.compactMap(\.name).sorted() }

  @Test("A container that was never asked to load its stores says so, one that could not load them says that")
  func containers() throws {
    func words(_ container: NSPersistentContainer) -> String? {
      let context = container.newBackgroundContext()
      return context.performAndWait { failure { _ = try context.all("Tag") }?.localizedDescription }
    }
    let container = NSPersistentContainer(name: "Library", managedObjectModel: library())
    #expect(words(container)?.contains("Did you call loadPersistentStores on the container?") == true)
    let nowhere = URL(fileURLWithPath: "/dev/null/a.sqlite")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: nowhere)]
    container.loadPersistentStores { _, _ in }
    #expect(words(container)?.contains("Look at the error that loadPersistentStores hands to") == true)
  }
}

/// A context on a private queue whose misuse is reported and not fatal.
private func reportingContext() throws -> NSManagedObjectContext {
  let stack = try Stack(.inMemory)
  ConcurrencyGuard.isOn = true
  ConcurrencyGuard.reaction = .report
  return stack.context
}

private let lineOfSite = #line + 1
private func siteOfThisLine() -> CallSite? { CallSite.ofClient(findsLine: true) }

private func saveTheTag(_ context: NSManagedObjectContext) {
  try? context.save()
}

private func lookAtTheSets(of context: NSManagedObjectContext) {
  for _ in 0..<1_000 { _ = context.insertedObjects }
  _ = context.deletedObjects
}

/// Runs a body on a thread that is neither the main one nor owns a context's queue.
private func onAnotherThread(_ body: @escaping () -> Void) async {
  await withCheckedContinuation { continuation in
    Thread {
      body()
      continuation.resume()
    }.start()
  }
}
