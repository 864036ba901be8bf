import AskingChapter
import ChapterSupport
import CoreData

/// What requests say besides their predicate.
extension TourCommand {
  @MainActor func showOrders(_ shelf: Shelf) throws {
    Output.heading("Order, and parts of it")
    func show(_ text: String, _ request: NSFetchRequest<Book>) throws {
      let (books, statements) = try SQLRecorder.record { try shelf.context.fetch(request).compactMap(\.title) }
      Output.line(text)
      for statement in statements { Answer.sql(statement.tail, statement.values) }
      Answer.names(books)
    }
    try show("The newest first", BookRequests.newestFirst)
    try show("The first page of three", BookRequests.page(0, size: 3))
    try show("The second page of three", BookRequests.page(1, size: 3))
    try show("By title, as bytes", BookRequests.byTitle(localized: false))
    try show("By title, as readers expect", BookRequests.byTitle(localized: true))

    Output.heading("A long list in portions of four")
    try shelf.inNewStack(opening: SQLRecorder.silence) { context in
      let (books, keys) = try SQLRecorder.record { try context.fetch(BookRequests.batched(by: 4)) }
      Output.line("after the fetch: \(Output.count(books.count, "book")), \(Output.count(keys.count, "statement"))")
      for statement in keys { Answer.sql(statement.sql) }
      let (_, first) = try SQLRecorder.record { books[0].title }
      Output.line("the first title: \(Output.count(first.count, "more statement"))")
      for statement in first { Answer.sql(statement.tail, statement.values) }
      let (_, next) = try SQLRecorder.record { books[1...3].map(\.title) }
      Output.line("the next three:  \(Output.count(next.count, "more statement"))")
      let (_, rest) = try SQLRecorder.record { books.map(\.title) }
      Output.line("all the others:  \(Output.count(rest.count, "more statement"))")
    }
  }

  @MainActor func showWhatComesAlong(_ shelf: Shelf) throws {
    Output.heading("What comes along")
    func count(_ text: String, _ request: NSFetchRequest<Book>, _ read: (Book) -> Void) throws {
      let (_, statements) = try shelf.inNewStack(opening: SQLRecorder.silence) { context in
        try SQLRecorder.record { try context.fetch(request).forEach(read) }
      }
      Output.line("\(text)  \(Output.count(statements.count, "statement"))")
    }
    let reading: (Book) -> Void = { _ = $0.title }
    let naming: (Book) -> Void = { _ = $0.author?.name }
    let counting: (Book) -> Void = { _ = $0.reviews?.count }
    try count("twelve titles:                  ", BookRequests.newestFirst, reading)
    try count("their authors' names:           ", BookRequests.newestFirst, naming)
    try count("…with the authors prefetched:   ", BookRequests.prefetching(["author"]), naming)
    try count("their reviews:                  ", BookRequests.newestFirst, counting)
    try count("…with the reviews prefetched:   ", BookRequests.prefetching(["reviews"]), counting)
    try count("authors and reviews, prefetched:", BookRequests.prefetching(["author", "reviews"])) {
      naming($0)
      counting($0)
    }
    let (_, statements) = try shelf.inNewStack(opening: SQLRecorder.silence) { context in
      try SQLRecorder.record { try context.fetch(BookRequests.prefetching(["author"])).count }
    }
    for statement in statements.dropFirst() { Answer.sql(statement.sql) }

    for returnsFaults in [true, false] {
      let request = Book.fetchRequest()
      request.returnsObjectsAsFaults = returnsFaults
      let faults = try shelf.inNewStack(opening: SQLRecorder.silence) { context in
        try SQLRecorder.record { try context.fetch(request).filter(\.isFault).count }
      }.answer
      Output.line("returnsObjectsAsFaults \(returnsFaults): \(Output.count(faults, "fault"))")
    }
  }

  @MainActor func showOtherAnswers(_ shelf: Shelf) throws {
    let context = shelf.context
    Output.heading("How many?")
    let (count, statements) = try SQLRecorder.record {
      //> count
      try context.count(for: Questions.comparisons[0].request)
      //< count
    }
    for statement in statements { Answer.sql(statement.sql, statement.values) }
    Output.line("  says \(count)")

    Output.heading("Ids alone")
    let (ids, keys) = try SQLRecorder.record {
      //> ids
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      request.resultType = .managedObjectIDResultType
      request.predicate = NSPredicate(format: "year == %d", 1847)
      return try context.fetch(request)
      //< ids
    }
    for statement in keys { Answer.sql(statement.sql, statement.values) }
    Answer.names(ids.map { $0.uriRepresentation().lastPathComponent })

    try showDictionaries(
      "Columns instead of objects", BookRequests.titlesAndAuthors, ["title", "author.name"], context)
    try showDictionaries("Every price once", BookRequests.prices, ["price"], context)
    try showDictionaries(
      "A row for each author", BookRequests.byAuthor(atLeast: 2), ["author.name", "books", "pages"], context)
  }

  @MainActor private func showDictionaries(
    _ text: String, _ request: NSFetchRequest<NSDictionary>, _ columns: [String], _ context: NSManagedObjectContext
  ) throws {
    Output.heading(text)
    let (rows, statements) = try SQLRecorder.record { try context.fetch(request) }
    for statement in statements { Answer.sql(statement.sql, statement.values) }
    Output.table([columns] + rows.map { row in columns.map { row[$0].map { "\($0)" } ?? "-" } })
  }

  @MainActor func showUnsaved(_ shelf: Shelf) throws {
    Output.heading("A book that is not saved yet")
    let context = shelf.context
    let (found, saved) = try SQLRecorder.record {
      //> unsaved
      let book = Book(context: context)
      book.title = "The Time Machine"
      book.year = 1895
      let request = Question.greatest("year", than: 1890).request
      let found = try context.fetch(request)
      request.includesPendingChanges = false
      let saved = try context.fetch(request)
      //< unsaved
      return (found, saved)
    }.answer
    Output.line("a fetch finds")
    Answer.titles(found)
    Output.line("without pending changes")
    Answer.titles(saved)
    context.rollback()
  }

  @MainActor func showTemplate(_ shelf: Shelf) throws {
    Output.heading("A question that the model has")
    let context = shelf.context
    let (books, statements) = try SQLRecorder.record {
      //> template
      guard
        let request = shelf.model.fetchRequestFromTemplate(
          withName: "BooksBetween",
          substitutionVariables: ["FROM": 1800, "TO": 1850, "NAME": "austen"])
      else { throw ChapterFailure("The model has no template BooksBetween.") }
      return try context.fetch(request) as? [Book] ?? []
      //< template
    }
    for statement in statements { Answer.sql(statement.condition, statement.conditionValues) }
    Answer.titles(books)
  }

  @MainActor func showPlans(_ shelf: Shelf) throws {
    Output.heading("Which questions use an index")
    for question in Questions.planned {
      let request = Book.fetchRequest()
      request.predicate = question.predicate
      let (_, statements) = try SQLRecorder.record { try shelf.context.fetch(request) }
      Answer.lines(question.format ?? "", mark: "asks ")
      for step in statements.flatMap(\.plan) { Answer.lines(step, mark: "plan ") }
    }
  }
}
