import ArgumentParser
import DataModelCompiler

@main
struct Momc: ParsableCommand {
  func run() throws {}
}
