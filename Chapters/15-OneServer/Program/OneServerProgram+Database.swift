import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PrivateServer

extension OneServerProgram {
  @MainActor func showDatabase(_ server: PrivateServer, _ url: URL) throws {
    let library = try ServerLibrary(at: url)
    let context = library.container.viewContext
    let book = Book(context: context)
    book.title = "Solaris"
    book.pages = 204
    book.price = NSDecimalNumber(string: "12.90")
    book.added = Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7)
    let lem = Author(context: context)
    lem.name = "Stanisław Lem"
    book.author = lem
    try context.save()

    Output.heading("What psql finds")
    let tables = try server.rows(
      "SELECT upper(tablename) FROM pg_tables WHERE schemaname = 'library' ORDER BY 1")
    Output.line("tables: \(tables.map { $0[0] }.joined(separator: ", "))")
    Output.line("ZBOOK:")
    let columns = try server.rows(
      """
      SELECT upper(column_name), data_type FROM information_schema.columns
      WHERE table_schema = 'library' AND table_name = 'zbook' ORDER BY ordinal_position
      """)
    for column in columns {
      let value = try server.rows("SELECT \(column[0].lowercased()) FROM library.zbook")[0][0]
      Output.line("  " + column[0].padding(12) + column[1].padding(18) + value)
    }

    Output.heading("A moment")
    let moments = try server.rows(
      "SELECT zadded, to_timestamp(zadded + 978307200) AT TIME ZONE 'UTC' FROM library.zbook")
    Output.line("the column:         \(moments[0][0])")
    Output.line("as a timestamp:     \(moments[0][1])")
    context.reset()
    let again = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))[0].added
    Output.line("read again, equal:  \(again == Date(timeIntervalSinceReferenceDate: 800_000_000.123_456_7))")
  }
}

extension String {
  fileprivate func padding(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
}
