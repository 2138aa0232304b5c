// tests/tune/device/opencl/opencl_device.cpp : mirrors include/attune/tune/device/opencl/opencl_device.hpp, included first
// SPDX-License-Identifier: MIT
#include <attune/tune/device/opencl/opencl_device.hpp>

#include <attune/attune.hpp>
#include <attune/compile/opencl.hpp>
#include <attune/compile/system/process.hpp>
#include <attune/core/random.hpp>
#include <attune/declare/bind_inputs.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/device/device_compare.hpp>
#include <attune/measure/device/device_session.hpp>
#include <attune/opencl/detail/machine.hpp>
#include <attune/opencl/device.hpp>
#include <attune/opencl/driver.hpp>
#include <attune/remember/files/captured_call.hpp>
#include <attune/tune/capture.hpp>
#include <attune/tune/device/opencl/opencl_launch.hpp>
#include <attune/tune/kernel/compile_point.hpp>
#include <attune/tune/kernel/launch_arguments.hpp>
#include <attune/tune/pipeline/variant_pipeline.hpp>
#include <attune/tune/together.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <future>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "../../../../examples/kernels/opencl/gemm.hpp"
#include "../../../support/needs_opencl.hpp"
#include "../../../support/opencl_gate.hpp"
#include "../../../support/sanitized.hpp"
#include "../../../support/scratch_directory.hpp"
#include "../../../support/set_variable.hpp"
#include "../../../support/shared_store.hpp"
#include "../../../support/texts.hpp"

using attune_test::error_of;
using attune_test::has;

namespace {

constexpr auto n = attune::input<"N", int>();
constexpr auto group = attune::ordinal<"GROUP">(attune::powers_of_two(1, 64));
constexpr auto kind = attune::ordinal<"KIND">(attune::values(0, 1, 2, 3, 4, 5));

/// Elements of an array; a call takes more than a microsecond, below which nothing is tuned.
constexpr int many = 32'768;

/// y = a * x + y, by work-items with one element each.
char const* const saxpy_text = R"cl(
#include <attune/tunable.hpp>
kernel void saxpy(global float const* x, global float* y, float a, int n)
{
    int const i = get_group_id(0) * ATTUNE_TUNABLE(GROUP, 1) + get_local_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
)cl";

using saxpy_signature = void(std::span<float const>, std::span<float>, float, int);
using saxpy_on_device = void(attune::device_span<float const>, attune::device_span<float>, float,
                             int);

constexpr auto saxpy_space = attune::space(group);

template <class Signature>
attune::kernel<Signature> saxpy()
{
    attune::kernel<Signature> k{"saxpy", attune::source_text(saxpy_text, "saxpy.cl"), saxpy_space};
    k.template bind<3>(n).grid(attune::ceil_div(n, group)).block(group);
    return k;
}

attune::tuning_options quick(std::uint64_t evaluations = 7)
{
    attune::tuning_options out;
    out.limits = {.evaluations = evaluations, .seconds = 60};
    out.limits.default_run_s = 20;
    out.measuring.precision = 0.2;
    out.progress = attune::silent_progress();
    return out;
}

/// A kernel that does in `KIND` what a variant must not do; 0 and 5 are right.
char const* const acts_text = R"cl(
kernel void acts(global int const* x, global int* y, int n)
{
    int const i = get_global_id(0);
#if ATTUNE_TUNABLE(KIND, 0) == 1 // a wrong result
    if (i < n) y[i] = x[i] + 2;
#elif KIND == 2 // an access far outside
    if (i < n) y[i] = x[i] + 1 + x[(1L << 40) + (long)i * n];
#elif KIND == 3 // no end
    volatile int stop = n;
    while (stop != 0) stop = stop | 1;
    y[i] = stop;
#elif KIND == 4 // a few bytes behind the array
    if (i < n) y[i] = x[i] + 1;
    y[n + 1] = 0;
#else
    if (i < n) y[i] = x[i] + 1;
#endif
}
)cl";

constexpr auto acts_space = attune::space(kind.with_default(0));

/// Platforms for the loader of processes that this one starts.
class vendors_of_workers {
public:
    vendors_of_workers() { add(); }
    void add() const
    {
        if (std::filesystem::is_directory(from_)) // its files: `recursive` asks for them
            std::filesystem::copy(from_, in_.path(),
                                  std::filesystem::copy_options::recursive |
                                      std::filesystem::copy_options::overwrite_existing);
        else
            std::filesystem::copy_file(from_, in_.file("one.icd"),
                                       std::filesystem::copy_options::overwrite_existing);
    }
    void remove() const
    {
        for (auto const& one : std::filesystem::directory_iterator(in_.path()))
            std::filesystem::remove(one.path());
    }

private:
    std::filesystem::path from_ = [] {
        char const* const named = std::getenv("OCL_ICD_VENDORS");
        return named != nullptr ? named : "/etc/OpenCL/vendors";
    }();
    support::scratch_directory in_{};
    attune_test::set_variable there_{"OCL_ICD_VENDORS", in_.path()};
};

} // namespace

