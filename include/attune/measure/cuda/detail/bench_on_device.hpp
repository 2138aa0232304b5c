// attune/measure/cuda/detail/bench_on_device.hpp - the objects of a local bench in the device's context.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/clocks.hpp>
#include <attune/measure/cuda/device_bench.hpp>
#include <attune/measure/cuda/device_runs.hpp>
#include <attune/measure/cuda/device_trials.hpp>
#include <attune/measure/cuda/l2_flush.hpp>
#include <attune/measure/cuda/loaded_variant.hpp>
#include <attune/measure/cuda/queue_filler.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Number of modules that stay loaded: the contestants of a final, and some more.
inline constexpr std::size_t most_loaded_variants = 8;

/// The default, with the parameters to establish it again.
struct known_default {
    device_variant code;
    std::vector<std::vector<std::byte>> expected;
    double limit_s = 0;
    double took_s = 0;
};

/// All objects of a bench that use the device's context.
struct bench_on_device {
    std::shared_ptr<device_session> where;
    device_bench_options options;
    device_clock clock;
    device_trials trials;
    packed_arguments arguments;
    cuda::clock_reader frequency;
    queue_filler filler;
    std::shared_ptr<device_history> history = std::make_shared<device_history>();
    std::optional<l2_flush> flush{};
    std::optional<known_default> established{};
    std::vector<std::pair<device_variant, std::shared_ptr<loaded_variant>>>
        loaded{}; ///< most recently used last

    bench_on_device(std::shared_ptr<device_session> in, device_call const& call,
                    device_bench_options const& how)
        : where(std::move(in))
        , options(how)
        , clock(where)
        , trials(where, call, how, clock)
        , arguments(call.arguments, addresses(call))
        , frequency(where->driver(), where->ordinal())
        , filler(where, clock)
    {
        if (how.cache == cache_state::cold) flush.emplace(where);
    }

    [[nodiscard]] std::vector<cuda::device_pointer> addresses(device_call const& call)
    {
        std::vector<cuda::device_pointer> out;
        for (std::size_t i = 0; i < call.buffers.size(); ++i)
            out.push_back(trials.copies().address(i));
        return out;
    }

    /// Errors   `stopped`
    [[nodiscard]] std::shared_ptr<loaded_variant> load(device_variant const& what)
    {
        auto const known = std::find_if(loaded.begin(), loaded.end(), [&](auto const& one) {
            return one.first.launch == what.launch && one.first.code.entry == what.code.entry &&
                   one.first.code.image == what.code.image;
        });
        if (known != loaded.end()) {
            std::rotate(known, known + 1, loaded.end());
            return loaded.back().second;
        }
        auto made = std::make_shared<loaded_variant>(where, what);
        if (loaded.size() == most_loaded_variants) loaded.erase(loaded.begin());
        loaded.emplace_back(what, made);
        return made;
    }

    /// A function that enqueues one run.
    [[nodiscard]] std::function<void()> run_of(std::shared_ptr<loaded_variant> code)
    {
        return [this, code = std::move(code)] { code->launch(clock.stream(), arguments.all()); };
    }

    /// Errors   `stopped`
    double establish(known_default const& how)
    {
        return trials.establish(run_of(load(how.code)), how.expected, how.limit_s);
    }

    /// Restores what a variant may have overwritten.
    /// Errors   `stopped`: the default does not work any more
    void mend()
    {
        if (!trials.is_spoilt() || !established) return;
        loaded.clear(); // the module's variables may be overwritten too
        static_cast<void>(establish(*established));
    }

    void prepare()
    {
        trials.restore();
        if (flush) flush->enqueue(clock);
    }

    [[nodiscard]] device_runs runs_of(std::vector<std::shared_ptr<loaded_variant>> contestants,
                                      double limit_s)
    {
        device_run_options how;
        how.limit_s = limit_s;
        how.as_graph = options.as_graph;
        how.follows_itself = !flush && trials.overwrites();
        how.fill = [this] { filler.enqueue(clock); };
        how.history = history;
        if (frequency.why_none().empty())
            how.reading = [this] { return frequency.read().value_or(cuda::clock_reading{}); };
        return {where, clock, [this] { prepare(); }, std::move(contestants), arguments, how};
    }
};

} // namespace attune::inline ATTUNE_ABI::detail
