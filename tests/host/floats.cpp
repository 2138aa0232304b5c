// tests/host/floats.cpp : a host that traps errors of floating-point arithmetic, rounds to zero and flushes to zero, tunes.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/compile/system.hpp>
#include <attune/tune/minimize_two.hpp>
#include <attune/tune/together_session.hpp>

#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "../support/float_host.hpp"
#include "scale.hpp"

namespace {

constexpr char const* text = R"(
#include <attune/tunable.hpp>
#include <cfenv>
#include <span>
constexpr int lanes = ATTUNE_TUNABLE(LANES, 1);
constexpr int pad = ATTUNE_TUNABLE(PAD, 1);
void thirds(std::span<float const> x, std::span<float> y, std::span<int> rounding)
{
    // A trap where the host has none, or none where it has one, is no run as an untuned call's.
    rounding[0] = std::fegetround() == FE_TOWARDZERO && fegetexcept() != 0;
    for (std::size_t i = 0; i < x.size(); i += lanes)
        for (std::size_t k = i; k < i + lanes && k < x.size(); ++k)
            y[k] = x[k] / 3;
    if (lanes == 8 && pad == 1) y[0] = 1 / (x[0] - x[0]); // traps: refused
}
)";

using signature = void(std::span<float const>, std::span<float>, std::span<int>);

constexpr auto lanes = attune::ordinal<"LANES">(attune::powers_of_two(1, 4096));
constexpr auto pad = attune::ordinal<"PAD">(attune::values(1, 2, 3, 4));
constexpr auto space = attune::space(lanes, pad);

attune::tuning_options options_of(char const* way)
{
    attune::tuning_options out;
    out.limits.evaluations = 20;
    out.limits.seconds = 60;
    out.progress = attune::silent_progress();
    if (way == std::string("background")) out.on_miss = attune::miss_policy::tune_in_background;
    return out;
}

struct host_state {
    std::fenv_t before{};
    int raised = FE_UNDERFLOW;
    unsigned long mode = 0;

    host_state()
    {
        std::feclearexcept(FE_ALL_EXCEPT);
        std::feraiseexcept(raised);
        mode = attune::detail::float_environment{}.mode();
    }
    [[nodiscard]] bool is_as_it_was(int also = 0) const
    {
        return attune::detail::float_environment{}.mode() == mode &&
               std::fetestexcept(FE_ALL_EXCEPT) == (raised | also);
    }
};

template <class Compiler>
void tune_kernel(Compiler compiler, char const* way)
{
    std::vector<float> x(200'000, 1);
    std::vector<float> y(x.size());
    std::vector<int> rounding(1);
    attune_test::float_host const host;
    float volatile one = 1;
    float const third = one / 3; // rounded to zero
    host_state const now;
    attune::kernel<signature> kernel{"thirds", attune::source_text(text, "thirds.cpp"), space};
    {
        attune::tuned f{kernel, compiler, options_of(way)};
        HOST_CHECK(now.is_as_it_was());
        if (way == std::string("together")) {
            attune::together_session all{{.evaluations = 20}, attune::share(f, x, y, rounding)};
            while (all.step())
                HOST_CHECK(now.is_as_it_was());
            HOST_CHECK(!all.finish().summary().empty());
            HOST_CHECK(now.is_as_it_was());
        }
        for (int calls = 0; calls < 3; ++calls) {
            std::feclearexcept(FE_INEXACT);
            f(x, y, rounding);
            HOST_CHECK(now.is_as_it_was(FE_INEXACT)); // of the served call itself
            f.wait();
            HOST_CHECK(rounding[0] == 1);
            for (float const value : y)
                HOST_CHECK(std::memcmp(&value, &third, sizeof value) == 0);
        }
        attune::tuning_report const told = f.report();
        HOST_CHECK(!told.summary().empty());
        HOST_CHECK(told.evaluations >= 2 || told.how == attune::decision::nothing_yet);
        HOST_CHECK(f.is_tuned(x, y, rounding));
        HOST_CHECK(now.is_as_it_was(FE_INEXACT));
    }
    HOST_CHECK(now.is_as_it_was(FE_INEXACT));
}

void remember()
{
    char folder[] = "/tmp/attune-floats-XXXXXX";
    HOST_CHECK(::mkdtemp(folder) != nullptr);
    std::vector<float> x(200'000, 1);
    std::vector<float> y(x.size());
    std::vector<int> rounding(1);
    attune_test::float_host const host;
    host_state const now;
    for (int starts = 0; starts < 2; ++starts) {
        std::feclearexcept(FE_INEXACT);
        attune::kernel<signature> kernel{"thirds", attune::source_text(text, "thirds.cpp"), space};
        {
            attune::tuned f{kernel, attune::clang_compiler{},
                            attune::store{std::string(folder) + "/k.attune"}, options_of("call")};
            HOST_CHECK(now.is_as_it_was());
            f.tune(x, y, rounding);
            HOST_CHECK(now.is_as_it_was());
            HOST_CHECK((f.report().how == attune::decision::remembered) == (starts == 1));
        }
        HOST_CHECK(now.is_as_it_was());
    }
    std::filesystem::remove_all(folder);
}

void search()
{
    attune_test::float_host const host;
    host_state const now;
    double const third = attune_test::third_of(1.0);
    std::feclearexcept(FE_INEXACT);
    attune::optimizer opt{space, {.limits = {.evaluations = 30}}};
    HOST_CHECK(now.is_as_it_was());
    while (auto const c = opt.ask()) {
        HOST_CHECK(now.is_as_it_was());
        opt.tell(*c, static_cast<double>((*c)[lanes] % 37 + (*c)[pad]));
        HOST_CHECK(now.is_as_it_was());
    }
    HOST_CHECK(opt.best_value() && !opt.summary().empty());
    HOST_CHECK(now.is_as_it_was());
    auto const cost = [&](auto const& c) {
        HOST_CHECK(now.mode == attune::detail::float_environment{}.mode());
        HOST_CHECK(attune_test::third_of(1.0) ==
                   third); // raises FE_INEXACT, as the host's own code
        return static_cast<double>(c[lanes]);
    };
    auto const found = attune::minimize(space, cost, {.evaluations = 30});
    HOST_CHECK(found.value == 1);
    HOST_CHECK(now.is_as_it_was(FE_INEXACT));
    std::feclearexcept(FE_INEXACT);
    auto const both = attune::minimize_two(
        space,
        [](auto const& c) {
            return attune::two_outcome{attune::two_values{static_cast<double>(c[lanes]),
                                                          static_cast<double>(10 - c[pad])}};
        },
        {.evaluations = 30});
    HOST_CHECK(!both.front.empty());
    HOST_CHECK(now.is_as_it_was());
}

} // namespace

int main(int argc, char** argv)
{
    HOST_CHECK(argc == 2);
    if (argv[1] == std::string("search"))
        search();
    else if (argv[1] == std::string("store"))
        remember();
    else if (argv[1] == std::string("system"))
        tune_kernel(attune::system_compiler{}, "call");
    else
        tune_kernel(attune::clang_compiler{}, argv[1]);
}