TEST_CASE("a kernel on arrays of the host is tuned in a worker process and serves right results")
{
    if (!attune_test::has_opencl()) return;
    std::vector<float> x(5000);
    std::iota(x.begin(), x.end(), 0.0F);
    std::vector<float> y(5000, 1.0F);
    attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(), attune::memory_store{},
                    quick()};
    f(x, y, 2.0F, 5000);
    for (std::size_t i = 0; i < y.size(); ++i)
        REQUIRE(y[i] == 2.0F * static_cast<float>(i) + 1.0F);
    attune::tuning_report const report = f.report();
    CHECK(has(report.isolation, "worker: "));
    CHECK(report.evaluations == 7);
    for (attune::failure const& one : report.first_failures)
        FAIL(one.reason);
    f(x, y, 1.0F, 5000);
    CHECK(y[10] == 31.0F);
}

TEST_CASE("arrays of the device stay there, also a sub-buffer and on a queue of the program")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(4096, 1.0F);
    attune::opencl_array<float> x{compiler.target(), std::span<float const>{ones}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
    attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, quick()};
    f(x.span(), y.span(), 3.0F, 4096);
    f.on(compiler.queue())(x.span(), y.span(), 3.0F, 4096);
    CHECK(y.to_host() == std::vector<float>(4096, 7.0F));

    namespace cl = attune::detail::opencl;
    cl::library const& library = *cl::library_in_use();
    cl::sub_buffer const region{4096, 4096};
    cl::result said = 0;
    cl::memory const part = library.create_sub_buffer(static_cast<cl::memory>(y.buffer()), 0,
                                                      cl::flag::sub_buffer_region, &region, &said);
    REQUIRE(said == cl::success);
    {
        attune::opencl_array<float> second{compiler.target(), static_cast<void*>(part)};
        f(x.span(), second.span(), 1.0F, 1024);
        CHECK(second.to_host() == std::vector<float>(1024, 8.0F));
    }
    CHECK(y.to_host()[1023] == 7.0F);
    CHECK(y.to_host()[1024] == 8.0F);
    CHECK(y.to_host()[2048] == 7.0F);
    library.release_memory(part);
}

TEST_CASE("a wrong, faulting, endless or overwriting variant costs one evaluation, not the program")
{
    if (!attune_test::has_opencl()) return;
    attune::kernel<void(std::span<int const>, std::span<int>, int)> k{
        "acts", attune::source_text(acts_text, "acts.cl"), acts_space};
    k.bind<2>(n).grid(attune::ceil_div(n, 8)).block(8);
    std::vector<int> x(many, 1);
    std::vector<int> y(many, 0);
    attune::tuning_options options = quick(6);
    options.limits.default_run_s = 5;
    attune::tuned f{k, attune_test::opencl_here(), attune::memory_store{}, options};
    f(x, y, many);
    CHECK(y == std::vector<int>(many, 2));
    attune::tuning_report const report = f.report();
    CHECK(report.evaluations == 6);
    auto const failures = [&](attune::failure_stage stage) {
        return report.failures[static_cast<std::size_t>(stage)];
    };
    CHECK(failures(attune::failure_stage::verify) == 2);
    // A sanitizer writes its report before a crash, which may take longer than the limit.
    constexpr bool is_sanitized = attune_test::address_sanitized || attune_test::thread_sanitized;
    CHECK(failures(attune::failure_stage::crash) + failures(attune::failure_stage::timeout) == 2);
    if (!is_sanitized) CHECK(failures(attune::failure_stage::crash) == 1);
    CHECK(has(report.isolation, "replaced "));
    for (attune::failure const& one : report.first_failures) {
        CAPTURE(one.reason);
        if (one.stage == attune::failure_stage::crash && !is_sanitized)
            CHECK(has(one.reason, "SIGSEGV"));
        if (one.stage == attune::failure_stage::timeout) CHECK(has(one.reason, "still running"));
    }
}

