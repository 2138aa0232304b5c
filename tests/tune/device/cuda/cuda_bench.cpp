// tests/tune/device/cuda/cuda_bench.cpp - a device's bench as the loop sees it.
// SPDX-License-Identifier: MIT
#include <attune/tune/device/cuda/cuda_bench.hpp>
// and what the test needs besides
#include <attune/measure/clock/sampler.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <variant>
#include <vector>

#include "../../../support/device_saxpy.hpp"
#include "../../../support/sanitized.hpp"

using namespace attune_test;
using attune::failure_stage;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct bench {
    emulated_compiler compiler = saxpy_compiler();
    attune::kernel<on_host> kernel = saxpy_kernel<on_host, plain, quick, doubled, faulting>();
    saxpy_data data{};
    attune::detail::any_compiler any = attune::detail::make_any_compiler(compiler);
    attune::call_frame frame =
        attune::detail::make_call_frame<std::span<float const>, std::span<float>, float, int>(
            {}, data.x, data.y, 2.0F, data.n());
    attune::chain_of_trees space = attune::detail::space_of_call(
        kernel.describe(), attune::detail::with_annotated_defaults(kernel.describe()),
        {{"n", attune::number::of(std::int64_t{100})}});
    attune::tuning_options options = quick_options();

    [[nodiscard]] attune::tuning_problem problem() const
    {
        return {kernel.describe(), space, *attune::detail::default_point(space), any, frame};
    }
    [[nodiscard]] attune::callable code(saxpy_kind kind) const
    {
        attune::compile_request v = attune::detail::make_variant(
            kernel.describe(), space.describe(), *attune::detail::default_point(space));
        for (attune::macro_definition& m : v.macros)
            if (m.name == "KIND") m.value = std::to_string(static_cast<int>(kind));
        return device_code_of(any.compile(kernel.describe().source, v));
    }
};

/// On the device of the compiler, with the problem that it refers to.
struct device_bench {
    explicit device_bench(bench const& b)
        : problem(b.problem())
        , runs(attune::detail::make_cuda_bench(problem, b.options, b.compiler.target()))
    {
    }
    attune::bench* operator->() const { return runs.get(); }

    attune::tuning_problem problem;
    std::unique_ptr<attune::bench> runs;
};

attune::failure failure_of(attune::first_run_result const& r)
{
    auto const* const why = std::get_if<attune::failure>(&r);
    return why ? *why : attune::failure{failure_stage::load, "it worked"};
}

/// The only child of this process, which a bench's worker is.
[[nodiscard]] int only_child()
{
    std::vector<int> found;
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string line;
        if (!std::getline(stat, line)) continue;
        // "17 (name) S 4 ...": the parent comes after the state; names may hold anything.
        std::istringstream rest(line.substr(line.rfind(')') + 1));
        std::string state;
        int parent = 0;
        rest >> state >> parent;
        if (parent == ::getpid()) found.push_back(std::stoi(line));
    }
    REQUIRE(found.size() == 1);
    return found.front();
}

/// No file can be opened while it lives, and so no worker started.
struct without_files {
    rlimit former{};
    without_files()
    {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &former) == 0);
        rlimit const none{0, former.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    }
    ~without_files() { ::setrlimit(RLIMIT_NOFILE, &former); }
    without_files(without_files const&) = delete;
    without_files& operator=(without_files const&) = delete;
};

} // namespace

TEST_CASE("the default's result is what others are compared with, and faults are survived")
{
    bench b;
    device_bench const runs{b};
    CHECK(std::get<double>(runs->establish(b.code(plain), 10)) == doctest::Approx(232e-6));
    CHECK(std::holds_alternative<double>(runs->first_run(b.code(quick), 10)));
    CHECK(failure_of(runs->first_run(b.code(doubled), 10)).stage == failure_stage::verify);
    CHECK(failure_of(runs->first_run(b.code(faulting), 10)).stage == failure_stage::crash);
    CHECK(std::get<double>(runs->first_run(b.code(quick), 10)) == doctest::Approx(132e-6));
    CHECK(b.data.called_times(0, 2.0F));
}

