import ArgumentParser

@main
struct Momc: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momc",
    abstract: "Compiles Core Data models, and the code behind @NSManaged, for Swift without Objective-C.",
    subcommands: [New.self, Generate.self, Compile.self, Describe.self])
}
