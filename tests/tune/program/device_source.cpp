// tests/tune/program/device_source.cpp - programs tuned for a GPU, on the emulated device.
// SPDX-License-Identifier: MIT
#include <attune/compile/nvrtc.hpp>
#include <attune/cuda/code.hpp>
#include <attune/tune/program/nest.hpp>
#include <attune/tune/program/program_source.hpp>
#include <attune/tune/tuned.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <vector>

#include "../../support/emulated_compiler.hpp"
#include "../../support/emulated_device.hpp"
#include "../../support/program_data.hpp"
#include "../../support/scripted_device.hpp"
#include "../../support/set_variable.hpp"
#include "../../support/shared_store.hpp"

using attune::array;
using attune::axis;
using attune::input;
using attune::sum;
using attune::temporary;
using support::check_close;
using support::few;
using support::some;

namespace {

constexpr auto M = input<"M", int>();
constexpr auto N = input<"N", int>();
constexpr auto K = input<"K", int>();
auto const [i, j, k] = attune::axes<"i", "j", "k">();
constexpr auto A = array<"A", float, M, K>();
constexpr auto B = array<"B", float, K, N>();
constexpr auto C = array<"C", float, M, N>();
constexpr auto bias = array<"bias", float, N>();
constexpr auto T = temporary<"T", float, M, N>();

constexpr auto dense = attune::nest<"dense">(T[i][j] = sum(k)(A[i][k] * B[k][j]),
                                             C[i][j] = attune::max(T[i][j] + bias[j], 0.0f));

constexpr auto D = array<"D", float, M, N>();
/// Two statements that take the same value twice each.
constexpr auto clipped = attune::nest<"clipped">(T[i][j] = sum(k)(A[i][k] * B[k][j]),
                                                 C[i][j] = attune::max(T[i][j], 0.0f),
                                                 D[i][j] = attune::min(T[i][j], 1.0f));

attune_test::emulated_compiler emulated()
{
    return attune_test::emulated_compiler({.driver = ATTUNE_EMULATED_CUDA});
}

/// Of "BLOCK_ROWS=64 THREAD_ROWS=4".
int value_in(std::string const& configuration, std::string const& name)
{
    std::size_t const at = (' ' + configuration).find(' ' + name + '=');
    REQUIRE(at != std::string::npos);
    return std::stoi(configuration.substr(at + name.size() + 1));
}

/// What predicted_objective() is for a product of 4096 x 4096 results on 132 multiprocessors of
/// 2048 threads and 32 blocks, where neither registers nor shared memory limit.
double objective_of(std::string const& configuration)
{
    int const rows = value_in(configuration, "BLOCK_ROWS");
    int const columns = value_in(configuration, "BLOCK_COLUMNS");
    int const threads = rows / value_in(configuration, "THREAD_ROWS") * columns /
                        value_in(configuration, "THREAD_COLUMNS");
    int const warps = (threads + 31) / 32;
    int const resident = std::min(64 / warps, 32);
    double const waves =
        std::ceil(4096.0 / rows) * std::ceil(4096.0 / columns) / (132.0 * resident);
    return std::ceil(waves) / waves / (resident * warps / 64.0);
}

struct tuned_bytes {
    attune::tuning_report report;
    std::vector<std::string> tried; ///< configurations, the default first
};

/// A product of bytes, tuned on an emulated device.
/// @param made_for  the compute capability that the kernel is declared for; 0: any device
tuned_bytes bytes_tuned_on(int capability, int made_for,
                           attune_test::shared_store const& store = {})
{
    constexpr auto BA = array<"A", std::int8_t, M, K>();
    constexpr auto BB = array<"B", std::int8_t, K, N>();
    constexpr auto BC = array<"C", int, M, N>();
    constexpr auto bytes = attune::nest<"bytes">(BC[i][j] = sum(k)(BA[i][k] * BB[k][j]));
    attune_test::environment_value const is("ATTUNE_EMULATED_CAPABILITY",
                                            std::to_string(capability));
    attune_test::emulated_device const fresh{ATTUNE_EMULATED_CUDA};
    tuned_bytes out;
    attune::tuning_options options = few(2);
    options.progress = [&out](attune::progress const& p) {
        if (p.event == attune::progress_event::evaluated) out.tried.push_back(p.text);
    };
    attune::program_options made;
    if (made_for > 0) made.device = attune::detail::limits_of_architecture(made_for);
    int const size = 20;
    std::vector<std::int8_t> const a(size * size, std::int8_t{3});
    std::vector<std::int8_t> const b(size * size, std::int8_t{-5});
    std::vector<int> c(size * size);
    attune::tuned fast{bytes.device_kernel(made), emulated(), store, options};
    fast(a, b, c, size, size, size);
    CHECK(c == std::vector<int>(size * size, -15 * size));
    out.report = fast.report();
    INFO(out.report.summary());
    CHECK(attune::total(out.report.failures) == 0);
    return out;
}

} // namespace

