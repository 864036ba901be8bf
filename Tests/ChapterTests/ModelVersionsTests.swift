import CoreData
import Foundation
import ModelVersionsChapter
import StoreFileReader
import TestFiles
import Testing

@Suite("Chapter 10: a store that grows with its model")
@MainActor
struct ModelVersionsTests {
  @Test("A copy of an open library has its last save, which the first of the three files lacks")
  func backUp() throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let (file, copy) = (folder.file(LibraryStore.name), folder.file("Copy.sqlite"))
    try LibraryStore.makeFirstVersion(at: file)
    let store = try LibraryStore(at: file, version: .one)
    //> back-up
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: store.context)
    book.setValue("Walden", forKey: "title")
    try store.context.save()
    try LibraryMigrator(url: file).backUp(to: copy)
    let alone = try StoreFileReader(contentsOf: file, isImmutable: true)
    let copied = try StoreFileReader(contentsOf: copy)
    #expect(try alone.rowCount(of: "ZBOOK") == 5)
    #expect(try copied.rowCount(of: "ZBOOK") == 6)
    //< back-up
    try store.close()
  }
}
