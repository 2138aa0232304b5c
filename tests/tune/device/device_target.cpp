// tests/tune/device/device_target.cpp - a device of another kind than CUDA, given by a program.
// SPDX-License-Identifier: MIT
#include <attune/tune/device/device_target.hpp>

#include <attune/attune.hpp>
#include <attune/compile/compiler.hpp>
#include <attune/measure/bench.hpp>

#include <cstring>
#include <doctest/doctest.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "../../support/scripted_compiler.hpp"

namespace abacus {

/// What the compiler below makes code for: a machine that adds a number to every element.
struct target {
    std::string name = "abacus 3";
    int most_tile = 8;
};

struct code {
    int tile = 0;
};

code const& code_of(attune::callable const& c) { return *static_cast<code const*>(c.address); }

class kernel final : public attune::loaded_kernel {
public:
    explicit kernel(attune::callable c)
        : code_(std::move(c))
    {
    }
    void launch(void**, void*) const override {}
    void launch_staged(void** arguments, std::span<attune::staged_array const> arrays,
                       void*) const override
    {
        float added = 0;
        std::memcpy(&added, arguments[1], sizeof added);
        for (attune::staged_array const& a : arrays) {
            auto* const x = reinterpret_cast<float*>(a.data);
            for (std::size_t i = 0; i < a.bytes / sizeof(float); ++i)
                x[i] += added;
        }
    }

private:
    attune::callable code_;
};

/// Larger tiles are faster.
class bench final : public attune::bench {
public:
    [[nodiscard]] attune::first_run_result establish(attune::callable const&, double) override
    {
        return 1.0;
    }
    [[nodiscard]] attune::first_run_result first_run(attune::callable const&, double) override
    {
        return 1.0;
    }
    [[nodiscard]] attune::outcome time(attune::callable const& tried, double, double,
                                       attune::timing_record&) override
    {
        return attune::measurement::exact(1.0 / code_of(tried).tile);
    }
    [[nodiscard]] std::variant<attune::round_times, std::size_t>
    compare(std::span<attune::callable const> tried, double) override
    {
        attune::round_times out{tried.size()};
        for (std::size_t i = 0; i < tried.size(); ++i)
            for (int round = 0; round < 32; ++round)
                out.add(i, 1.0 / code_of(tried[i]).tile);
        return out;
    }
    [[nodiscard]] std::string protection() const override { return "an abacus cannot crash"; }
};

class device final : public attune::device_target {
public:
    explicit device(target const& t)
        : target_(t)
    {
    }
    [[nodiscard]] std::string name() const override { return target_.name; }
    void require_device(std::string const&) const override {}
    void add_limits(attune::description&, attune::kernel_description const&) const override {}
    [[nodiscard]] attune::code_review review(attune::kernel_description const&,
                                             attune::description const&, attune::point const&,
                                             attune::callable const& c) const override
    {
        attune::code_review out;
        if (code_of(c).tile > target_.most_tile) out.objection = "the abacus has no such row";
        return out;
    }
    [[nodiscard]] std::unique_ptr<attune::loaded_kernel const> load(attune::callable c,
                                                                    std::string) const override
    {
        return std::make_unique<kernel const>(std::move(c));
    }
    [[nodiscard]] std::optional<attune::callable>
    code_in_program(attune::kernel_description const&, attune::description const&,
                    attune::point const&) const override
    {
        return {};
    }
    void wait_for_caller(void*) const override {}
    void require_arrays(attune::call_frame const&) const override {}
    [[nodiscard]] std::unique_ptr<attune::bench>
    make_bench(attune::tuning_problem const&, attune::tuning_options const&) const override
    {
        return std::make_unique<bench>();
    }

private:
    target const& target_;
};

std::shared_ptr<attune::device_target const> make_device_target(target const& t)
{
    return std::make_shared<device>(t);
}

struct compiler {
    attune::compile_result compile(attune::kernel_source const&, attune::compile_request const& v)
    {
        auto made = std::make_shared<code>();
        made->tile = std::stoi(v.macros.at(0).value);
        attune::callable out;
        out.address = made.get();
        out.object_key = "tile " + v.macros.at(0).value;
        out.code = std::move(made);
        return out;
    }
    [[nodiscard]] std::string identity() const { return "abacus compiler 1"; }
    [[nodiscard]] abacus::target const& target() const
    {
        static abacus::target const only;
        return only;
    }
};

} // namespace abacus

template <>
inline constexpr bool attune::describes_device<abacus::target> = true;

TEST_CASE("a program's own kind of device is tuned for, without a line of attune's")
{
    static_assert(attune::device_compiler<abacus::compiler>);
    constexpr auto tile = attune::ordinal<"TILE">(attune::values(1, 2, 4, 8, 16));
    attune::kernel<void(std::span<float>, float)> add{
        "add", attune::source_text("ATTUNE_TUNABLE(TILE, 2)", "add.abacus"), attune::space(tile)};
    add.grid(1).block(1);
    attune::tuned call{add,
                       abacus::compiler{},
                       {.search = {.strategy = attune::search_with<attune::exhaustive_searcher>()},
                        .progress = attune::silent_progress()}};
    std::vector<float> x(100, 1.0F);
    call(x, 2.0F);
    CHECK(x == std::vector<float>(100, 3.0F));
    attune::tuning_report const report = call.report();
    CHECK(report.how == attune::decision::tuned);
    CHECK(report.configuration == "TILE=8");
    CHECK(report.isolation == "an abacus cannot crash");
    CHECK(attune::total(report.failures) == 1); // TILE=16
}
