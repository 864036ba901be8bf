# Sourced by the other scripts. Finds the Swift toolchain, and installs the two C libraries that the package needs. It
# works on Debian and its relatives; elsewhere it says what is missing.

if ! command -v swift >/dev/null 2>&1; then
  echo "No Swift toolchain found. Install one from https://www.swift.org/install/linux, and put it on your PATH." >&2
  exit 1
fi

# has_header HEADER: asks the compiler itself, so that headers in unusual places are found.
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

# install_packages PACKAGE…: uses apt if this is root; otherwise says what to type, and ends.
install_packages() {
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing development packages: $* (Debian's names). Install your system's equivalents." >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "Missing development packages. Type this once, then run the script again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y $*" >&2
    exit 1
  fi
  echo "Installing $* …"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" >/dev/null
}

missing=()
has_header sqlite3.h || missing+=(libsqlite3-dev)
has_header zlib.h || missing+=(zlib1g-dev)
[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"

# Prints what is missing for the tests of the PostgreSQL store, which start a server themselves. The server's package
# includes libpq.
missing_for_postgresql() {
  local program
  # `PrivateServer` looks in the same places.
  for program in /usr/lib/postgresql/*/bin/initdb /usr/local/bin/initdb /usr/bin/initdb /opt/homebrew/bin/initdb; do
    if [ -x "$program" ]; then return; fi
  done
  echo postgresql
}

# Runs a build and shows its progress. The output is shown only if the build fails, because Foundation on Linux marks
# its own classes as deprecated, and those warnings would hide everything else. If $build_log is set, that file receives
# all of it.
quietly() {
  local log progress status=0
  log=$(mktemp)
  show_progress "$log" $$ &
  progress=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$progress" 2>/dev/null || true
  wait "$progress" 2>/dev/null || true
  if writes_over; then printf '\r\033[K' >&2; fi
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    rm -f "$log"
    exit 1
  fi
  if [ -n "${build_log:-}" ]; then cp "$log" "$build_log"; fi
  rm -f "$log"
}

# Whether a line can be overwritten: on a terminal that supports it.
writes_over() { [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; }

# show_progress LOG SHELL: shows the last step that a build has written to LOG, on a terminal in one line that is
# overwritten each second, elsewhere as a new line every 15 seconds. Ends with the process SHELL.
show_progress() {
  local step columns seconds=0
  # A subshell that is killed leaves its sleep behind, which must not keep a pipe open.
  while sleep 1 >/dev/null 2>&1 && kill -0 "$2" 2>/dev/null; do
    seconds=$((seconds + 1))
    if ! writes_over && [ $((seconds % 15)) -ne 0 ]; then continue; fi
    # A page of warnings may follow the last step.
    step=$(tail -c 200000 "$1" 2>/dev/null |
      sed -nE 's/^\[([0-9]+)\/([0-9]+)\] (.*)$/step \1 of \2: \3/p; /^(Fetching|Computing|Creating working|Planning) /p' |
      tail -n 1) || true
    if [ -z "$step" ]; then continue; fi
    step="  $step"
    if writes_over; then
      columns=$(tput cols 2>/dev/null || echo 80)
      if [ "${#step}" -ge "$columns" ]; then step="${step:0:$((columns - 2))}…"; fi
      printf '\r\033[K%s' "$step" >&2
    else
      printf '%s\n' "$step" >&2
    fi
  done
}
