import CoreData
import Foundation
import Testing

@Suite("Saving into a file that is gone")
struct LostFileTests {
  private let folder = StoreFolder()

  /// How a file goes.
  enum Loss: CaseIterable { case removed, moved, replaced }

  private func lose(_ url: URL, _ loss: Loss) throws {
    switch loss {
    case .removed: try FileManager.default.removeItem(at: url)
    case .moved: try FileManager.default.moveItem(at: url, to: folder.file("aside"))
    case .replaced:
      let copy = folder.file("copy")
      try FileManager.default.copyItem(at: url, to: copy)
      #expect(rename(copy.path, url.path) == 0)
    }
  }

  @Test(
    "A save into a file that is gone, or that another has replaced, is an error, and the changes stay",
    aboutFiles, arguments: StoreKind.kept, Loss.allCases)
  func saving(_ kind: StoreKind, _ loss: Loss) throws {
    for mode in kind == .sqlite ? ["WAL", "DELETE"] : [""] {
      let url = folder.file("T\(mode)")
      let stack = try Stack(
        kind, library(), at: url, options: mode.isEmpty ? nil : [NSSQLitePragmasOption: ["journal_mode": mode]])
      try stack.context.performAndWait {
        stack.context.new("Tag", ["name": "a"])
        try stack.context.save()
        try lose(url, loss)
        stack.context.new("Tag", ["name": "b"])
        let error = failure { try stack.context.save() }
        #expect(error?.code == NSPersistentStoreSaveError)
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == url.path)
        #expect(error?.localizedDescription.contains(url.path) == true)
        if kind == .sqlite {
          #expect(
            error?.localizedDescription.contains(
              loss == .replaced ? "another file is in its place" : "there is no file in its place") == true)
          let request = NSBatchUpdateRequest(entityName: "Tag")
          request.propertiesToUpdate = ["name": "c"]
          #expect(failure { _ = try stack.context.execute(request) }?.code == NSPersistentStoreSaveError)
        }
        #expect(stack.context.insertedObjects.count == 1)
        if loss == .moved, kind == .sqlite {
          try FileManager.default.moveItem(at: folder.file("aside"), to: url)
          try stack.context.save()
          #expect(try stack.elsewhere { try $0.strings("Tag", "name") } == ["a", "b"])
        }
      }
      try? FileManager.default.removeItem(at: folder.file("aside"))
    }
  }
}
