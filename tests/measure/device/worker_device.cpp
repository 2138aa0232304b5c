// tests/measure/device/worker_device.cpp : include/attune/measure/device/worker/worker_bench.hpp with kernels that run on an emulated device, in workers that are this program started anew
// SPDX-License-Identifier: MIT
#include <attune/measure/device/worker/worker_bench.hpp>
// and what the test needs besides
#include <attune/compile/source/source.hpp>
#include <attune/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "../../support/emulated_compiler.hpp"
#include "../../support/emulated_device.hpp"
#include "../../support/open_files.hpp"
#include "../../support/set_variable.hpp"

namespace worker = attune::detail::worker;
using attune::device_variant;
using attune::failure;
using attune::failure_stage;
using attune::detail::memory_place;
using attune_test::contains;
using attune_test::set_variable;

namespace {

constexpr int elements = 1000;

constexpr char const* kernel_text = R"cuda(
extern "C" __global__ void saxpy(float const* x, float* y, float a, int n)
{
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef ATTUNE_EMULATED_CUDA
    attune_emulated_cost(COST_NS);
#endif
#if HOW == 1
    if (i == 7) y[1LL << 40] = 1; // nobody's
#elif HOW == 2
    attune_emulated_hang();
#elif HOW == 3
    if (i == 7) __trap();
#elif HOW == 4
    __builtin_trap(); // of the processor that emulates
#elif HOW == 5
    for (;;) {}
#endif
    if (i < n) y[i] = a * x[i] + y[i];
#if HOW == 6
    if (i == 33) y[i] = -1;
#elif HOW == 7
    if (i < n) const_cast<float*>(x)[i] = -5;
#endif
}
)cuda";

/// Arrays of a caller on the emulated device, and the kernel in several ways.
struct call_on_device {
    attune_test::emulated_device device;
    attune_test::emulated_compiler compiler{{.driver = ATTUNE_EMULATED_CUDA}};
    std::vector<float> x = std::vector<float>(elements);
    std::vector<float> y = std::vector<float>(elements);
    attune::detail::cuda::device_pointer x_there = 0;
    attune::detail::cuda::device_pointer y_there = 0;
    attune::detail::device_call call{};

    explicit call_on_device(memory_place place = memory_place::device)
        : device(ATTUNE_EMULATED_CUDA)
    {
        std::iota(x.begin(), x.end(), 1.0F);
        std::iota(y.begin(), y.end(), -3.0F);
        x_there = device.upload(x);
        y_there = device.upload(y);
        for (bool const is_y : {false, true}) {
            attune::detail::device_buffer b{
                attune::detail::as_buffer(std::span(is_y ? y : x), is_y ? 1u : 0u), place};
            b.where.writable = is_y;
            if (place == memory_place::device)
                b.where.data = reinterpret_cast<std::byte*>(is_y ? y_there : x_there);
            call.buffers.push_back(b);
            call.arguments.push_back({is_y ? 1u : 0u, {}});
        }
        add_value(2.0F);
        add_value(elements);
    }

    template <class T>
    void add_value(T const& value)
    {
        attune::detail::device_argument made;
        made.value.resize(sizeof value);
        std::memcpy(made.value.data(), &value, sizeof value);
        call.arguments.push_back(std::move(made));
    }
    [[nodiscard]] device_variant variant(int how, int cost_ns = 100000) const
    {
        attune::compile_request v{
            .function = "saxpy",
            .arguments = {"float const*", "float*", "float", "int"},
            .macros = {{"HOW", std::to_string(how)}, {"COST_NS", std::to_string(cost_ns)}}};
        v.launch.grid = {8, 1, 1};
        v.launch.block = {128, 1, 1};
        auto const made =
            attune_test::device_code_of(compiler.compile({kernel_text, "saxpy.cu"}, v));
        return *static_cast<device_variant const*>(made.address);
    }
    /// 2 x + y, from a bench.
    [[nodiscard]] bool is_right(std::vector<std::byte> const& bytes) const
    {
        std::vector<float> got(elements);
        if (bytes.size() != elements * sizeof(float)) return false;
        std::memcpy(got.data(), bytes.data(), bytes.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            if (got[i] != 2 * x[i] + y[i]) return false;
        return true;
    }
    /// The caller's arrays are as they were.
    [[nodiscard]] bool is_intact()
    {
        return device.download<float>(x_there, elements) == x &&
               device.download<float>(y_there, elements) == y;
    }
};

[[nodiscard]] failure failing(attune::first_run_result const& result)
{
    REQUIRE(std::holds_alternative<failure>(result));
    return std::get<failure>(result);
}

} // namespace