TEST_CASE("a product with bias and relu is tuned on a device, for each size")
{
    attune_test::environment_value const small("ATTUNE_EMULATED_MULTIPROCESSORS", "16");
    attune::tuned fast{dense.device_kernel(), emulated(), few(4)};
    for (int const m : {33, 40}) {
        int const n = 20;
        int const inner = 27;
        std::vector<float> const a = some(static_cast<std::size_t>(m * inner));
        std::vector<float> const b = some(static_cast<std::size_t>(inner * n));
        std::vector<float> const c0 = some(static_cast<std::size_t>(n));
        std::vector<float> c(static_cast<std::size_t>(m * n));
        std::vector<float> want = c;
        fast(a, b, c0, c, m, inner, n);
        dense(a, b, c0, want, m, inner, n);
        check_close(c, want);
        attune::tuning_report const report = fast.report();
        INFO(report.summary());
        CHECK(report.evaluations == 4);
        CHECK(attune::total(report.failures) == 0);
        CHECK(report.how != attune::decision::served_fallback);
    }
}

TEST_CASE("a program is tuned by predict() where there is no device: arrays are not read")
{
    std::vector<std::string> tried;
    attune::tuning_options options = few(30);
    options.progress = [&tried](attune::progress const& p) {
        if (p.event == attune::progress_event::evaluated) tried.push_back(p.text);
    };
    attune::tuned fast{dense.device_kernel(),
                       attune_test::scripted_device_compiler{[](attune::compile_request const&) {
                           return attune_test::scripted_device_compiler::answer{
                               attune::code_resources{.registers = 32}};
                       }},
                       attune::memory_store{}, options};
    attune::tuning_report const report = fast.predict({}, {}, {}, {}, 4096, 4096, 4096);
    INFO(report.summary());
    CHECK(report.predicted);
    CHECK(report.evaluations == 30);
    CHECK(attune::total(report.failures) == 0);
    REQUIRE(tried.size() == 30);
    CHECK(report.default_time.value == doctest::Approx(objective_of(tried.front())));
    double least = objective_of(tried.front());
    for (std::string const& one : tried)
        least = std::min(least, objective_of(one));
    CHECK(report.best.value == doctest::Approx(least));
    CHECK(objective_of(report.configuration) == doctest::Approx(least));
    CHECK(attune::show_device(dense, report.configuration).find("__global__") != std::string::npos);
    CHECK(fast.predict({}, {}, {}, {}, 4096, 4096, 4096).how == attune::decision::remembered);
    CHECK(tried.size() == 30);
}

TEST_CASE("arrays that stay on a device")
{
    attune_test::emulated_device device{ATTUNE_EMULATED_CUDA};
    std::size_t const m = 18, n = 34, inner = 16;
    std::vector<float> const a = some(m * inner);
    std::vector<float> const b = some(inner * n);
    std::vector<float> const c0 = some(n);
    std::vector<float> want(m * n);
    dense(a, b, c0, want, 18, 16, 34);
    auto const there = [&device](std::vector<float> const& values) {
        return attune::device_span<float>(reinterpret_cast<float*>(device.upload(values)),
                                          values.size());
    };
    attune::device_span<float> const c = there(std::vector<float>(m * n));
    attune::tuned fast{dense.resident_kernel(), emulated(), few(3)};
    fast(there(a), there(b), there(c0), c, 18, 16, 34);
    check_close(device.download<float>(
                    reinterpret_cast<attune::detail::cuda::device_pointer>(c.data()), m * n),
                want);
    CHECK(fast.report().evaluations == 3);
}