TEST_CASE("a device that vanishes in a tuning leaves the default, which serves")
{
    if (!attune_test::has_opencl()) return;
    attune::kernel<void(std::span<int const>, std::span<int>, int)> k{
        "acts", attune::source_text(acts_text, "acts.cl"), acts_space};
    k.bind<2>(n).grid(attune::ceil_div(n, 8)).block(8);
    std::vector<int> const x(many, 1);
    std::vector<int> y(many, 0);
    support::scratch_directory const folder;
    std::string const store = folder.file("store");
    vendors_of_workers vendors;
    attune::tuning_options options = quick(6);
    options.limits.default_run_s = 5;
    options.compile_ahead = 0; // one worker
    options.search.strategy = attune::search_with<attune::exhaustive_searcher>();
    options.progress = [&](attune::progress const& p) { // the next worker finds no platform
        if (p.event == attune::progress_event::evaluated) vendors.remove();
    };
    {
        attune::tuned f{k, attune_test::opencl_here(), attune::store{store}, options};
        f(x, y, many);
        CHECK(y == std::vector<int>(many, 2));
        attune::tuning_report const report = f.report();
        INFO(report.summary());
        CHECK(report.how == attune::decision::served_default);
        CHECK(has(report.reason, "worker process"));
        CHECK(has(report.reason, "there is no OpenCL device"));
        f(x, y, many);
        CHECK(y == std::vector<int>(many, 2));
    }
}

TEST_CASE("after a worker that could not start, later builds run in workers again")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_options options;
    options.limit_s = 1e-9; // only a build in a worker ends at its limit
    attune::opencl_compiler const compiler = attune_test::opencl_here(options);
    auto const is_limited = [&] {
        attune::compile_result const made =
            compiler.compile(attune_test::opencl_source(attune_test::scaled_sum_text),
                             attune_test::opencl_request("scaled_sum", {"float*", "float*", "int"},
                                                         {{"FACTOR", "3"}}));
        auto const* const why = std::get_if<attune::failure>(&made);
        return why != nullptr && has(why->reason, "took longer than 1e-09 s");
    };
    vendors_of_workers const vendors;
    vendors.remove();
    CHECK(!is_limited());
    vendors.add();
    bool has_worker = false;
    for (int look = 0; look < 300 && !has_worker; ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        has_worker = is_limited();
    }
    CHECK(has_worker);
}

TEST_CASE("a launch on a device that vanished is an error with OpenCL's word, and no state is lost")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    std::vector<float> const x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(), attune::memory_store{},
                    quick(2)};
    f(x, y, 2.0F, many);
    cl::machine& m = cl::this_machine();
    auto const real = m.functions;
    auto const failing = std::make_shared<cl::library>(*real);
    failing->enqueue_kernel = [](auto...) { return cl::result{-2}; };
    m.functions = failing;
    std::string const said = error_of([&] { f(x, y, 2.0F, many); });
    m.functions = real;
    CHECK(has(said, "kernel 'saxpy' could not be run"));
    CHECK(has(said, "CL_DEVICE_NOT_AVAILABLE"));
    CHECK(y == std::vector<float>(many, 3.0F));
    f(x, y, 2.0F, many);
    CHECK(y == std::vector<float>(many, 5.0F));
}

TEST_CASE(
    "without memory for the copies of a tuning the default serves, and the reason has the bytes")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    attune::tuning_options options = quick(2);
    options.measuring.protect = attune::isolation::none;
    std::vector<float> const x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(), attune::memory_store{},
                    options};
    CHECK(f.explain(x, y, 2.0F, many).how == attune::choice_match::by_default); // opens the library
    cl::machine& m = cl::this_machine();
    auto const real = m.functions;
    auto const small = std::make_shared<cl::library>(*real);
    static auto const make = real->create_buffer;
    static int left = 0;
    left = 4; // two arrays, a zone, and no second copy
    small->create_buffer = [](cl::context in, cl::bits flags, std::size_t bytes, void* host,
                              cl::result* out) {
        if (left-- > 0) return make(in, flags, bytes, host, out);
        *out = cl::no_memory_for_object;
        return cl::memory{};
    };
    m.functions = small;
    std::string said = error_of([&] { f.tune(x, y, 2.0F, many); });
    m.functions = real;
    if (said.empty()) said = f.report().reason;
    CHECK(has(said, "out of memory"));
    f(x, y, 2.0F, many);
    CHECK(y == std::vector<float>(many, 3.0F));
}

