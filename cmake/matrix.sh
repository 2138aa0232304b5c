#!/bin/sh
# sh cmake/matrix.sh [--again] [--list] [leg]... : builds and tests what a merge does not, one leg after the other.
# SPDX-License-Identifier: MIT
#
# Without names all legs run; the legs of AArch64 run then only where the kernel starts such programs already. A leg of AArch64
# that is named registers QEMU with the kernel (binfmt_misc) until the end, for the whole system. Such a leg passes only if
# 95 % of its tests pass.
# A leg that passed with the present sources is not run again (--again runs it); one that was interrupted goes on with what is
# built. Ends with a table and, unless all passed, with status 1.
# What a leg needs and does not find makes it `skipped`, with the reason.
set -u
cd "$(dirname "$0")/.."
. cmake/packages.sh
. cmake/aarch64.sh

# leg | compiler | LLVM | arguments of cmake | arguments of ctest: the first three run all labels.
legs='release|g++|-|-D CMAKE_BUILD_TYPE=Release -D ATTUNE_WERROR=ON -D ATTUNE_CASE_COMPILER=clang++-19 -D ATTUNE_TEST_BATCHES=ON -D ATTUNE_TEST_SCOPE=release|
asan|clang++-19|-|-C cmake/asan.cmake|
tsan|clang++-19|-|-C cmake/tsan.cmake|
gcc12|g++-12|-|-C cmake/ci.cmake -D ATTUNE_CASE_COMPILER=g++-12 -D ATTUNE_TEST_SCOPE=all|-L unit|package|example|compile_fail
clang16|clang++-16|-|-C cmake/ci.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package
clang19|clang++-19|-|-C cmake/ci.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package
llvm16|g++|16|-C cmake/ci.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package
llvm17|g++|17|-C cmake/ci.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package
llvm18|g++|18|-C cmake/ci.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package
llvm19|g++|19|-C cmake/ci.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package
nollvm|g++|none|-C cmake/ci.cmake -D ATTUNE_WITH_CLANG=OFF -D ATTUNE_TEST_SCOPE=all|-L unit|package
package|clang++-19|-|-C cmake/ci.cmake -D ATTUNE_TEST_SCOPE=release|-L package
aarch64|clang++-19|arm|-C cmake/aarch64.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package
aarch64gcc|aarch64-linux-gnu-g++|arm|-C cmake/aarch64.cmake -D ATTUNE_TEST_SCOPE=all|-L unit|package'

again=
wanted=
named=
for argument; do
    case $argument in
        --again) again=1 ;;
        --list) echo "$legs" | cut -d'|' -f1 && exit ;;
        *)
            if ! echo "$legs" | grep -q "^$argument|"; then
                echo "matrix.sh: there is no leg '$argument'; there are:" $(echo "$legs" | cut -d'|' -f1) >&2
                exit 2
            fi
            wanted="$wanted $argument"
            ;;
    esac
done
named=$wanted
[ -n "$wanted" ] || wanted=$(echo "$legs" | cut -d'|' -f1)

# Changes with every source file, whether git knows it or not.
sources=$(find CMakeLists.txt README.md bench cmake examples include tests -type f -print0 | sort -z | xargs -0 sha256sum |
    sha256sum | cut -c1-16)