TEST_CASE("results that are made of the same value compile in one kernel")
{
    attune::tuned fast{clipped.device_kernel(), emulated(), few(2)};
    std::vector<float> const a = some(7 * 5);
    std::vector<float> const b = some(5 * 6);
    std::vector<float> c(7 * 6), d(7 * 6), right_c(7 * 6), right_d(7 * 6);
    fast(a, b, c, d, 7, 5, 6);
    clipped(a, b, right_c, right_d, 7, 5, 6);
    check_close(c, right_c);
    check_close(d, right_d);
}

#ifdef ATTUNE_HAS_FLOAT16
TEST_CASE("a product of numbers of 16 bits is tuned with tensor cores, and summed up in float")
{
    constexpr auto HA = array<"A", _Float16, M, K>();
    constexpr auto HB = array<"B", _Float16, K, N>();
    constexpr auto HC = array<"C", _Float16, M, N>();
    constexpr auto halves = attune::nest<"halves">(T[i][j] = sum(k)(HA[i][k] * HB[k][j]),
                                                   HC[i][j] = attune::max(T[i][j] + bias[j], 0.0f));
    attune_test::environment_value const force("ATTUNE_FORCE", "TENSOR=1,BLOCK_DEPTH=16,PADDING=8");
    int const m = 40, n = 24, inner = 50;
    auto const narrow = [](std::vector<float> const& of) {
        return std::vector<_Float16>(of.begin(), of.end());
    };
    std::vector<_Float16> const a = narrow(some(static_cast<std::size_t>(m * inner)));
    std::vector<_Float16> const b = narrow(some(static_cast<std::size_t>(inner * n)));
    std::vector<float> const c0 = some(static_cast<std::size_t>(n));
    std::vector<_Float16> c(static_cast<std::size_t>(m * n));
    std::vector<_Float16> want = c;
    attune::tuned fast{halves.device_kernel(), emulated(), few(2)};
    fast(a, b, c0, c, m, inner, n);
    halves(a, b, c0, want, m, inner, n);
    attune::tuning_report const report = fast.report();
    INFO(report.summary());
    CHECK(report.configuration.find("TENSOR=1") != std::string::npos);
    for (std::size_t at = 0; at < c.size(); ++at) {
        auto const is = static_cast<float>(c[at]);
        auto const should = static_cast<float>(want[at]);
        REQUIRE(std::fabs(is - should) <= 0x1p-9f * (1 + std::fabs(should)));
    }
}
#endif

TEST_CASE("a kernel for a device begins with tensor cores, has none, or leaves them to the search")
{
    struct one {
        int capability, made_for;
        char const* first;
    };
    // What is made for more than a device of sm_80 has is tuned there without that.
    for (one const of : {one{75, 75, ""}, one{90, 90, "TENSOR=1"}, one{80, 90, "TENSOR=1"},
                         one{90, 0, "TENSOR=0"}}) {
        CAPTURE(of.capability);
        CAPTURE(of.made_for);
        tuned_bytes const is = bytes_tuned_on(of.capability, of.made_for);
        REQUIRE(is.tried.size() == 2);
        CAPTURE(is.tried.front());
        CHECK(is.tried.front().find(of.first) != std::string::npos);
        for (std::string const& configuration : is.tried)
            CHECK((configuration.find("TENSOR=") == std::string::npos) == (of.made_for == 75));
    }
}

TEST_CASE("what was tuned for one device is found again there, and tuned again on another one")
{
    attune_test::shared_store const store;
    CHECK(bytes_tuned_on(80, 80, store).tried.size() == 2);
    CHECK(bytes_tuned_on(80, 80, store).report.how == attune::decision::remembered);
    CHECK(bytes_tuned_on(90, 90, store).tried.size() == 2);
    CHECK(bytes_tuned_on(90, 90, store).report.how == attune::decision::remembered);
    CHECK(bytes_tuned_on(80, 80, store).report.how == attune::decision::remembered);
}

