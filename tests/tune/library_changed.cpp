// tests/tune/library_changed.cpp - a winner whose library has changed is verified before it serves.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/remember/store.hpp>
#include <attune/tune/tuned.hpp>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../support/child_status.hpp"

namespace {

inline constexpr auto lanes = attune::ordinal<"LANES">(attune::values(1, 8));
inline constexpr auto kernel_space = attune::space(lanes);

/// `default_work` is slow and right; `fast_work` is fast, and right if `added` is 0.
void make_library(attune::detail::temporary_folder const& folder, int added)
{
    (void)folder.write("work.c",
                       "#include <math.h>\n"
                       "float default_work(float v) { for (volatile int r = 0; r < 10; ++r) v = "
                       "sqrtf(v * v); return v; }\n"
                       "float fast_work(float v) { return v + " +
                           std::to_string(added) + "; }\n");
    REQUIRE(std::system(("cd '" + folder.path() +
                         "' && cc -O2 -shared -fPIC work.c -o libwork_of_test.so -lm")
                            .c_str()) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
}

/// Tunes or remembers, and calls 6 times.  @return  the number of wrong results, and the variant
std::string calls_of_one_process(attune::detail::temporary_folder const& folder, bool any_shape)
{
    attune::kernel_source source = attune::source_text(
        "#include <attune/tunable.hpp>\n#include <cstddef>\n#include <span>\n"
        "constexpr int LANES = ATTUNE_TUNABLE(LANES, 1);\n"
        "extern \"C\" float default_work(float), fast_work(float);\n"
        "void scale(std::span<float const> x, std::span<float> y, float a)\n{\n"
        "    for (std::size_t i = 0; i < x.size(); ++i)\n"
        "        y[i] = LANES == 8 ? fast_work(a * x[i]) : default_work(a * x[i]);\n}\n",
        "/scale.cpp");
    source.flags = {"-L" + folder.path(), "-lwork_of_test"};
    attune::kernel<void(std::span<float const>, std::span<float>, float)> kernel{"scale", source,
                                                                                 kernel_space};
    if (any_shape) kernel.any_shape();
    attune::tuning_options options;
    options.limits.evaluations = 2;
    options.limits.seconds = 10;
    attune::clang_options compiler;
    compiler.cache.folder = folder.path() + "/cache";
    attune::tuned f{kernel, attune::clang_compiler{compiler},
                    attune::store{folder.path() + "/store"}, options};
    std::vector<float> x(5'000);
    std::vector<float> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 100);
    std::size_t wrong = 0;
    for (int call = 0; call < 6; ++call) {
        f(x, y, 3.0F);
        for (std::size_t i = 0; i < x.size(); ++i)
            wrong += y[i] == 3.0F * x[i] ? 0 : 1;
    }
    return std::to_string(wrong) + " wrong; " + f.report().configuration;
}

/// In a process of its own: a library that is loaded stays as it is.
std::string calls(attune::detail::temporary_folder const& folder, bool any_shape)
{
    return attune_test::text_of_child([&] { return calls_of_one_process(folder, any_shape); });
}

} // namespace

TEST_CASE("a remembered winner is verified again when the library that it calls has changed")
{
    for (bool const any_shape : {false, true}) {
        attune::detail::temporary_folder const folder;
        make_library(folder, 0);
        CHECK(calls(folder, any_shape) == "0 wrong; LANES=8");
        CHECK(calls(folder, any_shape) == "0 wrong; LANES=8");
        make_library(folder, 1);
        CHECK(calls(folder, any_shape) == "0 wrong; LANES=1"); // tuned again
        CHECK(calls(folder, any_shape) == "0 wrong; LANES=1");
    }
}
