import Foundation

/// What the compiler asks for the macros of `SwiftData`. It starts this program once, and writes messages to its
/// standard input: 8 bytes of length, little endian, then so many bytes of JSON; answers go the same way back. The
/// messages are those of swift-syntax's `SwiftCompilerPluginMessageHandling`, protocol version 7; that library itself
/// would cost every client minutes of building.
while let request = PluginMessage.read() {
  PluginMessage.write(CompilerRequest(request).answer)
}