TEST_CASE("faults of every kind cost their variant, and nothing else")
{
    set_variable const patience{"ATTUNE_EMULATED_HANG_S", "0.5"};
    call_on_device given;
    auto const baseline = given.variant(0); // the compiler's first use keeps a descriptor
    int const before = attune_test::open_descriptors();
    {
        worker::worker_bench bench(given.device.driver, given.call, {});
        REQUIRE(std::holds_alternative<double>(bench.establish(baseline, {}, 5)));
        CHECK(given.device.launches() == 0); // in this process

        failure const address = failing(bench.first_run(given.variant(1), 5));
        CHECK(address.stage == failure_stage::crash);
        CHECK(contains(address.reason, "CUDA_ERROR_ILLEGAL_ADDRESS"));
        failure const hang = failing(bench.first_run(given.variant(2), 0.3));
        CHECK(hang.stage == failure_stage::timeout);
        CHECK(hang.reason == "still running after 0.3 s");
        CHECK(contains(failing(bench.first_run(given.variant(3), 5)).reason,
                       "CUDA_ERROR_LAUNCH_FAILED"));
        CHECK(failing(bench.first_run(given.variant(4), 5)).stage == failure_stage::crash);
        CHECK(failing(bench.first_run(given.variant(5), 0.3)).stage == failure_stage::timeout);
        CHECK(bench.replacements() == 4); // the last one is not replaced before it is missed

        failure const wrong = failing(bench.first_run(given.variant(6), 5));
        CHECK(wrong.stage == failure_stage::verify);
        CHECK(contains(wrong.reason, "argument 1, element 33"));
        CHECK(contains(failing(bench.first_run(given.variant(7), 5)).reason, "argument 0"));
        CHECK(bench.replacements() ==
              5); // who knows where else that one wrote: the next is another

        CHECK(std::holds_alternative<double>(bench.first_run(given.variant(0, 50000), 5)));
        CHECK(given.is_right(bench.contents(1)));
        CHECK(contains(bench.protection(), "replaced 6 times"));
    }
    CHECK(given.is_intact());
    CHECK(attune_test::has_no_children());
    CHECK(attune_test::open_descriptors() == before);
}

TEST_CASE("arrays that CUDA IPC cannot hand over are copied")
{
    char const* const failures[] = {"cuIpcGetMemHandle=801", "cuIpcOpenMemHandle_v2=201",
                                    "cuMemGetAddressRange_v2=1"};
    for (char const* const fails : failures) {
        CAPTURE(fails);
        set_variable const without{"ATTUNE_EMULATED_FAIL", fails};
        call_on_device given;
        worker::worker_bench bench(given.device.driver, given.call, {});
        CHECK(std::holds_alternative<double>(bench.establish(given.variant(0), {}, 5)));
        CHECK(given.is_right(bench.contents(1)));
        CHECK(failing(bench.first_run(given.variant(3), 5)).stage == failure_stage::crash);
        CHECK(std::holds_alternative<double>(bench.first_run(given.variant(0), 5)));
        CHECK(given.is_right(bench.contents(1)));
        CHECK(given.is_intact());
    }
}

TEST_CASE("the caller's memory is closed before any variant runs")
{
    set_variable const sees{"ATTUNE_EMULATED_FAIL", "cuIpcCloseMemHandle=1"};
    call_on_device given;
    CHECK(contains(attune_test::text_thrown_by<attune::error>([&] {
                       worker::worker_bench const bench(given.device.driver, given.call, {});
                   }),
                   "cuIpcCloseMemHandle failed"));
}

