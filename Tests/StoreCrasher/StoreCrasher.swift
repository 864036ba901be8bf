import ArgumentParser

/// Ends processes in the middle of saves, damages files, and looks at what is left. No part of the product.
@main
struct StoreCrasher: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "StoreCrasher",
    abstract: "Proves that no acknowledged save is lost and that nothing is half written.",
    subcommands: [
      Rounds.self, Migrations.self, Broken.self, PowerCuts.self, FailOnce.self, ManyProcesses.self, Service.self,
      Work.self,
      MigrateOnce.self, OpenBroken.self, BankMember.self, MakeAtOnce.self, MakeBank.self,
    ])
}
