// tests/package/libraries/library.cpp - a library with a name that calls its own two kernels, with and without a tuner.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

namespace {

constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 2, 4));
constexpr auto space = attune::space(step);

[[nodiscard]] int called(std::string const& function, std::string const& file,
                         std::vector<std::string> flags)
{
    attune::kernel_source source = attune::embedded_source(file);
    source.flags = std::move(flags);
    attune::kernel<void(std::span<int>)> const kernel{function, std::move(source), space};
    attune::tuned tuned{kernel, attune::clang_compiler{}, attune::memory_store{}};
    std::vector<int> x{0, 1};
    tuned(x);
    return x[1];
}

} // namespace

extern "C" __attribute__((visibility("default"))) int JOIN(run_, LIBRARY)();

/// The factors of scale() and both(): 2 and 10, or 3 and 100, as "210" and "3100"; -1: a call
/// threw.
int JOIN(run_, LIBRARY)()
{
    attune::set_default_sink(attune::silent_progress());
    try {
        int const own = called("scale", TEXT(LIBRARY) "/scale.kernel.cpp", {});
        int const both = called("both", "both.kernel.cpp", {"-DFACTOR=" TEXT(FACTOR)});
        return own * (both == 10 ? 100 : 1000) + both;
    } catch (std::exception const& thrown) {
        std::fprintf(stderr, "%s: %s\n", TEXT(LIBRARY), thrown.what());
        return -1;
    }
}
