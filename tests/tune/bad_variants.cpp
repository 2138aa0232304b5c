// tests/tune/bad_variants.cpp - nothing a variant does can hurt the program or mislead the search.
// SPDX-License-Identifier: MIT
#include <attune/attune.hpp>
#include <attune/core/random.hpp>
#include <attune/measure/sandbox/process_state.hpp>
#include <attune/tune/loop/session.hpp>
#include <attune/tune/loop/trial.hpp>

#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "../support/bad_variants.hpp"
#include "../support/recorded_progress.hpp"
#include "../support/scripted_compiler.hpp"

using namespace attune_test;
using attune::failure;
using attune::failure_stage;

namespace {

using signature = void(std::span<double const>, std::span<double>, std::span<int>, double);

constexpr std::size_t signals = std::size(fatal_signals);
constexpr std::size_t lates = std::size(late_ways);
constexpr std::size_t kinds = std::size(bad_ways);
constexpr std::size_t bad = bad_variant_count;
constexpr std::size_t good = 4; // the last seeds; the first is the default
static_assert(bad >= 100);

struct expectation {
    std::string name;
    unsigned verdicts;
};

expectation expected(std::size_t seed)
{
    if (seed < 2 * kinds) return {bad_ways[seed % kinds].name, bad_ways[seed % kinds].verdicts};
    seed -= 2 * kinds;
    if (seed < signals) return {"signal " + std::to_string(fatal_signals[seed]), stopped_somehow};
    seed -= signals;
    if (seed < lates) return {late_ways[seed].name, late_ways[seed].verdicts};
    seed -= lates;
    if (seed < 2) return {seed == 0 ? "syntax error" : "missing symbol", 0};
    return {"good", ranked};
}

/// The good ones idle: 200'000 steps in the default, none in the last.
void behave(std::size_t seed, bad_call const& c)
{
    if (seed < 2 * kinds) return bad_ways[seed % kinds].run(c);
    if (seed < 2 * kinds + signals)
        return right(c), static_cast<void>(raise(fatal_signals[seed - 2 * kinds]));
    if (seed < 2 * kinds + signals + lates) return late_ways[seed - 2 * kinds - signals].run(c);
    std::size_t const steps = 60'000 * (bad + good - 1 - seed);
    for (std::size_t i = 0; i < steps; ++i)
        asm volatile("");
    right(c);
}

int calls_to[bad + good] = {};

template <std::size_t Seed>
void variant(std::span<double const> x, std::span<double> y, std::span<int> k, double factor)
{
    std::uint64_t mixed = Seed;
    attune::random_engine engine{mixed};
    behave(Seed, {x, y, k, factor, engine(), ++calls_to[Seed]});
}

template <std::size_t... Seeds>
void* code_of_seed(std::size_t seed, std::index_sequence<Seeds...>)
{
    using function = signature*;
    function const all[] = {variant<Seeds>...};
    return reinterpret_cast<void*>(all[seed]);
}

scripted_compiler::answer script(attune::compile_request const& v)
{
    std::size_t const seed = std::stoul(v.macros.front().value);
    std::string const name = expected(seed).name;
    if (name == "syntax error")
        return failure{failure_stage::compile, "k.cpp:1: error: expected ;"};
    if (name == "missing symbol") return failure{failure_stage::load, "symbol not found"};
    return code_of_seed(seed, std::make_index_sequence<bad + good>{});
}

auto seeds() { return attune::space(attune::integer<"SEED">(0, static_cast<int>(bad + good - 1))); }

/// The program around a kernel: its data and everything of the process that is its own.
struct program {
    std::vector<double> x = std::vector<double>(1003);
    std::vector<double> y = x;
    std::vector<int> k = std::vector<int>(1003);
    scripted_compiler compiler{script};
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::kernel<signature> kernel{"scale",
                                     attune::source_text("constexpr int s = ATTUNE_TUNABLE(SEED, " +
                                                             std::to_string(bad) + ");\n",
                                                         "scale.kernel.cpp"),
                                     seeds()};
    attune::chain_of_trees space = attune::build(seeds());
    attune::call_frame frame;
    attune::tuning_options options;
    attune::tuning_problem problem;
    std::vector<double> x_before;
    std::vector<double> y_before;
    std::vector<int> k_before;

