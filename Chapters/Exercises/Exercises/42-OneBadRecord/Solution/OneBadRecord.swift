import CoreData
import ExerciseSupport

/// A line that is not a record; lines are counted from 1.
struct BadPriceLine: Error, Equatable {
  let number: Int
}

/// A title and a price.
struct PriceRecord {
  let title: String
  let price: Int64

  /// Reads a line such as `Emma;8`.
  init(line: String, number: Int) throws {
    let fields = line.split(separator: ";", omittingEmptySubsequences: false)
    guard fields.count == 2, !fields[0].isEmpty, let price = Int64(fields[1]) else {
      throw BadPriceLine(number: number)
    }
    self.title = String(fields[0])
    self.price = price
  }
}

/// Makes a book of each line, without saving. A caller may have unsaved changes of its own in the context.
///
/// - Throws: `BadPriceLine` for the first line that is not a record.
func importPrices(_ lines: [String], in context: NSManagedObjectContext) throws {
  var records: [PriceRecord] = []
  for (index, line) in lines.enumerated() {
    // What matters: all that can fail is done before the context is touched, so there is nothing to take back.
    //= Book(context: context).title = try PriceRecord(line: line, number: index + 1).title
    records.append(try PriceRecord(line: line, number: index + 1))
  }
  for record in records {
    let book = Book(context: context)
    book.title = record.title
    book.price = record.price
  }
}
