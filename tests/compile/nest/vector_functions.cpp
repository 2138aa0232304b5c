// tests/compile/nest/vector_functions.cpp - exp, tanh and erf of vectors keep the errors that are stated.
// SPDX-License-Identifier: MIT
//
// Every 4099th float; all of them by hand, some minutes: ATTUNE_TEST_STRIDE=1
#include <attune/compile/nest/detail/nest_prelude.hpp>
#include <attune/compile/system/process.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <limits>
#include <string>

#include "../../support/nest_runner.hpp"

namespace {

constexpr char const* functions = R"(
typedef vec::lanes<float, 16> V;
extern "C" void exp_16(float const* x, float* y) { vec::store(y, vec::exp<float, 16>(vec::load<V>(x))); }
extern "C" void tanh_16(float const* x, float* y) { vec::store(y, vec::tanh<float, 16>(vec::load<V>(x))); }
extern "C" void erf_16(float const* x, float* y) { vec::store(y, vec::erf<float, 16>(vec::load<V>(x))); }
)";

using vector_function = void (*)(float const*, float*);

struct worst {
    double error = 0;
    float at = 0;
    std::string unlike; ///< a value of another class than the exact one; empty: none
};

/// The largest error over all floats in steps; relative, or absolute.
template <class F>
worst measure(vector_function f, F const& exact, bool is_relative, float least)
{
    char const* const step = std::getenv("ATTUNE_TEST_STRIDE");
    std::uint64_t const stride = step == nullptr ? 4099 : std::strtoull(step, nullptr, 10);
    worst out;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 16 * stride) {
        float x[16];
        float y[16];
        for (std::uint64_t i = 0; i < 16; ++i)
            x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits + i * stride));
        f(x, y);
        for (int i = 0; i < 16; ++i) {
            long double const want = exact(static_cast<long double>(x[i]));
            float const rounded = static_cast<float>(want);
            if (std::isnan(x[i]) || std::isinf(rounded) || std::isnan(y[i]) || std::isinf(y[i])) {
                bool const is_like = std::isnan(x[i]) ? std::isnan(y[i]) : y[i] == rounded;
                if (!is_like) out.unlike = std::to_string(x[i]) + " gives " + std::to_string(y[i]);
                continue;
            }
            double error = std::fabs(static_cast<double>(static_cast<long double>(y[i]) - want));
            if (is_relative && std::fabs(rounded) < least) { // what is smaller may be 0
                if (std::fabs(y[i]) > 2 * least) out.unlike = std::to_string(x[i]);
                continue;
            }
            if (is_relative && rounded != 0.0F) error /= std::fabs(static_cast<double>(want));
            if (error > out.error) {
                out.error = error;
                out.at = x[i];
            }
        }
    }
    return out;
}

} // namespace

TEST_CASE("exp, tanh and erf of vectors have the stated errors, and the classes of the library's")
{
    std::string const compiler = support::nest_batch::compiler();
    if (compiler.empty()) {
        MESSAGE("skipped: there is no C++ compiler");
        return;
    }
    attune::detail::temporary_folder const folder;
    std::string text(attune::detail::nest_prelude);
    text += attune::detail::nest_prelude_math;
    text += attune::detail::nest_prelude_end;
    std::string const source = folder.write("functions.cpp", text + functions);
    std::string const object = folder.path() + "/functions.so";
    for (std::string const target : {"-march=native", "-mtune=generic"}) {
        CAPTURE(target);
        auto const done = attune::detail::run_process(
            {compiler, "-std=c++17", "-O2", "-w", target, "-shared", "-fPIC", source, "-o", object},
            120);
        INFO(done.output);
        REQUIRE(done.succeeded());
        void* const library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
        REQUIRE(library != nullptr);
        auto const function = [&](char const* name) {
            return reinterpret_cast<vector_function>(::dlsym(library, name));
        };
        constexpr float normal = std::numeric_limits<float>::min();
        worst const of_exp =
            measure(function("exp_16"), [](long double x) { return std::exp(x); }, true, normal);
        worst const of_tanh =
            measure(function("tanh_16"), [](long double x) { return std::tanh(x); }, true, 1e-35F);
        worst const of_erf =
            measure(function("erf_16"), [](long double x) { return std::erf(x); }, false, 0.0F);
        MESSAGE("exp " << of_exp.error << " at " << of_exp.at << ", tanh " << of_tanh.error
                       << " at " << of_tanh.at << ", erf " << of_erf.error << " at " << of_erf.at);
        CHECK(of_exp.error < 2e-7);
        CHECK(of_exp.unlike == "");
        CHECK(of_tanh.error < 4e-7);
        CHECK(of_tanh.unlike == "");
        CHECK(of_erf.error < 8e-7);
        CHECK(of_erf.unlike == "");
        ::dlclose(library);
    }
}
