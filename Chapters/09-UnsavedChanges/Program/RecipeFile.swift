import ChapterSupport
import CoreData
import Foundation
import StoreFileReader
import UnsavedChangesChapter

/// The store's file, asked by a connection that has nothing to do with the stack.
struct RecipeFile {
  let url: URL

  private func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  /// `Pancakes, 4 servings, notes NULL, version 1`: a recipe's row.
  func row(of recipe: Recipe) throws -> String {
    // The last part of a saved object's URI is the key of its row, after a p.
    let key = recipe.objectID.uriRepresentation().lastPathComponent.dropFirst()
    let rows = try reader()
      .rows("SELECT ZNAME, ZSERVINGS, ZNOTES, Z_OPT FROM ZRECIPE WHERE Z_PK = \(key)")
    guard let row = rows.first else { return "no row" }
    return "\(row[0]), \(row[1]) servings, notes \(row[2]), version \(row[3])"
  }

  func counts() throws -> String {
    let reader = try reader()
    let parts = try [("ZRECIPE", "recipe"), ("ZINGREDIENT", "ingredient"), ("ZTAG", "tag")]
      .map { Output.count(try reader.rowCount(of: $0), $1) }
    return parts.joined(separator: ", ")
  }
}
