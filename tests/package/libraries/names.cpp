// tests/package/libraries/names.cpp - a library that embeds a kernel, as another one does under the same name.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/source.hpp>
#include <attune/core/embedded_file.hpp>

#include <cstdlib>

#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

namespace {

// What attune_embed_kernel generates, by hand.
constexpr unsigned char text[] = TEXT;
constexpr attune::detail::embedded_file file{"own.kernel.cpp", "/there/" TEXT, text,
                                             sizeof text - 1};
ATTUNE_EMBED(attune_kernels, file)

} // namespace

extern "C" int JOIN(run_, LIBRARY)();

/// The number that is the library's own text.
int JOIN(run_, LIBRARY)()
{
    std::string const found = attune::source_file("/there/" TEXT).text;
    std::string const own = attune::embedded_source("own.kernel.cpp").text;
    return found == own ? std::atoi(own.c_str()) : -1;
}
