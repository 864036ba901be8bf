import CoreData

/// Imports in the background, in the three usual manners.
final class NoteImporter {
  let container: NSPersistentContainer

  init(container: NSPersistentContainer) { self.container = container }

  func importNotes(_ titles: [String], completion: @escaping (Result<Int, Error>) -> Void) {
    container.performBackgroundTask { context in
      context.mergePolicy = NSMergePolicy.overwrite
      for title in titles {
        let note = Note(context: context)
        note.title = title
      }
      do {
        try context.save()
        completion(.success(titles.count))
      } catch {
        completion(.failure(error))
      }
    }
  }

  func importNotes(_ titles: [String]) async throws -> [NSManagedObjectID] {
    try await container.performBackgroundTask { context in
      var notes: [Note] = []
      for title in titles {
        let note = Note(context: context)
        note.title = title
        notes.append(note)
      }
      try context.save()
      return notes.map { $0.objectID }
    }
  }

  func importInBatches(_ titles: [String], batchSize: Int = 3) async throws {
    let context = container.newBackgroundContext()
    for start in stride(from: 0, to: titles.count, by: batchSize) {
      try await context.perform(schedule: .enqueued) {
        for title in titles[start..<min(start + batchSize, titles.count)] {
          Note(context: context).title = title
        }
        try context.save()
        context.reset()
      }
    }
  }

  func count() async -> Int {
    let context = container.newBackgroundContext()
    return await context.perform {
      (try? context.count(for: Note.fetchRequest() as NSFetchRequest<Note>)) ?? 0
    }
  }
}

extension NSPersistentContainer {
  /// A helper that hands errors through.
  func background<T>(_ block: @escaping (NSManagedObjectContext) throws -> T) async throws -> T {
    try await performBackgroundTask { context in
      let result = try block(context)
      if context.hasChanges { try context.save() }
      return result
    }
  }
}