    program()
        : problem{kernel.describe(), space, at(bad), any, frame}
    {
        for (int& calls : calls_to)
            calls = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<double>(i + 1);
        frame = attune::detail::make_call_frame<std::span<double const>, std::span<double>,
                                                std::span<int>, double>({}, x, y, k, 3.0);
        // The right answer stands there already: who writes nothing must be found out all the same.
        right({x, y, k, 3.0, 0, 0});
        x_before = x, y_before = y, k_before = k;
        options.limits = {.evaluations = bad + good, .seconds = 120};
        options.progress = attune::silent_progress();
        options.search.strategy = attune::search_with<attune::exhaustive_searcher>();
        options.measuring.precision = 0.5;
        users_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
        setenv("ATTUNE_TEST_KEPT", "1", 1);
        std::signal(SIGUSR1, [](int) {});
    }
    ~program()
    {
        close(users_descriptor);
        unsetenv("ATTUNE_TEST_KEPT");
        std::signal(SIGUSR1, SIG_DFL);
    }
    program(program const&) = delete;
    program& operator=(program const&) = delete;

    attune::point at(std::size_t seed) const
    {
        return {*attune::coordinate_of(space.describe().parameters[0], std::to_string(seed))};
    }
    bool data_intact() const { return x == x_before && y == y_before && k == k_before; }
};

unsigned verdict_of(attune::outcome const& result)
{
    auto const* const why = std::get_if<failure>(&result);
    if (why == nullptr) return ranked;
    if (why->stage == failure_stage::crash) return crashed;
    if (why->stage == failure_stage::timeout) return timed_out;
    return why->stage == failure_stage::verify ? refuted : 0U;
}

std::string reason_of(attune::outcome const& result)
{
    auto const* const why = std::get_if<failure>(&result);
    return why == nullptr ? "it works" : why->reason;
}

} // namespace

TEST_CASE("every bad variant is refused at its stage, and the program stays as it was")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    program p;
    if (setjmp(users_place) != 0) _exit(1); // where "jumps out" comes to, in a child
    attune::detail::trial_runner runner{p.problem, p.options};
    attune::detail::process_state const before;
    auto const compile = [&](std::size_t seed) {
        return p.any.compile(
            p.problem.kernel.source,
            attune::detail::make_variant(p.problem.kernel, p.space.describe(), p.at(seed)));
    };
    attune::detail::trial const first = runner.establish_reference(compile(bad));
    double const default_s = std::get<attune::measurement>(first.result).value;
    for (std::size_t seed = 0; seed < bad; ++seed) {
        attune::detail::trial const tried =
            runner.run(compile(seed), std::numeric_limits<double>::infinity());
        expectation const want = expected(seed);
        CAPTURE(seed);
        CAPTURE(want.name);
        CAPTURE(reason_of(tried.result));
        unsigned const got = verdict_of(tried.result);
        // A sanitizer writes its report before a crash, which may take longer than the limit.
        bool const is_late = address_sanitized && (want.verdicts & crashed) != 0;
        CHECK((got & (is_late ? want.verdicts | timed_out : want.verdicts)) == got);
        if (got == ranked)
            CHECK(std::get<attune::measurement>(tried.result).value > 10 * default_s);
        CHECK(p.data_intact());
        CHECK(before.changes() == std::vector<std::string>{});
    }
    for (std::size_t seed = bad; seed < bad + good; ++seed) {
        attune::outcome const good_one = runner.run(compile(seed), 1e9).result;
        CAPTURE(reason_of(good_one));
        CHECK(verdict_of(good_one) == ranked);
    }
    CHECK(fcntl(users_descriptor, F_GETFD) >= 0);
    CHECK(std::fegetround() == FE_TONEAREST);
    CHECK(alarm(0) == 0);
    CHECK(p.data_intact());
}

TEST_CASE("among a hundred bad variants the best good one is found")
{
    if (is_skipped(thread_sanitized, jumps_out_of_handlers)) return;
    program p;
    if (setjmp(users_place) != 0) _exit(1);
    attune::detail::session_result const found = attune::detail::run_session(p.problem, p.options);
    INFO(found.report.summary());
    CHECK(found.report.configuration == "SEED=" + std::to_string(bad + good - 1));
    CHECK(found.report.how == attune::decision::tuned);
    CHECK(found.report.evaluations == bad + good);
    CHECK(attune::total(found.report.failures) >= bad - 2); // the slow ones may be measured
    CHECK(found.report.isolation.substr(0, 4) == "fork");
    CHECK(p.data_intact());
}