TEST_CASE("tuned in the background, in steps and on a captured call, on arrays of the device")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(many, 1.0F);
    attune::opencl_array<float> const x{compiler.target(), std::span<float const>{ones}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
    support::scratch_directory const folder;
    std::string const path = folder.file("saxpy.capture");
    attune::tuning_options options = quick(3);
    options.on_miss = attune::miss_policy::tune_in_background;
    {
        attune_test::set_variable const wish("ATTUNE_CAPTURE", "saxpy=" + path);
        attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, options};
        f(x.span(), y.span(), 2.0F, many);
        f.wait();
        CHECK(y.to_host() == std::vector<float>(many, 3.0F));
        CHECK(f.report().evaluations == 3);
        f(x.span(), y.span(), 2.0F, many);
        CHECK(f.explain(x.span(), y.span(), 2.0F, many).serves);
    }
    CHECK(y.to_host() == std::vector<float>(many, 5.0F));
    attune_test::set_variable const replay("ATTUNE_REPLAY", path);
    attune::tuned const again{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, quick(3)};
    CHECK(again.report().evaluations == 3);
    CHECK(y.to_host() == std::vector<float>(many, 5.0F));
}

TEST_CASE("a launch may be declared by global and local sizes, which are rounded to whole groups")
{
    attune::kernel<saxpy_signature> k{"saxpy", attune::source_text(saxpy_text, "saxpy.cl"),
                                      saxpy_space};
    k.bind<3>(n);
    attune::opencl_launch(k, attune::global_size(n, 7), attune::local_size(group, 2))
        .shared_bytes(4 * group);
    attune::description const bound = attune::bind_inputs(k.describe().space, {n(100)});
    for (std::uint32_t place = 0; place < 7; ++place) {
        std::int64_t const items = std::int64_t{1} << place;
        attune::launch_geometry const launch =
            attune::geometry_at(*k.describe().launch, bound, {attune::coordinate{place, 0}});
        CHECK(launch.grid == std::array<std::int64_t, 3>{(100 + items - 1) / items, 4, 1});
        CHECK(launch.block == std::array<std::int64_t, 3>{items, 2, 1});
        CHECK(launch.shared_bytes == 4 * items);
    }
}

TEST_CASE("the limits of the device are constraints of the space")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    attune::device_limits const& limits = compiler.target().device.limits;
    static constexpr auto wide = attune::ordinal<"GROUP">(attune::powers_of_two(1, 1 << 20));
    static constexpr auto wide_space = attune::space(wide);
    attune::kernel<saxpy_signature> k{"saxpy", attune::source_text(saxpy_text, "saxpy.cl"),
                                      wide_space};
    k.bind<3>(n).grid(attune::ceil_div(n, wide)).block(wide);
    std::vector<float> x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    attune::tuning_options options = quick(64);
    attune::tuned f{k, compiler, attune::memory_store{}, options};
    f(x, y, 1.0F, many);
    attune::tuning_report const report = f.report();
    CAPTURE(report.summary());
    CHECK(report.evaluations ==
          static_cast<std::uint32_t>(std::log2(limits.threads_per_block)) + 1);
    CHECK(report.failures[static_cast<std::size_t>(attune::failure_stage::launch)] == 0);
}

TEST_CASE("local memory as an argument, and rules over the compiled code")
{
    if (!attune_test::has_opencl()) return;
    char const* const text = R"cl(
kernel void reverse(global int const* x, global int* y, int n, local int* tile)
{
    local int more[ATTUNE_TUNABLE(PAD, 16)];
    int const i = get_local_id(0);
    more[i % PAD] = i;
    tile[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = tile[get_local_size(0) - 1 - i] + more[(i + n) % PAD] / n; // + 0
}
)cl";
    static constexpr auto pad = attune::ordinal<"PAD">(attune::powers_of_two(16, 1024));
    static constexpr auto space = attune::space(pad.with_default(16));
    attune::kernel<void(std::span<int const>, std::span<int>, int)> k{
        "reverse", attune::source_text(text, "reverse.cl"), space};
    k.bind<2>(n).grid(n / 8).block(8).shared_bytes(32);
    k.require(attune::static_shared_bytes <= 1024);
    std::vector<int> x(many);
    std::iota(x.begin(), x.end(), 0);
    std::vector<int> y(many);
    attune::tuned f{k, attune_test::opencl_here(), attune::memory_store{}, quick(7)};
    f(x, y, many);
    for (int i = 0; i < many; ++i)
        REQUIRE(y[static_cast<std::size_t>(i)] == i - i % 8 + 7 - i % 8);
    attune::tuning_report const report = f.report();
    // 512 and 1024 ints are over 1024 bytes.
    CHECK(report.failures[static_cast<std::size_t>(attune::failure_stage::launch)] == 2);
}

