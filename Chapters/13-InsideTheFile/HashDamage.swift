import CoreData

/// Damage to one byte of a closed file.
public enum HashDamage {
  //> flip
  /// Turns over the lowest bit of the first byte of a version hash, where the file has it.
  /// Doing it twice mends it.
  ///
  /// - Parameter hash: The hash that the file has now.
  /// - Returns: The hash that it has then.
  public static func flip(_ hash: Data, inFileAt url: URL) throws -> Data {
    var bytes = try Data(contentsOf: url)
    guard let place = bytes.range(of: hash) else {
      throw FileFailure("\(url.path) does not have the hash \(hash.hex).")
    }
    bytes[place.lowerBound] ^= 1
    try bytes.write(to: url)
    return bytes.subdata(in: place)
  }
  //< flip
}