TEST_CASE("a variant is verified at a call that it was not tuned for")
{
    using ending = attune::shape_verdict::ending;
    bench b;
    attune::tuning_problem problem = b.problem();
    problem.only_verifies = true;
    for (attune::isolation const how : {attune::isolation::automatic, attune::isolation::guard}) {
        b.options.measuring.protect = how;
        auto const verdict = [&](saxpy_kind trusted, saxpy_kind tried, double limit_s = 10) {
            attune::shape_verdict const said =
                attune::detail::make_cuda_bench(problem, b.options, b.compiler.target())
                    ->verify(b.code(trusted), b.code(tried), limit_s);
            CHECK(said.executions <= 4);
            CHECK((said.how == ending::right) == said.why.reason.empty());
            return said.how;
        };
        CHECK(verdict(plain, quick) == ending::right);
        CHECK(verdict(plain, doubled) == ending::wrong);
        CHECK(verdict(doubled, plain) == ending::wrong);
        CHECK(b.data.called_times(0, 2.0F));           // the caller's arrays are as they were
        if (how == attune::isolation::guard) continue; // a fault takes the device along there
        CHECK(verdict(faulting, plain) == ending::unknown);
        CHECK(verdict(plain, faulting) == ending::wrong);
    }
}

TEST_CASE("times and turns are those of the device's events")
{
    bench b;
    device_bench const runs{b};
    (void)runs->establish(b.code(plain), 10);
    attune::timing_record taken;
    auto const m = std::get<attune::measurement>(runs->time(b.code(quick), never, 10, taken));
    CHECK(m.value == doctest::Approx(132e-6));
    CHECK(attune::detail::estimate_of(taken).value == m.value);
    CHECK(attune::detail::estimate_of(taken).samples == m.samples);
    CHECK(taken.clock == "events");
    std::vector const both{b.code(plain), b.code(quick)};
    CHECK(std::get<attune::round_times>(runs->compare(both, 2)).ratio(0, 1).value ==
          doctest::Approx(132.0 / 232));
    std::vector const one_faults{b.code(plain), b.code(faulting)};
    CHECK(std::get<std::size_t>(runs->compare(one_faults, 2)) == 1);
    CHECK(b.data.called_times(0, 2.0F));
}

TEST_CASE("a reference or a check that throws is what is wrong with a variant")
{
    bench b;
    b.kernel.reference([](std::span<float const>, std::span<float>, float, int) {
        throw std::runtime_error("no licence");
    });
    device_bench const refers{b};
    attune::failure const one = failure_of(refers->establish(b.code(plain), 10));
    CHECK(one.stage == failure_stage::verify);
    CHECK(one.reason == "the kernel's reference threw: no licence");

    bench c;
    c.kernel.check([](std::span<float const> x, std::span<float const> y, float a, int) {
        if (y[9] > 100 + a * x[9]) throw std::runtime_error("too much");
        return true;
    });
    device_bench const checks{c};
    CHECK(std::holds_alternative<double>(checks->establish(c.code(plain), 10)));
    attune::failure const other = failure_of(checks->first_run(c.code(doubled), 10));
    CHECK(other.stage == failure_stage::verify);
    CHECK(other.reason == "the kernel's check threw: too much");
}

TEST_CASE("a reference decides, not the default")
{
    bench b;
    b.kernel.reference([](std::span<float const> x, std::span<float> y, float a, int) {
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += 2 * a * x[i];
    });
    device_bench const runs{b};
    CHECK(failure_of(runs->establish(b.code(plain), 10)).stage == failure_stage::verify);
    CHECK(std::holds_alternative<double>(runs->establish(b.code(doubled), 10)));
    CHECK(failure_of(runs->first_run(b.code(quick), 10)).reason.find("argument 1, element 0") == 0);
    CHECK(b.data.called_times(0, 2.0F));
}

TEST_CASE("a check sees all arrays and replaces the comparison")
{
    bench b;
    b.kernel.check([](std::span<float const> x, std::span<float const> y, float, int n) {
        return x[9] == 10 && n == 100 && y[9] > 100; // any multiple is right
    });
    device_bench const runs{b};
    CHECK(std::holds_alternative<double>(runs->establish(b.code(plain), 10)));
    CHECK(std::holds_alternative<double>(runs->first_run(b.code(doubled), 10)));
    attune::timing_record taken;
    CHECK(
        std::holds_alternative<attune::measurement>(runs->time(b.code(doubled), never, 10, taken)));
}