TEST_CASE("a second run finds the winner in the store and tunes nothing")
{
    if (!attune_test::has_opencl()) return;
    attune_test::shared_store const store;
    std::vector<float> x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    attune::tuned first{saxpy<saxpy_signature>(), attune_test::opencl_here(), store, quick(3)};
    first(x, y, 1.0F, many);
    attune::tuned second{saxpy<saxpy_signature>(), attune_test::opencl_here(), store, quick(3)};
    second(x, y, 1.0F, many);
    CHECK(second.report().how == attune::decision::remembered);
    // Other build options are another problem.
    attune::opencl_options options;
    options.flags = {"-cl-mad-enable"};
    attune::tuned third{saxpy<saxpy_signature>(), attune_test::opencl_here(options), store,
                        quick(3)};
    third(x, y, 1.0F, many);
    CHECK(third.report().how == attune::decision::tuned);
}

TEST_CASE("after an update of the driver the winner of the driver before does not serve untuned")
{
    if (!attune_test::has_opencl()) return;
    support::scratch_directory const folder;
    std::vector<float> x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    auto const tuned_how = [&] {
        attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(),
                        attune::store{folder.file("store")}, quick(3)};
        f(x, y, 1.0F, many);
        return f.report().how;
    };
    CHECK(tuned_how() == attune::decision::tuned);
    std::string& version = attune::detail::opencl::this_machine().devices[0].driver_version;
    std::string const before = std::exchange(version, version + ".1");
    CHECK(tuned_how() == attune::decision::tuned);
    version = before;
    CHECK(tuned_how() == attune::decision::remembered);
}

TEST_CASE("one of two programs on one device tunes beside the other" * doctest::skip())
{
    std::vector<float> x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(), attune::memory_store{},
                    quick(4)};
    f(x, y, 2.0F, many);
    CHECK(y == std::vector<float>(many, 3.0F));
    CHECK(f.report().evaluations == 4);
}

TEST_CASE("two programs on one device tune at once")
{
    if (!attune_test::has_opencl()) return;
    auto const run = [] {
        return attune::detail::run_process(
            {"/proc/self/exe", "--no-skip",
             "--test-case=one of two programs on one device tunes beside the other"},
            240);
    };
    std::future<attune::detail::process_result> beside = std::async(std::launch::async, run);
    attune::detail::process_result const first = run();
    attune::detail::process_result const second = beside.get();
    for (attune::detail::process_result const& one : {first, second}) {
        CAPTURE(one.output);
        CHECK(one.succeeded());
        CHECK(has(one.output, "1 passed"));
    }
}

TEST_CASE("an array is read after the launches on a queue of the program")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(4096, 1.0F);
    attune::opencl_array<float> x{compiler.target(), std::span<float const>{ones}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
    attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, quick(2)};
    for (int call = 0; call < 2; ++call) // tunes, and knows the shape of the call
        f(x.span(), y.span(), 3.0F, 4096);
    CHECK(y.to_host().front() == 7.0F);
    cl::result said = 0;
    cl::library const& library = *cl::library_in_use();
    cl::queue const second = library.create_queue_1(static_cast<cl::context>(compiler.context()),
                                                    cl::devices_in_use()[0].at, 0, &said);
    REQUIRE(said == cl::success);
    f.on(second)(x.span(), y.span(), 3.0F, 4096);
    CHECK(y.to_host().front() == 10.0F);
    attune_test::opencl_gate gate(second);
    f.on(second)(x.span(), y.span(), 3.0F, 4096); // waits behind the gate
    std::future<std::vector<float>> reads[2];     // the second begins while the first one waits
    for (std::future<std::vector<float>>& read : reads) {
        read = std::async(std::launch::async, [&] { return y.to_host(); });
        CHECK(read.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout);
    }
    gate.open();
    for (std::future<std::vector<float>>& read : reads)
        CHECK(read.get() == std::vector<float>(4096, 13.0F));
    library.release_queue(second);
}