namespace {

/// A bench whose worker is known.
struct watched_bench {
    int id = 0;
    worker::worker_bench bench;

    explicit watched_bench(call_on_device const& given)
        : bench(given.device.driver, given.call, {}, options(id))
    {
    }
    static worker::worker_options options(int& id)
    {
        worker::worker_options how;
        how.start = [&id](int socket, int log) {
            return id = worker::start_this_program(socket, log);
        };
        return how;
    }
    /// The emulated device's allocations that are mapped in it, by inode.
    [[nodiscard]] std::set<std::string> mapped() const { return mapped_in(std::to_string(id)); }
    [[nodiscard]] static std::set<std::string> mapped_in(std::string const& process)
    {
        std::ifstream maps("/proc/" + process + "/maps");
        std::set<std::string> out;
        for (std::string line; std::getline(maps, line);) {
            if (!contains(line, "attune emulated device memory")) continue;
            std::istringstream words(line); // addresses, rights, offset, device, inode, name
            std::string word;
            for (int i = 0; i < 5; ++i)
                words >> word;
            out.insert(word);
        }
        return out;
    }
    /// How much of that is this process's.
    [[nodiscard]] std::size_t shared() const
    {
        std::set<std::string> const there = mapped();
        std::size_t count = 0;
        for (std::string const& one : mapped_in("self"))
            count += there.count(one);
        return count;
    }
};

} // namespace

TEST_CASE("a worker holds nothing on the device but what its bench does, also where that just fits")
{
    std::size_t alone = 0; // of a bench whose arrays are not on the device
    {
        call_on_device const given(memory_place::host);
        alone = watched_bench(given).mapped().size();
        CHECK(alone > 0);
    }
    // The arrays take 8000 bytes, and the bench several times that.
    for (char const* const memory : {"1000000", "25000"})
        for (char const* const fails : {"", "cuIpcGetMemHandle=801"}) {
            CAPTURE(memory);
            CAPTURE(fails);
            set_variable const little{"ATTUNE_EMULATED_MEMORY", memory};
            set_variable const without{"ATTUNE_EMULATED_FAIL", fails};
            call_on_device given;
            watched_bench one(given);
            CHECK(watched_bench::mapped_in("self").size() == 2);
            CHECK(one.shared() == 0);
            CHECK(one.mapped().size() <= alone); // less where some of it does not fit
            CHECK(std::holds_alternative<double>(one.bench.establish(given.variant(0), {}, 5)));
            CHECK(given.is_right(one.bench.contents(1)));
            CHECK(given.is_intact());
            CHECK(one.shared() == 0);
        }
    set_variable const none{"ATTUNE_EMULATED_MEMORY", "9000"};
    call_on_device given;
    CHECK(contains(attune_test::text_thrown_by<attune::error>([&] {
                       worker::worker_bench const bench(given.device.driver, given.call, {});
                   }),
                   "out of memory"));
}

TEST_CASE("two arrays of one allocation go by its one handle")
{
    call_on_device given;
    std::vector<float> both = given.x;
    both.insert(both.end(), given.y.begin(), given.y.end());
    given.x_there = given.device.upload(both);
    given.y_there = given.x_there + elements * sizeof(float);
    given.call.buffers[0].where.data = reinterpret_cast<std::byte*>(given.x_there);
    given.call.buffers[1].where.data = reinterpret_cast<std::byte*>(given.y_there);
    std::unique_ptr<worker::worker_bench> bench;
    {
        // Fails whoever takes the way through the host.
        set_variable const strict{"ATTUNE_EMULATED_FAIL", "cuMemcpyDtoH_v2=1"};
        bench = std::make_unique<worker::worker_bench>(given.device.driver, given.call,
                                                       attune::detail::device_bench_options{});
    }
    bench = std::make_unique<worker::worker_bench>(given.device.driver, given.call,
                                                   attune::detail::device_bench_options{});
    CHECK(std::holds_alternative<double>(bench->establish(given.variant(0), {}, 5)));
    CHECK(given.is_right(bench->contents(1)));
    CHECK(given.is_intact());
}

