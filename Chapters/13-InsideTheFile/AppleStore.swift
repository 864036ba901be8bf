import Foundation

/// The facts of one store that Apple's framework wrote, noted down in `apple-store.txt`.
public enum AppleStore {
  public static func shape() throws -> StoreShape {
    guard let url = Bundle.module.url(forResource: "apple-store", withExtension: "txt") else {
      throw FileFailure("The program has no apple-store.txt beside it.")
    }
    return try shape(in: String(contentsOf: url, encoding: .utf8))
  }

  /// Sections of lines, each under its name in brackets. What stands before the first is for readers.
  static func shape(in text: String) throws -> StoreShape {
    var shape = StoreShape()
    var section: String?
    for line in text.components(separatedBy: "\n") where !line.isEmpty {
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = String(line.dropFirst().dropLast())
        continue
      }
      let (word, rest) = split(line)
      switch section {
      case nil: continue
      case "schema": shape.schema.append(line)
      case "primary keys": shape.primaryKeys.append(line.components(separatedBy: " "))
      case "version hashes": shape.versionHashes[word] = rest
      case "metadata": shape.metadata[word] = rest
      case "header": shape.header[word] = rest
      case let name?: throw FileFailure("apple-store.txt has an unknown section [\(name)].")
      }
    }
    return shape
  }

  private static func split(_ line: String) -> (String, String) {
    guard let blank = line.firstIndex(of: " ") else { return (line, "") }
    return (String(line[..<blank]), String(line[line.index(after: blank)...]))
  }
}
