// tests/support/scripted_bench.hpp : a device_bench without a device. The name of a variant's entry says what it does: "0.25" takes so many seconds, "segv", "exit", "hang", "kill", "illegal", "wrong", "shout", "throw", "nonsense", "nap" do what they say; "spoils" writes where it must not, "astray" does as a default from contents that nobody asked for; "dies when read", "throws when read" and "short when read" do so when contents are asked for after them; "liar" and "forgetful" make nonsense of a comparison.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/measure/device/device_bench.hpp>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace attune_test {

struct scripted_bench final : attune::detail::device_bench {
    std::shared_ptr<attune::detail::cuda::driver const> driver;
    attune::detail::device_call call;
    attune::detail::device_bench_options options;
    std::vector<std::vector<std::byte>> original;
    std::vector<std::vector<std::byte>> copies; ///< after a first run: the original, backwards
    double established_s = -1;
    mutable bool wrote_elsewhere = false;
    std::string latest{}; ///< entry of the latest first run

    using attune::detail::device_bench::compare;
    using attune::detail::device_bench::establish;
    using attune::detail::device_bench::first_run;
    using attune::detail::device_bench::time;

    scripted_bench(std::shared_ptr<attune::detail::cuda::driver const> with,
                   attune::detail::device_call what,
                   attune::detail::device_bench_options const& how)
        : device_bench(std::string{})
        , driver(std::move(with))
        , call(std::move(what))
        , options(how)
    {
        for (attune::detail::device_buffer const& b : call.buffers)
            original.emplace_back(b.where.data, b.where.data + b.where.bytes);
        copies = original;
    }

    [[nodiscard]] static attune::device_variant variant(std::string entry)
    {
        attune::device_variant v;
        v.code.entry = std::move(entry);
        v.code.image = "an image";
        return v;
    }

    /// Seconds, or the end of this process.
    [[nodiscard]] attune::first_run_result act(attune::device_variant const& v) const
    {
        using attune::failure;
        using attune::failure_stage;
        std::string const& what = v.code.entry;
        if (what == "segv") std::raise(SIGSEGV);
        if (what == "kill") std::raise(SIGKILL);
        if (what == "exit") std::exit(3);
        if (what == "hang")
            for (;;)
                ::pause();
        if (what == "shout") {
            std::fputs("this is what it printed", stderr);
            std::abort();
        }
        if (what == "nonsense")
            if (::write(3, "no message at all, but many bytes of something else", 51) > 0)
                ::pause();
        if (what == "illegal")
            return failure{failure_stage::crash, "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal ..."};
        if (what == "wrong") return failure{failure_stage::verify, "argument 0, element 1: ..."};
        if (what == "spoils") {
            wrote_elsewhere = true;
            return failure{failure_stage::verify, "written up to 4 bytes past the end"};
        }
        if (what == "nap") {
            ::usleep(600000);
            return 0.5;
        }
        if (what == "refused") return failure{failure_stage::launch, "too many threads"};
        if (what == "throw") throw attune::error("no more memory", "here", "buy some");
        if (what == "depends") {
            char const* const now = std::getenv("ATTUNE_TEST_DEFAULT");
            if (now != nullptr && std::string(now) == "bad") std::abort();
            return 1.0;
        }
        if (what == "process") return static_cast<double>(::getpid());
        if (what == "core limit") {
            rlimit now{};
            ::getrlimit(RLIMIT_CORE, &now);
            return static_cast<double>(now.rlim_cur);
        }
        if (what.ends_with(" when read") || what == "liar" || what == "forgetful") return 1.0;
        return std::stod(what);
    }

    [[nodiscard]] attune::first_run_result
    establish(attune::device_variant const& trusted,
              std::span<std::vector<std::byte> const> expected, double) override
    {
        if (options.perturb && trusted.code.entry == "no perturbing") std::abort();
        bool const is_astray = trusted.code.entry == "astray";
        wrote_elsewhere = is_astray && options.perturb;
        auto const result = is_astray || trusted.code.entry == "no perturbing"
                                ? attune::first_run_result{1.0}
                                : act(trusted);
        if (std::holds_alternative<double>(result)) established_s = std::get<double>(result);
        for (std::size_t i = 0; i < std::min(expected.size(), copies.size()); ++i)
            if (!expected[i].empty()) copies[i] = expected[i];
        return result;
    }
    [[nodiscard]] attune::first_run_result first_run(attune::device_variant const& tried,
                                                     double) override
    {
        if (established_s < 0) throw attune::error("the default is not established", "", "");
        auto const result = act(tried);
        latest = tried.code.entry;
        copies = original;
        for (std::vector<std::byte>& copy : copies)
            std::reverse(copy.begin(), copy.end());
        return result;
    }
    [[nodiscard]] std::vector<std::byte> contents(std::size_t i) override
    {
        if (latest == "dies when read") std::raise(SIGKILL);
        if (latest == "throws when read") throw attune::error("no memory to share", "here", "");
        if (latest == "short when read") return {};
        return copies.at(i);
    }
    [[nodiscard]] attune::outcome time(attune::device_variant const& tried, double stop_above_s,
                                       double limit_s, attune::timing_record* taken) override
    {
        auto const result = act(tried);
        if (auto const* const why = std::get_if<attune::failure>(&result)) return *why;
        double const s = std::get<double>(result);
        if (taken != nullptr) *taken = {.times = {s, 2 * s}, .disturbed = {1}, .clock = "script"};
        return attune::measurement{s, stop_above_s, limit_s, 7};
    }
    [[nodiscard]] std::variant<attune::round_times, std::size_t>
    compare(std::span<attune::device_variant const> tried, double) override
    {
        attune::round_times times(tried.size());
        for (std::size_t i = 0; i < tried.size(); ++i) {
            if (tried[i].code.entry == "liar") return tried.size();
            if (tried[i].code.entry == "forgetful") return attune::round_times(i);
            auto const result = act(tried[i]);
            if (std::holds_alternative<attune::failure>(result)) return i;
            for (std::size_t round = 0; round <= i; ++round)
                times.add(i, std::get<double>(result) + 0.5 * static_cast<double>(round));
        }
        return times;
    }
    [[nodiscard]] bool is_spoilt() const noexcept override { return wrote_elsewhere; }
    [[nodiscard]] std::string protection() const override { return "scripted"; }
};

} // namespace attune_test