TEST_CASE("a call on a queue is captured with the arrays that the queue's commands make for it")
{
    if (!attune_test::has_opencl()) return;
    namespace cl = attune::detail::opencl;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(4096, 1.0F);
    std::vector<float> const sevens(4096, 7.0F);
    attune::opencl_array<float> x{compiler.target(), std::span<float const>{ones}};
    attune::opencl_array<float> y{compiler.target(), std::span<float const>{ones}};
    support::scratch_directory const folder;
    std::string const path = folder.file("saxpy.capture");
    attune_test::set_variable const wish("ATTUNE_CAPTURE", "saxpy=" + path);
    attune::tuning_options options = quick(2);
    options.on_miss = attune::miss_policy::lookup_only;
    attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, options};
    cl::result said = 0;
    cl::library const& library = *cl::library_in_use();
    cl::queue const own = library.create_queue_1(static_cast<cl::context>(compiler.context()),
                                                 cl::devices_in_use()[0].at, 0, &said);
    REQUIRE(said == cl::success);
    attune_test::opencl_gate gate(own);
    CHECK(library.enqueue_write(own, static_cast<cl::memory>(x.buffer()), 0, 0,
                                sevens.size() * sizeof(float), sevens.data(), 0, nullptr,
                                nullptr) == cl::success);
    std::future<void> call =
        std::async(std::launch::async, [&] { f.on(own)(x.span(), y.span(), 3.0F, 4096); });
    CHECK(call.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout);
    gate.open();
    call.get();
    CHECK(y.to_host() == std::vector<float>(4096, 22.0F));
    library.release_queue(own);
    std::string const bytes = attune::detail::capture_reader::of_file(path).take_bytes();
    float first = 0;
    REQUIRE(bytes.size() == 2 * 4096 * sizeof first);
    std::memcpy(&first, bytes.data(), sizeof first);
    CHECK(first == 7.0F);
}

TEST_CASE("a rule over what OpenCL does not report of code is refused before anything is built")
{
    if (!attune_test::has_opencl()) return;
    std::vector<float> x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    auto const said = [&](auto const& declare) {
        attune::kernel<saxpy_signature> k = saxpy<saxpy_signature>();
        declare(k);
        attune::tuned f{k, attune_test::opencl_here(), attune::memory_store{}, quick(2)};
        return error_of([&] { f(x, y, 1.0F, many); });
    };
    std::string text = said([](auto& k) { k.require(attune::registers <= 64); });
    CHECK(has(text, "reads what OpenCL does not report"));
    CHECK(has(text, "registers"));
    text = said([](auto& k) { k.require(attune::occupancy >= 0.5); });
    CHECK(has(text, "occupancy"));
    CHECK(said([](auto& k) { k.require(attune::stack_bytes >= 0); }).empty());
}

TEST_CASE("an array at a place where no sub-buffer may begin is an error with argument and offset")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::size_t const alignment = attune::detail::opencl::base_alignment(0);
    REQUIRE(alignment > sizeof(float));
    attune::opencl_array<float> x{compiler.target(), std::size_t{4096}};
    attune::opencl_array<float> y{compiler.target(), std::size_t{4096}};
    attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, quick(2)};
    attune::device_span<float> const inside{y.span().data() + 1, 1000};
    std::string const said = error_of([&] { f(x.span(), inside, 1.0F, 1000); });
    CHECK(has(said, "argument 1 begins 4 bytes after the start of its memory"));
    CHECK(has(said, "multiples of " + std::to_string(alignment)));
    std::vector<float> both(8192, 1.0F); // overlapping arrays of the host share a copy
    attune::tuned g{saxpy<saxpy_signature>(), compiler, attune::memory_store{}, quick(2)};
    std::string const on_host = error_of([&] {
        g(std::span<float const>(both).first(4096), std::span<float>(both).subspan(1, 4096), 1.0F,
          4096);
    });
    CHECK(has(on_host, "argument 1 begins 4 bytes"));
}

TEST_CASE("nothing is compiled ahead for a device on the processor, unless it is asked for")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    auto const device = attune::make_device_target(compiler.target());
    attune::kernel_description const kernel = saxpy<saxpy_signature>().describe();
    attune::detail::any_compiler const held = attune::detail::make_any_compiler(compiler);
    attune::call_frame const frame;
    attune::tuning_problem problem{.kernel = kernel,
                                   .space = attune::build(saxpy_space),
                                   .default_at = {},
                                   .compiler = held,
                                   .frame = frame};
    std::size_t const usual = attune::detail::automatic_ahead(problem);
    problem.device = device.get();
    CHECK(attune::detail::automatic_ahead(problem) == (device->is_on_processor() ? 0 : usual));
    attune::tuning_options options;
    options.compile_ahead = 2;
    CHECK(attune::detail::variants_ahead_of(problem, options, 1).count == 2);
}

TEST_CASE("a device that does not exist is named as one of OpenCL's")
{
    if (!attune_test::has_opencl()) return;
    std::vector<float> x(many, 1.0F);
    std::vector<float> y(many, 1.0F);
    attune::tuning_options options = quick(2);
    options.device.others = {7};
    attune::tuned f{saxpy<saxpy_signature>(), attune_test::opencl_here(), attune::memory_store{},
                    options};
    f(x, y, 1.0F, many);
    std::string const said = f.report().reason;
    CAPTURE(said);
    CHECK(has(said, "there is no OpenCL device 7"));
}