TEST_CASE("a check never sees the default's result in place of a variant's")
{
    bench b;
    b.kernel.check([](std::span<float const> x, std::span<float const> y, float a, int) {
        return y[9] == 100 + a * x[9];
    });
    device_bench const runs{b};
    CHECK(std::holds_alternative<double>(runs->establish(b.code(plain), 10)));
    CHECK(failure_of(runs->first_run(b.code(doubled), 10)).stage == failure_stage::verify);
    // From now on the worker cannot hand over what it computes; another one could, but has run the
    // default only.
    rlimit const none{4, 4}; // standard descriptors and its connection: that is all
    REQUIRE(::prlimit(only_child(), RLIMIT_NOFILE, &none, nullptr) == 0);
    attune::failure const why = failure_of(runs->first_run(b.code(doubled), 10));
    CHECK(why.stage == failure_stage::crash);
    INFO(why.reason);
    CHECK(has(why.reason, "its result cannot be read: "));
    // A sanitizer opens a file to look at an object's type, and ends the worker without one.
    if (!address_sanitized) CHECK(has(why.reason, "no memory to share"));
    // That is its own failure, not the end of all.
    CHECK(std::holds_alternative<double>(runs->first_run(b.code(quick), 10)));
    CHECK(failure_of(runs->first_run(b.code(doubled), 10)).stage == failure_stage::verify);
    CHECK(has(runs->protection(), "replaced 1 time"));
}

TEST_CASE("where a worker is asked for, there is none without: an error says so")
{
    if (is_skipped(address_sanitized, "it opens a file to look at an object's type")) return;
    bench b;
    // So that the comparison of results is not compiled for the device, which needs files.
    b.kernel.check([](std::span<float const>, std::span<float>, float, int) { return true; });
    attune::tuning_problem const problem = b.problem();
    auto const said = [&](attune::isolation how) {
        b.options.measuring.protect = how;
        std::string isolation;
        std::string const why = error_of([&] {
            without_files const now;
            isolation = attune::detail::make_cuda_bench(problem, b.options, b.compiler.target())
                            ->protection();
        });
        return why + isolation;
    };
    std::string const asked = said(attune::isolation::fork);
    INFO(asked);
    CHECK(has(asked, "no worker process to run variants of this program in"));
    CHECK(has(asked, "isolation::automatic"));
    CHECK(!has(said(attune::isolation::automatic), "no worker process to run variants of"));
}

TEST_CASE("a bench for another device is on that one, and knows what is right")
{
    environment_value const count{"ATTUNE_EMULATED_DEVICES", "3"};
    environment_value const memory{"ATTUNE_EMULATED_MEMORY", "1073741824,100,1073741824"};
    emulated_device device{ATTUNE_EMULATED_CUDA};
    bench b;
    int references = 0;
    b.kernel.reference([&](std::span<float const> x, std::span<float> y, float a, int) {
        ++references;
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += a * x[i];
    });
    device_bench const here{b};
    CHECK(std::holds_alternative<double>(here->establish(b.code(plain), 10)));
    // The second one has no room for the arrays.
    CHECK(has(error_of([&] { (void)here->on_device(1); }), "memory"));
    CHECK(has(error_of([&] { (void)here->on_device(3); }), "there is no CUDA device 3"));
    auto const there = here->on_device(2);
    CHECK(std::holds_alternative<double>(there->establish(b.code(plain), 10)));
    CHECK(references == 1);
    CHECK(std::holds_alternative<double>(there->first_run(b.code(quick), 10)));
    CHECK(failure_of(there->first_run(b.code(faulting), 10)).stage == failure_stage::crash);
    CHECK(failure_of(there->first_run(b.code(doubled), 10)).stage == failure_stage::verify);
    CHECK(there->protection().starts_with("worker"));
    CHECK(here->protection().find("replaced") == std::string::npos);
    CHECK(b.data.called_times(0, 2.0F));
}
