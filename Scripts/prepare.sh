# Sourced by the other scripts: finds the Swift toolchain and installs the two C libraries the package needs.
# Works on Debian and its relatives; elsewhere it says what is missing.

if ! command -v swift >/dev/null 2>&1; then
  echo "No Swift toolchain was found: install one from https://www.swift.org/install/linux and put it on your PATH." >&2
  exit 1
fi

# Asks the compiler itself, so that headers in unusual places count too.
has_header() {
  local compiler
  for compiler in clang cc gcc; do
    if command -v "$compiler" >/dev/null 2>&1; then
      printf '#include <%s>\n' "$1" | "$compiler" -E -x c - >/dev/null 2>&1
      return
    fi
  done
  [ -e "/usr/include/$1" ]
}

missing=()
has_header sqlite3.h || missing+=(libsqlite3-dev)
has_header zlib.h || missing+=(zlib1g-dev)

if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing development packages: ${missing[*]} (Debian's names). Install your system's equivalents." >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "Missing development packages. Type this once, then run the script again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    exit 1
  fi
  echo "Installing ${missing[*]} …"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
fi

# Runs a build and says nothing unless it fails: the deprecations that Foundation on Linux marks its own classes
# with would hide everything else.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}