TEST_CASE("the product in CLBlast's parameters is right in each of its forms")
{
    using gemm = kernels::opencl::gemm;
    attune::chain_of_trees const all = attune::build(gemm::space, {gemm::m(512), gemm::n(512)});
    CHECK(std::llround(std::exp2(all.log2_size())) == 17'956); // as Kernel Tuner's recorded data
    if (!attune_test::has_opencl()) return;
    constexpr int size = 128;
    std::vector<float> a(size * size);
    std::vector<float> b(a.size());
    std::vector<float> c(a.size());
    std::vector<float> right(a.size());
    attune::random_engine random(1);
    for (std::vector<float>* const matrix : {&a, &b})
        for (float& one : *matrix)
            one = static_cast<float>(attune::uniform_below(random, 11)) - 5; // exact sums
    gemm::multiply(a, b, right, size, size, size);
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    attune::opencl_array<float> const left{compiler.target(), std::span<float const>{a}};
    attune::opencl_array<float> const other{compiler.target(), std::span<float const>{b}};
    using device = attune::device_span<float const>;
    using signature = void(device, device, attune::device_span<float>, int, int, int);
    attune::kernel<signature> const k = gemm::kernel<signature>(
        attune::source_file("../../../../examples/kernels/opencl/gemm.kernel.cl"));
    attune::description const bound =
        attune::bind_inputs(k.describe().space, {gemm::m(size), gemm::n(size)});
    auto const device_of = attune::make_device_target(compiler.target());
    // MWG, NWG, KWG, MDIMC, NDIMC, MDIMA, NDIMB, KWI, VWM, VWN, SA, SB
    using config = decltype(gemm::space)::config_type;
    for (config const& one : {config{16, 16, 32, 8, 8, 8, 8, 2, 1, 1, 0, 0},
                              config{64, 32, 32, 8, 8, 16, 8, 2, 4, 2, 1, 0},
                              config{32, 128, 32, 16, 8, 8, 16, 2, 1, 8, 0, 1},
                              config{128, 64, 32, 8, 16, 8, 8, 2, 8, 2, 1, 1}}) {
        std::optional<attune::point> const at = attune::encode(gemm::space, bound, one);
        REQUIRE(at);
        CHECK(all.contains(*at));
        attune::opencl_array<float> result{compiler.target(), c.size()};
        auto const code =
            device_of->load(attune_test::opencl_callable(attune::detail::compile_point(
                                k.describe(), bound, attune::detail::make_any_compiler(compiler),
                                device_of.get(), *at, nullptr)),
                            "gemm");
        attune::detail::launch_arguments<device, device, attune::device_span<float>, int, int, int>
            arguments{left.span(), other.span(), result.span(), size, size, size};
        arguments.launch(*code, nullptr);
        CHECK(result.to_host() == right);
    }
}

TEST_CASE("two kernels share one budget")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> x(many, 1.0F);
    std::vector<float> y(many, 0.0F);
    std::vector<float> z(many, 0.0F);
    attune::tuned f{saxpy<saxpy_signature>(), compiler, attune::memory_store{}, quick()};
    attune::tuned g{saxpy<saxpy_signature>(), compiler, attune::memory_store{}, quick()};
    attune::together_report const report = attune::tune_together(
        {.evaluations = 8, .seconds = 60}, attune::share(f, x, y, 1.0F, many).calls(3),
        attune::share(g, x, z, 1.0F, many).calls(1));
    CHECK(report.evaluations >= 2);
    CHECK(report.evaluations <= 8);
    f(x, y, 1.0F, many);
    CHECK(y == std::vector<float>(many, 1.0F));
}

TEST_CASE("bad calls are errors with a sentence: a host pointer, another length, a prediction")
{
    if (!attune_test::has_opencl()) return;
    attune::opencl_compiler const compiler = attune_test::opencl_here();
    std::vector<float> const ones(64, 1.0F);
    std::vector<float> host(64, 1.0F);
    attune::opencl_array<float> x{compiler.target(), std::span<float const>{ones}};
    attune::tuned f{saxpy<saxpy_on_device>(), compiler, attune::memory_store{}, quick(3)};
    CHECK(has(error_of([&] {
                  f(x.span(), attune::device_span<float>{host.data(), host.size()}, 1.0F, 64);
              }),
              "not in the memory of the device"));
    CHECK(has(
        error_of([&] { f(x.span(), attune::device_span<float>{x.span().data(), 100}, 1.0F, 64); }),
        "longer than its memory"));
    CHECK(has(error_of([&] { static_cast<void>(f.predict(x.span(), x.span(), 1.0F, 64)); }),
              "no configuration of an OpenCL kernel can be predicted"));
}

