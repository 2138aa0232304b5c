// attune/ship/bake/build_script.ipp - the steps of cmake/AttuneBake.cmake for POSIX sh.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/ship/bake/build_script.hpp>
#include <attune/ship/detail/cpp_text.hpp>

#include <cstddef>

namespace attune::inline ATTUNE_ABI::detail {

/// As one word of a shell.
[[nodiscard]] inline std::string shell_word(std::string const& text)
{
    std::string out = "'";
    for (char const c : text)
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    return out + '\'';
}

ATTUNE_INLINE std::string script_text(bake_plan const& plan, std::string const& stem)
{
    std::string includes;
    for (std::string const& folder : plan.source.include_dirs)
        includes += " -I" + shell_word(folder);
    std::string out = "#!/bin/sh\n# Kernel " + comment_of(plan.kernel) +
                      ". Do not edit: attune bake wrote it.\n"
                      "# Makes lib" +
                      stem +
                      ".a here, of which a program with <attune/ship/baked.hpp> links:\n"
                      "#   CXX=g++ CXXFLAGS=\"$(pkg-config --cflags attune)\" sh " +
                      stem + ".sh\n";
    out += R"sh(set -eu
cd "$(dirname "$0")"
: "${CXX:=c++}" "${CXXFLAGS:=}" "${LD:=ld.bfd}" "${OBJCOPY:=objcopy}"
: "${NM:=nm}" "${OBJDUMP:=objdump}" "${AR:=ar}"
objects=''
unique='' # GCC's unique symbols cannot be made local; Clang has none
if $CXX -fno-gnu-unique -E -x c++ /dev/null >/dev/null 2>&1; then unique=-fno-gnu-unique; fi
# Compiles a file, and makes its symbols local: code for a newer processor takes the place of
# nothing else.
unit() {
    name=$1
    shift
    $CXX -std=c++20 $CXXFLAGS)sh" +
           includes + R"sh( -O3 "$@" -fPIC -fno-lto $unique -c "$name.cpp" -o "$name.o"
    symbols=$("$NM" "$name.o")
    sections=$("$OBJDUMP" -h "$name.o")
    case "$*$symbols$sections" in
    *-march=*_GLOBAL__sub_I_* | *-march=*' i '* | *-march=*.init_array* | \
    *-march=*.preinit_array* | *-march=*.ctors*)
        echo "attune: $name.cpp initialises objects before it is known which instructions the" \
            "processor has" >&2
        exit 1 ;;
    esac
    "$LD" -r --force-group-allocation -o "$name.local.o" "$name.o"
    "$OBJCOPY" --wildcard '--keep-global-symbol=*attune_type_tag*' \
        '--keep-global-symbol=*attune_baked_*' '--keep-global-symbol=*baked_table_of*' \
        '--weaken-symbol=*attune_type_tag*' "$name.local.o"
    objects="$objects $name.local.o"
}
)sh";
    if (plan.is_for_device)
        return out + "$CXX -std=c++20 $CXXFLAGS" + includes + " -fPIC -c " + stem +
               "_images.cpp -o " + stem + "_images.o\n$CXX -std=c++20 $CXXFLAGS" + includes +
               " -fPIC -c " + stem + "_table.cpp -o " + stem + "_table.o\nrm -f lib" + stem +
               ".a\n\"$AR\" rcs lib" + stem + ".a " + stem + "_table.o " + stem + "_images.o\n";
    out += "unit " + stem + "_default @" + stem + "_default.flags\n";
    for (std::size_t v = 0; v < plan.variants.size(); ++v)
        for (planned_build const& build : plan.variants[v].builds) {
            std::string const place = stem + '_' + std::to_string(v);
            out += "unit " + place + '_' + build.level + " @" + place + ".flags" +
                   (build.level == "base" ? "" : " -march=" + build.level) + '\n';
        }
    return out + "$CXX -std=c++20 $CXXFLAGS -fPIC -c " + stem + "_table.cpp -o " + stem +
           "_table.o\nrm -f lib" + stem + ".a\n\"$AR\" rcs lib" + stem + ".a " + stem +
           "_table.o $objects\n";
}

} // namespace attune::inline ATTUNE_ABI::detail
