import ArgumentParser
import DataModelFiles

/// A name that becomes part of generated code and of the names of files.
func checkModule(_ name: String) throws {
  guard GeneratedName.isIdentifier(name) else {
    throw ValidationError("--module takes the name of a Swift module, not \"\(name.inOneLine)\"")
  }
}

@main
struct Momc: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momc",
    abstract: "Compiles Core Data models, and the code behind @NSManaged, for Swift without Objective-C.",
    subcommands: [New.self, Generate.self, Compile.self, Describe.self])
}