namespace {

/// The comparing kernel on the device, beside compare() of the host.
struct opencl_comparison {
    attune::opencl_compiler compiler;
    std::shared_ptr<attune::detail::device_session> where =
        std::make_shared<attune::detail::device_session>(compiler.target().device.driver,
                                                         compiler.target().device.ordinal);
    attune::detail::cuda::context_scope here{where->context()};
    attune::detail::device_clock clock{where};
    attune::detail::device_compare there{where, code()};

    explicit opencl_comparison(std::vector<std::string> const& flags)
        : compiler(attune_test::opencl_here({.flags = flags}))
    {
    }
    [[nodiscard]] attune::device_code code() const
    {
        attune::compile_request v;
        v.function = std::string(attune::detail::device_compare_entry);
        v.arguments = attune::detail::device_compare_arguments();
        return attune::device_variant_of(
                   attune_test::opencl_callable(compiler.compile(
                       {std::string(attune::detail::opencl_compare_text()), "compare.cl"}, v)))
            .code;
    }

    template <class T>
    void check(std::vector<T> got, std::vector<T> const& want, attune::tolerance within)
    {
        attune::buffer like = attune::detail::as_buffer(std::span(got), 3);
        like.within = within;
        attune::detail::device_memory const mine(where, like.bytes, "got");
        attune::detail::device_memory const theirs(where, like.bytes, "want");
        attune::detail::cuda::driver const& d = where->driver();
        where->require(d.copy_to_device(mine.address(), got.data(), like.bytes), "copying");
        where->require(d.copy_to_device(theirs.address(), want.data(), like.bytes), "copying");
        attune::detail::device_reference right{attune::detail::memory_place::device,
                                               theirs.address(), 0};
        right.rms = there.root_mean_square(like, theirs.address());
        auto const said = there.compare(like, mine.address(), right, clock);
        auto const host = attune::detail::compare(like, std::as_bytes(std::span<T const>(want)));
        REQUIRE(there.why_on_host() == "");
        CHECK((said ? said->text() : "") == (host ? host->text() : ""));
    }
};

template <class T>
void compare_both_ways(opencl_comparison& both, attune::random_engine& random)
{
    std::vector<T> want(3001);
    for (T& one : want)
        one = static_cast<T>(attune::uniform_unit(random) * 100);
    both.check(want, want, {});
    for (double const relative : {0.0, 1e-3, 0.5}) {
        std::vector<T> got = want;
        for (int changes = 0; changes < 9; ++changes) {
            T& one = got[static_cast<std::size_t>(attune::uniform_unit(random) * 3000)];
            one = static_cast<T>(one + static_cast<T>(attune::uniform_unit(random) * 3));
        }
        both.check(got, want, {0, relative});
        both.check(got, want, {2, relative});
    }
    std::vector<T> got = want;
    got.front() = std::numeric_limits<T>::max();
    both.check(got, want, {1, 1e-3});
    std::vector<T> lowest = want;
    lowest.back() = std::numeric_limits<T>::lowest();
    both.check(got, lowest, {1, 1e-3});
    if constexpr (std::is_floating_point_v<T>) {
        T const nan = std::numeric_limits<T>::quiet_NaN();
        T const infinite = std::numeric_limits<T>::infinity();
        for (T const a : {nan, infinite, -infinite, T{1}})
            for (T const b : {nan, infinite, -infinite, T{1}}) {
                std::vector<T> one = want;
                std::vector<T> other = want;
                one[7] = a;
                other[7] = b;
                both.check(one, other, {0, 1});
            }
    }
}

} // namespace

TEST_CASE("the comparison on the device has the host's rule, for each type, with fast math too")
{
    if (!attune_test::has_opencl()) return;
    for (std::vector<std::string> const& flags :
         std::vector<std::vector<std::string>>{{}, {"-cl-fast-relaxed-math"}}) {
        CAPTURE(flags.size());
        opencl_comparison both(flags);
        attune::random_engine random(7);
        compare_both_ways<float>(both, random);
        compare_both_ways<double>(both, random);
        compare_both_ways<signed char>(both, random);
        compare_both_ways<unsigned char>(both, random);
        compare_both_ways<short>(both, random);
        compare_both_ways<unsigned short>(both, random);
        compare_both_ways<int>(both, random);
        compare_both_ways<unsigned int>(both, random);
        compare_both_ways<long long>(both, random);
        compare_both_ways<unsigned long long>(both, random);
    }
}
