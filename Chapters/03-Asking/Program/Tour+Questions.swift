import AskingChapter
import ChapterSupport
import CoreData

/// What predicates find.
extension TourCommand {
  @MainActor func showTwoWays(_ shelf: Shelf) throws {
    Output.heading("Twelve books")
    let books = try SQLRecorder.record { try shelf.table() }.answer
    Output.table([["title", "author", "year", "pages", "price", "tags", "stars"]] + books)

    Output.heading("Who has a book by a Brontë?")
    let (inSwift, all) = try shelf.inNewStack(opening: SQLRecorder.silence) { context in
      try SQLRecorder.record {
        //> in-swift
        let books = try context.fetch(Book.fetchRequest())
        return books.filter { $0.author?.name?.hasSuffix("Brontë") ?? false }.count
        //< in-swift
      }
    }
    Output.line("in Swift:     \(Output.count(inSwift, "book")), \(Output.count(all.count, "statement"))")
    let (inStore, one) = try shelf.inNewStack(opening: SQLRecorder.silence) { context in
      try SQLRecorder.record {
        //> in-store
        let request = Book.fetchRequest()
        request.predicate = NSPredicate(format: "author.name ENDSWITH %@", "Brontë")
        return try context.fetch(request).count
        //< in-store
      }
    }
    Output.line("in the store: \(Output.count(inStore, "book")), \(Output.count(one.count, "statement"))")
  }

  @MainActor func showQuestions(_ shelf: Shelf) throws {
    let context = shelf.context
    Output.heading("Comparisons")
    try Answer.show(Questions.comparisons, context)
    Output.heading("Texts")
    try Answer.show(Questions.texts, context)
    Output.heading("And, or, not")
    try Answer.show(Questions.compounds, context)
    try showFilter(shelf)
    try showTypedText(shelf)

    Output.heading("Through one object")
    let austen = try SQLRecorder.record { try shelf.author("Jane Austen") }.answer
    let ids = (austen.books as? Set<Book> ?? []).map(\.objectID).sorted {
      $0.uriRepresentation().path < $1.uriRepresentation().path
    }
    try Answer.show(Questions.toOne(austen, ids), context)
    Output.heading("Through many objects")
    try Answer.show(Questions.toMany, context)
    Output.heading("One review, or two?")
    try Answer.show(Questions.sameReview, context)
    Output.heading("What all reviews say")
    try Answer.showRefusal(Questions.all, context)
    try Answer.show(Questions.insteadOfAll, context)
    Output.heading("Dates")
    try Answer.show([Questions.published(in: 12, of: 1815)], context)
    Output.heading("In Swift's own words")
    try Answer.show([Questions.swift], context)
    try showBlock(shelf)
  }

  @MainActor private func showFilter(_ shelf: Shelf) throws {
    Output.heading("A form with three fields")
    //> use-filter
    var filter = BookFilter()
    var questions = [Question("An empty form", filter)]
    filter.before = 1850
    questions.append(Question("One field filled in", filter))
    filter.tags = ["gothic", "monster"]
    questions.append(Question("Two fields, one of them twice", filter))
    //< use-filter
    try Answer.show(questions, shelf.context)
  }

  @MainActor private func showTypedText(_ shelf: Shelf) throws {
    for typed in ["Gulliver's Travels", "x' OR 'a' == 'a"] {
      Output.heading("Someone types: \(typed)")
      Output.line("put into the text by Swift")
      do {
        //> interpolated
        let unsafe = try NSPredicate.parsing("title == '\(typed)'")
        //< interpolated
        try Answer.show([Question("", unsafe)], shelf.context)
      } catch {
        Answer.saysWhere(error)
      }
      Output.line("handed over as a value")
      try Answer.show([Question.called(typed)], shelf.context)
    }
    Output.heading("The key comes from outside, too")
    try Answer.show([Question.greatest("pages", than: 600), Question.greatest("year", than: 1870)], shelf.context)
  }

  @MainActor private func showBlock(_ shelf: Shelf) throws {
    Output.heading("What SQLite can't be asked")
    let question = Questions.palindrome
    try Answer.showRefusal(question, shelf.context)
    let (found, statements) = try SQLRecorder.record {
      //> filtered
      let request = Book.fetchRequest()
      request.predicate = NSPredicate(format: "pages > 500")
      let long = try shelf.context.fetch(request)
      let found = long.filter { question.predicate.evaluate(with: $0) }
      //< filtered
      Output.line("Of \(Output.count(long.count, "long book")), in memory")
      return found
    }
    for statement in statements { Answer.sql(statement.condition, statement.conditionValues) }
    Answer.titles(found)
  }
}
