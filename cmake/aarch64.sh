# Sourced by matrix.sh: an AArch64 machine out of QEMU's user mode, Debian's cross compiler and its arm64 packages.
# SPDX-License-Identifier: MIT
#
#   arm_lacks             prints what the legs of AArch64 need and do not find; nothing where all is there
#   arm_root <folder>     unpacks LLVM and what else tests link, for arm64, into a folder: nothing is installed. Fails where a
#                         package is not there or cannot be unpacked
#   arm_tools <folder>    writes the programs that such a machine has as c++, clang++-19, objdump ...
#   arm_programs          lets the whole system start programs for AArch64 by QEMU (binfmt_misc), and says so; fails where it
#                         may not
#   arm_programs_end      takes back what arm_programs did; nothing where another one had done it before

arm_lacks() {
    for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
        command -v $tool >/dev/null 2>&1 || printf ' %s' $tool
    done
}

# apt reads the lists of arm64 into a folder of its own: the system's packages and architectures stay as they are.
arm_root() (
    mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/root"
    cd "$1" || exit 1
    [ ! -e unpacked ] || exit 0
    apt() {
        apt-get -qq -o APT::Architectures::=arm64 -o APT::Architectures::=amd64 -o APT::Sandbox::User="$(id -un)" \
            -o Dir::State::lists="$1/apt/lists" -o Dir::Cache="$1/apt/cache" "$2" ${3-}
    }
    packages=
    for package in libc6 libstdc++6 libgcc-s1 libgomp1 libllvm19 libclang-cpp19 libclang1-19 libclang-cpp19-dev libclang-19-dev \
        libclang-common-19-dev llvm-19 llvm-19-dev llvm-19-tools llvm-19-linker-tools llvm-19-runtime libz3-4 libz3-dev \
        libedit2 libffi8 libtinfo6 libxml2 libzstd1 zlib1g libbsd0 libmd0 libicu72 liblzma5 libgmp10; do
        packages="$packages $package:arm64"
    done
    apt "$PWD" update && apt "$PWD" download "$packages" || exit 1
    for package in ./*.deb; do dpkg -x "$package" root || exit 1; done
    rm -f ./*.deb
    [ -e root/usr/lib/llvm-19/lib/cmake/llvm ] && : >unpacked
)

arm_tools() {
    mkdir -p "$1"
    here=$(pwd)
    linked='-Wl,--dynamic-linker=/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1,--disable-new-dtags,-rpath,/usr/aarch64-linux-gnu/lib'
    tool() { # <folder> <name> <command>: -march=native is that of the emulated processor
        printf '#!/bin/sh\nexec sh %s -march=native -march=armv8.2-a %s "$@"\n' "$here/cmake/instead.sh" "$3" >"$1/$2"
        chmod +x "$1/$2"
    }
    for name in c++ g++ g++-12; do tool "$1" $name "aarch64-linux-gnu-g++ $linked"; done
    for name in cc gcc; do tool "$1" $name "aarch64-linux-gnu-gcc $linked"; done
    for name in ld ld.bfd as ar nm objdump objcopy readelf strip; do tool "$1" $name "aarch64-linux-gnu-$name"; done
    for name in clang++-19 clang++; do
        clang=$(command -v $name) || continue
        tool "$1" $name "$clang --target=aarch64-linux-gnu -Wno-unused-command-line-argument $linked"
    done
}

formats=/proc/sys/fs/binfmt_misc
arm_programs_are_here() { grep -qs qemu-aarch64 $formats/*; }

arm_programs() {
    ! arm_programs_are_here || return 0
    echo "matrix.sh: until it ends, this system starts programs for AArch64 by QEMU (binfmt_misc)" >&2
    if [ ! -e $formats/register ]; then
        mount -t binfmt_misc binfmt_misc $formats 2>/dev/null || return 1
        formats_mounted=1
    fi
    magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    { printf '%s' ":attune-aarch64:M::$magic:$mask:$(command -v qemu-aarch64):F" >$formats/register; } 2>/dev/null
}

arm_programs_end() {
    [ ! -e $formats/attune-aarch64 ] || echo -1 >$formats/attune-aarch64
    [ -z "${formats_mounted-}" ] || umount $formats
}
