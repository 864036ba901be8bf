import CoreData

/// Damage to one byte of a closed file.
public enum HashDamage {
  //> flip
  /// Flips the lowest bit of the first byte of a version hash, where it lies in the file. Doing
  /// it twice repairs the file.
  ///
  /// - Parameter hash: The hash that the file has now.
  /// - Returns: The hash that it has afterwards.
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
