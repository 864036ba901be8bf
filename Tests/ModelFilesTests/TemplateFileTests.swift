import CoreData
import DataModelFiles
import Foundation
import Testing

@Suite("Fetch requests of model files")
struct TemplateFileTests {
  /// A model with one entity, one fetched property and the given requests.
  private static func contents(_ requests: String, property predicate: String = "name == $FETCH_SOURCE.name") -> String
  {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model sourceLanguage="Swift">
      <entity name="Item">
        <attribute name="name" optional="YES" attributeType="String"/>
        <fetchedProperty name="twins" optional="YES">
          <fetchRequest name="fetchedPropertyFetchRequest" entity="Item" predicateString="\(predicate)"/>
        </fetchedProperty>
      </entity>
      \(requests)
    </model>
    """
  }

  @Test("A template has every setting of its file, source or compiled", arguments: ModelLoadingTests.forms)
  func settings(form: String) throws {
    let folder = try ModelLoadingTests.Folder(
      TemplateFileTests.contents(
        """
        <fetchRequest name="plain" entity="Item"/>
        <fetchRequest name="full" entity="Item" predicateString="name BEGINSWITH[c] $START OR name == &quot;x&quot;"
          fetchLimit="7" fetchOffset="2" fetchBatchSize="20" resultType="1" includeSubentities="NO"
          includePropertyValues="NO" includesPendingChanges="NO" returnObjectsAsFaults="NO"
          returnDistinctResults="YES"/>
        """))
    let model = try NSManagedObjectModel(checkedContentsOf: folder.url.appendingPathComponent(form))
    #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["full", "plain"])
    let plain = try #require(model.fetchRequestTemplate(forName: "plain"))
    #expect(plain === model.fetchRequestTemplate(forName: "plain"))
    #expect(plain.entity === model.entitiesByName["Item"] && plain.predicate == nil)
    #expect(plain.fetchLimit == 0 && plain.fetchOffset == 0 && plain.fetchBatchSize == 0)
    #expect(plain.resultType == .managedObjectResultType && !plain.returnsDistinctResults)
    #expect(plain.includesSubentities && plain.includesPropertyValues && plain.includesPendingChanges)
    #expect(plain.returnsObjectsAsFaults)
    let full = try #require(
      model.fetchRequestFromTemplate(withName: "full", substitutionVariables: ["START": "a"]))
    #expect(full.predicate?.predicateFormat == "name BEGINSWITH[c] \"a\" OR name == \"x\"")
    #expect(full.fetchLimit == 7 && full.fetchOffset == 2 && full.fetchBatchSize == 20)
    #expect(full.resultType == .managedObjectIDResultType && full.returnsDistinctResults)
    #expect(!full.includesSubentities && !full.includesPropertyValues && !full.includesPendingChanges)
    #expect(!full.returnsObjectsAsFaults)
    let twins = model.entitiesByName["Item"]?.propertiesByName["twins"] as? NSFetchedPropertyDescription
    #expect(twins?.fetchRequest?.predicate?.predicateFormat == "name == $FETCH_SOURCE.name")
    #expect(twins?.fetchRequest?.entity === model.entitiesByName["Item"])
  }

  @Test("A predicate that can't be read is an error that names file, template and place")
  func malformed() throws {
    let folder = try ModelLoadingTests.Folder(
      TemplateFileTests.contents("<fetchRequest name=\"odd\" entity=\"Item\" predicateString=\"name = = 3\"/>"))
    for form in ModelLoadingTests.forms {
      let url = folder.url.appendingPathComponent(form)
      #expect(NSManagedObjectModel(contentsOf: url) == nil)
      let error = #expect(throws: NSError.self) { try NSManagedObjectModel(checkedContentsOf: url) }
      let words = error?.localizedDescription ?? ""
      #expect(words.contains(folder.url.lastPathComponent) && words.contains("fetch request \"odd\""))
      #expect(words.contains("at character 8"), "\(words)")
    }
  }

  @Test("So is that of a fetched property, which is named with its entity")
  func malformedProperty() throws {
    let folder = try ModelLoadingTests.Folder(TemplateFileTests.contents("", property: "name =="))
    let error = #expect(throws: NSError.self) {
      try NSManagedObjectModel(checkedContentsOf: folder.url.appendingPathComponent("M.momd"))
    }
    #expect(error?.localizedDescription.contains("Item.twins: Unable to parse") == true)
  }
}
