// tests/support/scripted_kernel.hpp - a kernel of 40 configurations whose times a test says; nothing runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/remember/store.hpp>
#include <attune/tune/together.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "accumulate.hpp"
#include "shared_store.hpp"
#include "timed_bench.hpp"

namespace attune_test {

inline constexpr int ways_of_table = 40;
using table = std::array<double, ways_of_table>;

/// Configuration i takes seconds[i]; negative: it does not compile. Nothing runs.
template <class Store = shared_store>
class scripted_kernel {
public:
    scripted_kernel(std::string name, table const& seconds, Store store = {},
                    std::function<void(attune::tuning_options&)> const& change = {})
        : seconds_(std::make_unique<table>(seconds))
        , compiler(
              [at = seconds_.get()](attune::compile_request const& v) -> scripted_compiler::answer {
                  std::size_t i = 0;
                  for (attune::macro_definition const& m : v.macros)
                      if (m.name == "STEP") i = std::stoul(m.value);
                  if ((*at)[i] < 0)
                      return attune::failure{attune::failure_stage::compile, "no such step", ""};
                  return static_cast<void*>(&(*at)[i]);
              })
        , call(kernel_of(std::move(name)), compiler, std::move(store), options(change))
    {
        for (double& one : *seconds_)
            script_.seconds[&one] = one;
    }

    [[nodiscard]] attune::tuning_share share_of(int size = 4)
    {
        return attune::share(call, x_, size);
    }
    [[nodiscard]] bool is_tuned(int size = 4) { return call.is_tuned(x_, size); }

private:
    [[nodiscard]] static attune::kernel<void(std::span<double>, int)> kernel_of(std::string name)
    {
        static constexpr auto step = attune::ordinal<"STEP">(attune::range(0, ways_of_table - 1));
        static constexpr auto size = attune::input<"SIZE", int>();
        attune::kernel<void(std::span<double>, int)> out{
            std::move(name),
            attune::source_text("constexpr int step = ATTUNE_TUNABLE(STEP, 0);\n", "s.kernel.cpp"),
            attune::space(step)};
        out.bind<1>(size).any_shape();
        return out;
    }
    [[nodiscard]] attune::tuning_options
    options(std::function<void(attune::tuning_options&)> const& change)
    {
        attune::tuning_options out = quick_options(heard.sink());
        out.measuring.make_bench = timed_by(script_);
        if (change) change(out);
        return out;
    }

    std::unique_ptr<table> seconds_;
    time_script script_{};
    std::vector<double> x_ = std::vector<double>(64, 1.0);

public:
    recorded_progress heard{};
    scripted_compiler compiler;
    attune::tuned<void(std::span<double>, int), scripted_compiler, Store> call;
};

/// Falls from `first` by `factor` at each step, to `last` at least.
inline table falling(double first, double factor, double last)
{
    table out{};
    for (double& one : out) {
        one = first;
        first = std::max(last, first * factor);
    }
    return out;
}

inline table flat(double seconds)
{
    table out{};
    out.fill(seconds);
    return out;
}

} // namespace attune_test