TEST_CASE("arrays of other sizes than declared are an error before anything is launched")
{
    attune::tuned fast{dense.device_kernel(), emulated(), few(2)};
    std::vector<float> const a = some(4 * 5);
    std::vector<float> const b = some(5 * 6);
    std::vector<float> const c0 = some(6);
    std::vector<float> c(4 * 6 - 1);
    CHECK_THROWS_AS(fast(a, b, c0, c, 4, 5, 6), attune::error);
}

TEST_CASE("where a result overlaps an operand, the call is an error and nothing is launched")
{
    attune::tuned fast{dense.device_kernel(), emulated(), few(2)};
    std::vector<float> both = some(4 * 4 + 2);
    std::vector<float> const before = both;
    std::vector<float> const b = some(4 * 4);
    std::vector<float> const c0 = some(4);
    std::span<float> const all(both);
    CHECK_THROWS_AS(fast(all.subspan(0, 16), b, c0, all.subspan(2, 16), 4, 4, 4), attune::error);
    CHECK(both == before);
}

TEST_CASE("the text of a configuration names its values and needs no header")
{
    std::string const text = attune::show_device(dense, "BLOCK_ROWS=32 THREAD_ROWS=2 VECTOR=1");
    CHECK(text.find("Schedule: BLOCK_ROWS=32") != text.npos);
    CHECK(text.find("__global__ void __launch_bounds__(256) dense(") != text.npos);
    CHECK(text.find("#include") == text.npos);
    CHECK_THROWS_AS((void)attune::show_device(dense, "BLOCK_ROWS=31"), attune::error);
}

TEST_CASE("the text of a configuration that nothing can be launched of is refused in a sentence")
{
    auto const said = [](char const* configuration) {
        return attune_test::text_thrown_by<attune::error>(
            [&] { static_cast<void>(attune::show_device(dense, configuration)); });
    };
    CHECK(said("TILE=4").find("names a parameter that the program does not have") !=
          std::string::npos);
    // 256 x 256 threads; rows of a thread that do not divide those of its block.
    CHECK(said("BLOCK_ROWS=256 BLOCK_COLUMNS=256 THREAD_ROWS=1 THREAD_COLUMNS=1")
              .find("breaks a constraint") != std::string::npos);
    CHECK(said("  BLOCK_ROWS=64   THREAD_ROWS=4") == "");
    // 192 KiB of shared memory, which not every device has.
    std::string const large = "BLOCK_ROWS=256 BLOCK_COLUMNS=128 BLOCK_DEPTH=32 THREAD_ROWS=8 "
                              "THREAD_COLUMNS=8 STAGES=4 PADDING=0";
    CHECK(said(large.c_str()).find("breaks a constraint") != std::string::npos);
    CHECK(attune::show_device(dense, large, {.device = attune::detail::limits_of_architecture(90)})
              .find("__launch_bounds__(512)") != std::string::npos);
}

TEST_CASE("what a precondition refuses is an error in calls of a known shape as well")
{
    attune::kernel kernel = dense.device_kernel();
    kernel.precondition([](std::span<float const>, std::span<float const>,
                           std::span<float const> bias_of_call, std::span<float>, int, int,
                           int) { return bias_of_call[0] >= 0; });
    attune::tuned fast{kernel, emulated(), few(2)};
    std::vector<float> const a = some(4 * 4);
    std::vector<float> const b = some(4 * 4);
    std::vector<float> c0(4, 1.0F);
    std::vector<float> c(4 * 4);
    fast(a, b, c0, c, 4, 4, 4);
    fast(a, b, c0, c, 4, 4, 4);
    std::vector<float> const before = c;
    c0[0] = -1; // no part of a shape
    CHECK_THROWS_AS(fast(a, b, c0, c, 4, 4, 4), attune::error);
    CHECK(c == before);
    c0[0] = 2;
    fast(a, b, c0, c, 4, 4, 4);
    CHECK(c != before);
}
