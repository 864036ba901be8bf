// swift-tools-version: 6.1
// The exercises are a package of their own, so that a red one turns no other test red.
//
//   EXERCISE=01-AddTheStore   builds this one alone, as the learner has it in Exercises/Mine/
//   EXERCISE_VARIANT=Stub     builds all as they are shipped
//   EXERCISE_VARIANT=Solution builds all as they are solved
//   EXERCISE_VARIANT=FOLDER   builds all, each from Exercises/FOLDER/NAME
// and without any of these all as they are shipped.
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let files = FileManager.default
let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

func names(_ folder: String) -> [String] {
  ((try? files.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? [])
    .filter { $0.first?.isNumber == true }.sorted()
}

let environment = ProcessInfo.processInfo.environment
let variant = environment["EXERCISE_VARIANT"] ?? "Stub"

/// Where an exercise's sources lie, from the folder Exercises.
func sources(_ name: String) -> String {
  if environment["EXERCISE"] != nil { return "Mine/\(name)" }
  return ["Stub", "Solution"].contains(variant) ? "\(name)/\(variant)" : "\(variant)/\(name)"
}

let chosen = environment["EXERCISE"].map { [$0] } ?? names("Exercises")

/// All in the folder Exercises that is not of these, so that nothing is left for SwiftPM to wonder about.
func others(than kept: [String], in folder: String = "") -> [String] {
  let place = root.appendingPathComponent("Exercises/\(folder)").path
  return ((try? files.contentsOfDirectory(atPath: place)) ?? []).sorted().flatMap { entry -> [String] in
    let path = folder + entry
    if kept.contains(path) { return [] }
    return kept.contains { $0.hasPrefix(path + "/") } ? others(than: kept, in: path + "/") : [path]
  }
}

let code = chosen.map(sources)
let tests = chosen.map { "\($0)/Tests" }

let package = Package(
  name: "StrataExercises",
  dependencies: [.package(name: "Strata", path: "../..")],
  targets: [
    // What the exercises share: a model, a bench with a fresh folder, and the error of unfinished code.
    .target(
      name: "ExerciseSupport", dependencies: [.product(name: "CoreData", package: "Strata")], path: "Support",
      exclude: ["Bookshop.xcdatamodeld"], swiftSettings: settings,
      plugins: [.plugin(name: "CompileDataModel", package: "Strata")]),

    // The code of the exercises, and their tests.
    .target(
      name: "Exercises",
      dependencies: ["ExerciseSupport", .product(name: "CoreData", package: "Strata")], path: "Exercises",
      exclude: others(than: code), sources: code, swiftSettings: settings,
      plugins: [.plugin(name: "CompileDataModel", package: "Strata")]),
    .testTarget(
      name: "ExerciseTests",
      dependencies: ["Exercises", "ExerciseSupport", .product(name: "CoreData", package: "Strata")], path: "Exercises",
      exclude: others(than: tests), sources: tests, swiftSettings: settings),
  ]
)
