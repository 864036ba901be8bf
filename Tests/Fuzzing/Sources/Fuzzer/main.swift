import Foundation
import FuzzerEngine

// libFuzzer's options have one hyphen; ours have two, which it leaves alone:
//
//   Fuzzer --target=NAME [libFuzzer's options, folders and files]
//   Fuzzer --target=NAME --write-seeds=FOLDER
//   Fuzzer --list                                 each target with the length of its longest input

setvbuf(stdout, nil, _IOLBF, 0)
var options: [String: String] = [:]
for argument in CommandLine.arguments.dropFirst() where argument.hasPrefix("--") {
  let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
  options[parts.first ?? ""] = parts.count > 1 ? parts[1] : ""
}
if options["list"] != nil {
  for type in allTargets { print("\(type.name) \(type.longest)") }
  exit(0)
}
guard let name = options["target"], let type = allTargets.first(where: { $0.name == name }) else {
  fputs("Name a target: --target=NAME. --list prints them.\n", stderr)
  exit(64)
}
do {
  target = try type.init()
  if let folder = options["write-seeds"] {
    for (number, seed) in try target.seeds().enumerated() {
      try Data(seed).write(to: URL(fileURLWithPath: folder).appendingPathComponent("made-\(number)"))
    }
    exit(0)
  }
} catch {
  fputs("The target \(name) can't begin: \(error)\n", stderr)
  exit(70)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments) { testOneInput($0, $1) })
