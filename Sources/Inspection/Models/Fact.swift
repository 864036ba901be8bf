import DataModelFiles
import Foundation

/// A fact about an attribute or relationship: key and value for JSON, and words for text.
struct Fact {
  let key: String
  let value: JSONValue
  /// The words; nil for what is usual, and so isn't mentioned.
  let words: String?

  init(_ key: String, _ value: JSONValue, _ words: String?) {
    self.key = key
    self.value = value
    self.words = words
  }
}

extension DataModel.Attribute {
  /// The name of the type in the editor.
  var typeName: String { type == .composite ? compositeName ?? type.editorName : type.editorName }

  var facts: [Fact] {
    var facts = [Fact("optional", .bool(isOptional), isOptional ? nil : "required")]
    func add(_ condition: Bool, _ key: String, _ words: String) {
      if condition { facts.append(Fact(key, .bool(true), words)) }
    }
    func add(_ text: String?, _ key: String, _ words: (String) -> String) {
      if let text, !text.isEmpty { facts.append(Fact(key, .string(text), words(text))) }
    }
    add(isTransient, "transient", "transient")
    add(isIndexed, "indexed", "indexed")
    if let derivationExpression {
      facts.append(Fact("derivation", .string(derivationExpression), "derived from \(derivationExpression)"))
    }
    if let defaultValue { facts.append(Fact("default", defaultValue.json, "default \(defaultValue.words)")) }
    let length = type == .string ? "Length" : ""
    if let minimum {
      facts.append(
        Fact("min\(length)", minimum.json, "min\(length.isEmpty ? "" : " length") \(minimum.words)"))
    }
    if let maximum {
      facts.append(
        Fact("max\(length)", maximum.json, "max\(length.isEmpty ? "" : " length") \(maximum.words)"))
    }
    add(regularExpression, "pattern") { "matches \($0)" }
    if !validationRules.isEmpty {
      let formats = validationRules.map(\.predicateFormat)
      facts.append(Fact("rules", .strings(formats), formats.joined(separator: ", ")))
    }
    add(allowsExternalBinaryDataStorage, "externalStorage", "may lie in a file of its own")
    add(preservesValueInHistoryOnDeletion, "preservedInHistory", "kept in tombstones")
    add(allowsCloudEncryption, "cloudEncrypted", "encrypted in the cloud")
    add(isIndexedBySpotlight, "spotlight", "in Spotlight")
    if type == .transformable {
      add(valueTransformerName, "transformer") { "by \($0)" }
      add(customClassName, "class") { "class \($0)" }
    }
    add(renamingIdentifier, "renamedFrom") { "formerly \($0)" }
    add(versionHashModifier, "hashModifier") { "hash modifier \($0)" }
    return facts
  }
}

extension DataModel.Relationship {
  var facts: [Fact] {
    var facts = [
      Fact("destination", .string(destinationName), nil),
      Fact("inverse", .text(inverseName), inverseName == nil ? "without inverse" : nil),
      Fact("toMany", .bool(isToMany), isToMany ? "to-many" : "to-one"),
    ]
    if isToMany { facts.append(Fact("ordered", .bool(isOrdered), isOrdered ? "ordered" : nil)) }
    facts.append(Fact("optional", .bool(isOptional), isOptional ? nil : "required"))
    let rule = deleteRule.editorName
    facts.append(Fact("deleteRule", .string(rule), deleteRule == .nullify ? nil : rule.lowercased()))
    if isToMany, minCount > 0 { facts.append(Fact("minCount", .int(minCount), "at least \(minCount)")) }
    if isToMany, maxCount > 0 { facts.append(Fact("maxCount", .int(maxCount), "at most \(maxCount)")) }
    if isTransient { facts.append(Fact("transient", .bool(true), "transient")) }
    if let renamingIdentifier, !renamingIdentifier.isEmpty {
      facts.append(Fact("renamedFrom", .string(renamingIdentifier), "formerly \(renamingIdentifier)"))
    }
    if let versionHashModifier, !versionHashModifier.isEmpty {
      facts.append(Fact("hashModifier", .string(versionHashModifier), "hash modifier \(versionHashModifier)"))
    }
    return facts
  }

  /// `→ Author.books`, without a property if there is no inverse.
  var arrow: String { "→ " + destinationName + (inverseName.map { "." + $0 } ?? "") }
}

extension DataModel.Value {
  var json: JSONValue {
    switch self {
    case .boolean(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value)
    case .string(let value): .string(value)
    case .date(let value): .string(Moments.text(secondsSince2001: value))
    case .data(let value): .string(Data(value).base64EncodedString())
    case .uuid(let value): .string(value.uuidString)
    case .uri(let value): .string(value)
    }
  }

  var words: String {
    switch self {
    case .boolean(let value): value ? "yes" : "no"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .decimal(let value): "\(value)"
    case .string(let value): "\"\(value.inOneLine.cut(to: 40))\""
    case .date(let value): Moments.text(secondsSince2001: value)
    case .data(let value): counted(value.count, "byte")
    case .uuid(let value): value.uuidString
    case .uri(let value): value
    }
  }
}
