# Sourced by demo.sh and test.sh: sees to it that what a build needs is there.
# shellcheck disable=SC2046,SC2086,SC2119 # lists of package names are split on purpose
# SPDX-License-Identifier: MIT
#
#   need <package>...     cannot go on without them
#   wish <package>...     goes on without those that this distribution does not have
#   provide               installs what is missing (Debian, as root or with sudo), else names it and exits 2
needed=''
wished=''
need() { needed="$needed $*"; }
wish() { wished="$wished $*"; }

installed() { dpkg -s "$1" 2>/dev/null | grep -q '^Status: install ok installed'; }
known() { apt-cache show "$1" >/dev/null 2>&1; }
missing_of() { for package; do installed "$package" || printf ' %s' "$package"; done; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

# The newest LLVM that is installed completely, else the newest that can be had, else nothing.
llvm_packages() {
    for test in installed known; do
        for major in 19 18 17 16; do
            set -- "llvm-$major-dev" "libclang-$major-dev" "libclang-cpp$major-dev"
            if $test "$1" && $test "$2" && $test "$3"; then
                echo "$@"
                return
            fi
        done
    done
}

# Where there is no dpkg: what the packages stand for, tried by hand.
provide_elsewhere() {
    lacking=
    for tool in c++ cmake; do
        command -v "$tool" >/dev/null 2>&1 || lacking="$lacking $tool"
    done
    command -v make >/dev/null 2>&1 || command -v ninja >/dev/null 2>&1 || lacking="$lacking make"
    for header in boost/hana.hpp Eigen/Core nlohmann/json.hpp "$@"; do
        printf '#if !__has_include(<%s>) && !__has_include(<eigen3/%s>)\n#error\n#endif\n' "$header" "$header" |
            c++ -E -x c++ - >/dev/null 2>&1 || lacking="$lacking <$header>"
    done
    if [ -n "$lacking" ]; then
        echo "attune: not found:$lacking" >&2
        echo "attune: install them with this system's package manager, then run this again" >&2
        exit 2
    fi
}

provide() {
    if ! command -v dpkg >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
        provide_elsewhere "$@"
        return
    fi
    missing=$(missing_of $needed $wished)
    llvm=$(llvm_packages)
    if [ -z "$missing" ] && [ -n "$llvm" ] && [ -z "$(missing_of $llvm)" ]; then
        return
    fi
    if [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
        missing=$(missing_of $needed)
        [ -n "$missing" ] || return 0
        echo "attune: missing packages:$missing" >&2
        echo "attune: as root: apt-get install --no-install-recommends$missing" >&2
        exit 2
    fi
    as_root apt-get update -qq || echo "attune: apt-get update failed; trying with the lists at hand" >&2
    get=$(missing_of $needed)
    for package in $(missing_of $wished $(llvm_packages)); do
        if known "$package"; then get="$get $package"; else echo "attune: goes on without $package"; fi
    done
    [ -n "$get" ] || return 0
    echo "attune: installing$get"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends --no-upgrade $get >&2 || {
        echo "attune: apt-get could not install:$get" >&2
        exit 2
    }
}

# configure <folder> <arguments>... : Ninja where it is, without touching the choice of an existing folder.
# In a subshell: its variables are not those of the script that calls it.
configure() (
    folder=$1
    shift
    if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then
        set -- -G Ninja "$@"
    fi
    cmake "$@" -S . -B "$folder"
)

jobs() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1; }
