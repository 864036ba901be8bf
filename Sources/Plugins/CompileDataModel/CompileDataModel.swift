import PackagePlugin

@main
struct CompileDataModel: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) async throws -> [Command] { [] }
}