# run_leg <leg>: leaves a line in build/matrix/<leg>/result
run_leg() {
    line=$(echo "$legs" | grep "^$1|")
    compiler=$(echo "$line" | cut -d'|' -f2)
    llvm=$(echo "$line" | cut -d'|' -f3)
    arguments=$(echo "$line" | cut -d'|' -f4)
    tests=$(echo "$line" | cut -d'|' -f5-)
    folder=build/matrix/$1
    mkdir -p "$folder"
    if [ -z "$again" ] && grep -qs "^passed $sources" "$folder/result"; then return; fi
    began=$(date +%s)
    : >"$folder/log"
    if ! command -v "$compiler" >/dev/null 2>&1; then
        echo "skipped $sources there is no $compiler" >"$folder/result"
        return
    fi
    if [ "$llvm" = arm ]; then
        lacking=$(arm_lacks)
        if [ -n "$lacking" ]; then
            echo "skipped $sources there is no$lacking (Debian: g++-aarch64-linux-gnu, qemu-user)" >"$folder/result"
            return
        fi
        if ! arm_programs_are_here; then
            if [ -z "$named" ]; then
                echo "skipped $sources the leg would register QEMU with the kernel (binfmt_misc): name the leg" >"$folder/result"
                return
            fi
            trap arm_programs_end EXIT
            trap 'exit 1' HUP INT TERM
            if ! arm_programs; then
                echo "skipped $sources this user may not register QEMU with the kernel (binfmt_misc)" >"$folder/result"
                return
            fi
        fi
        if ! arm_root build/matrix/arm >>"$folder/log" 2>&1; then
            echo "skipped $sources LLVM for arm64 could not be unpacked (log: $folder/log)" >"$folder/result"
            return
        fi
        arm_tools build/matrix/arm/bin
        export ATTUNE_ARM_ROOT="$PWD/build/matrix/arm/root"
        case $compiler in clang*) export CC=clang-19 ;; *) export CC=aarch64-linux-gnu-gcc ;; esac
    elif [ "$llvm" != - ] && [ "$llvm" != none ]; then
        headers=$("llvm-config-$llvm" --includedir 2>/dev/null)
        if ! [ -e "$headers/clang/Frontend/CompilerInstance.h" ]; then
            echo "skipped $sources there is no libclang-$llvm-dev" >"$folder/result"
            return
        fi
        arguments="$arguments -D LLVM_DIR=$("llvm-config-$llvm" --cmakedir)"
    fi
    echo "== $1: $compiler, LLVM $llvm (log: $folder/log)"
    {
        eval "CXX=$compiler configure '$folder/tree' $arguments" &&
            cmake --build "$folder/tree" --parallel "$(jobs)" &&
            (
                if [ "$llvm" = arm ]; then
                    libraries=$ATTUNE_ARM_ROOT/usr/lib/aarch64-linux-gnu:$ATTUNE_ARM_ROOT/lib/aarch64-linux-gnu
                    export PATH="$PWD/build/matrix/arm/bin:$PATH" LD_LIBRARY_PATH="$libraries" QEMU_CPU=neoverse-n1
                fi
                cd "$folder/tree" &&
                    eval "ctest --output-on-failure --no-tests=error --parallel $(jobs) ${tests:+-L '${tests#-L }'}"
            )
    } >>"$folder/log" 2>&1
    status=$?
    minutes=$((($(date +%s) - began + 30) / 60))
    summary=$(grep -E '% tests passed' "$folder/log" | tail -1)
    if [ "$llvm" = arm ]; then # built, run, passed and skipped, and the names of what is skipped
        built=$(grep -cE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$folder/log")
        passed=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed ' "$folder/log")
        skipped=$(grep -cE '\*\*\*(Skipped|Not Run \(Disabled\))' "$folder/log")
        failed=$(sed -n '/tests FAILED:/,/Errors while/p' "$folder/log" | grep -cE '\((Failed|Timeout|SEGFAULT|SIG[A-Z0-9]+|Not Run|Subprocess[^)]*)\)')
        rows=$(grep -vc '^#' tests/qemu.txt)
        summary="$built units built, $((passed + failed)) tests run, $passed passed, $skipped skipped, and $rows rows of tests/qemu.txt left out"
        whole=$((passed + failed + skipped))
        if [ $((100 * passed)) -lt $((95 * whole)) ] || [ "$whole" -eq 0 ]; then
            status=1
            summary="fewer than 95 % of $whole tests passed: $summary"
        fi
        grep -v '^#' tests/qemu.txt | sed 's/^/skipped: /'
        awk '/ Testing: / { name = $NF } /^skipped: / { sub(/^skipped: /, ""); print "skipped: " name " | all | " $0 }' \
            "$folder/tree/Testing/Temporary/LastTest.log"
    fi
    if [ $status -eq 0 ]; then
        echo "passed $sources $minutes min, $summary" >"$folder/result"
    else
        echo "FAILED $sources $minutes min, ${summary:-$(grep -m1 -E 'error|Error|FAILED' "$folder/log" | cut -c1-100)}" >"$folder/result"
    fi
}

for leg in $wanted; do run_leg "$leg"; done
printf '\n%-13s %s\n' leg result
failed=0
for leg in $wanted; do
    read -r verdict _ rest <"build/matrix/$leg/result"
    printf '%-13s %-8s %s\n' "$leg" "$verdict" "$rest"
    [ "$verdict" != FAILED ] || failed=1
done
exit $failed