TEST_CASE("a worker on the second device uses the second device")
{
    set_variable const two{"ATTUNE_EMULATED_DEVICES", "2"};
    attune_test::emulated_device device(ATTUNE_EMULATED_CUDA, 1);
    attune_test::emulated_compiler const compiler{{.driver = ATTUNE_EMULATED_CUDA, .device = 1}};
    attune::detail::cuda::device_pointer const there = device.upload(std::vector<int>{4, 5, 6});
    attune::detail::device_buffer b;
    b.where = {reinterpret_cast<std::byte*>(there), 12, attune::element_type::i32, true, {}, 0};
    attune::detail::device_call call{.ordinal = 1, .buffers = {b}, .arguments = {{0, {}}}};
    attune::compile_request v;
    v.function = "negate";
    v.arguments = {"int*"};
    v.launch.block = {3, 1, 1};
    auto const made = attune_test::device_code_of(compiler.compile(
        {"extern \"C\" __global__ void negate(int* y) { y[threadIdx.x] *= -1; }", "negate.cu"}, v));
    worker::worker_bench bench(device.driver, call, {});
    CHECK(std::holds_alternative<double>(
        bench.establish(*static_cast<device_variant const*>(made.address), {}, 5)));
    std::vector<std::byte> const bytes = bench.contents(0);
    std::array<int, 3> got{};
    REQUIRE(bytes.size() == sizeof got);
    std::memcpy(got.data(), bytes.data(), sizeof got);
    CHECK(got == std::array{-4, -5, -6});
}

TEST_CASE("without a worker there is a bench in this process that says why")
{
    call_on_device given;
    worker::worker_options how;
    how.start = [](int, int) -> int {
        throw attune::error("no worker process can be started", "Cannot allocate memory", "");
    };
    auto const bench = worker::make_worker_bench(given.device.driver, given.call, {}, how);
    CHECK(bench->protection() == "in process: there is no worker: no worker process can be started "
                                 "(Cannot allocate memory)");
    CHECK(std::holds_alternative<double>(bench->establish(given.variant(0), {}, 5)));
    CHECK(given.is_right(bench->contents(1)));
    CHECK(std::holds_alternative<double>(bench->first_run(given.variant(0), 5)));
    CHECK(given.device.launches() > 0);
}

TEST_CASE("one in ten variants faults or hangs: all others' results are those of a run without")
{
    set_variable const patience{"ATTUNE_EMULATED_HANG_S", "0.5"};
    constexpr double patient_s = 60; // a good one compiles within it on a loaded machine as well
    auto const results = [](bool with_faults) {
        call_on_device given;
        worker::worker_bench bench(given.device.driver, given.call, {});
        CHECK(std::holds_alternative<double>(bench.establish(given.variant(0), {}, patient_s)));
        std::vector<double> seconds;
        for (int i = 0; i < 30; ++i) {
            if (i % 10 == 4) {
                if (with_faults)
                    CHECK(failing(bench.first_run(given.variant(1 + i / 10), 0.3)).reason != "");
                continue;
            }
            // Few kernels, since each takes a second to compile.
            device_variant const v = given.variant(0, 10000 + 10000 * (i % 3));
            CHECK(std::holds_alternative<double>(bench.first_run(v, patient_s)));
            CHECK(given.is_right(bench.contents(1)));
            auto const timed = bench.time(v, 1, patient_s, nullptr);
            seconds.push_back(std::holds_alternative<failure>(timed)
                                  ? -1
                                  : std::get<attune::measurement>(timed).value);
        }
        CHECK(bench.replacements() == (with_faults ? 3 : 0));
        CHECK(given.is_intact());
        return seconds;
    };
    std::vector<double> const undisturbed = results(false);
    CHECK(undisturbed.size() == 27);
    std::vector<double> const disturbed = results(true);
    REQUIRE(disturbed.size() == undisturbed.size());
    for (std::size_t i = 0; i < disturbed.size(); ++i)
        CHECK(disturbed[i] == doctest::Approx(undisturbed[i])); // the emulated clock is exact
}
