// tests/tune/kernel/fallback.cpp - the code of the program that serves if no variant can be compiled.
#include <attune/attune.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/tune/device/cuda/cuda_device.hpp>
#include <attune/tune/device/cuda/cuda_kernel.hpp>
#include <attune/tune/kernel/compile_point.hpp>

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../support/emulated_compiler.hpp"
#include "../../support/emulated_device.hpp"
#include "../../support/recorded_driver.hpp"
#include "../../support/scripted_device.hpp"

namespace {

// What attune_add_kernel(target device.kernel.cu) generates, by hand: no nvcc is needed here.
constexpr unsigned char device_text[] =
    "constexpr int block = ATTUNE_TUNABLE(BLOCK, 64); __global__ void add(float*, int) {}";
constexpr attune::detail::embedded_file device_kernel{"device.kernel.cu", "/there/device.kernel.cu",
                                                      device_text, sizeof device_text - 1};
ATTUNE_EMBED(attune_kernels, device_kernel)
constexpr unsigned char ptx[] =
    "// by hand\n.version 9.0\n.target sm_75\n.visible .entry _Z3addPfi("
    "\n\t.param .u64 a,\n\t.param .u32 b\n)\n{\n\tret;\n}\n";
constexpr attune::detail::device_ahead add_ptx{
    "add", "_Z3addPfi", "float*, int", "/there/device.kernel.cu", "", ptx};
ATTUNE_LIST_PTX(add_ptx)

// The same, of code that the emulated driver can run: its text is made by the test.
constexpr char triple_text[] = R"(#include <attune/tunable.hpp>

extern "C" __global__ void triple(float* y, int n)
{
    constexpr int block = ATTUNE_TUNABLE(BLOCK, 64);
    int const i = blockIdx.x * block + threadIdx.x;
    if (i < n) y[i] *= 3;
}
)";
unsigned char const* triple_bytes() { return reinterpret_cast<unsigned char const*>(triple_text); }
attune::detail::embedded_file const triple_kernel{"triple.kernel.cu", "/there/triple.kernel.cu",
                                                  triple_bytes(), sizeof triple_text - 1};
ATTUNE_EMBED(attune_kernels, triple_kernel)
unsigned char triple_ptx[4096] = {};
constexpr attune::detail::device_ahead triple_ahead{
    "triple", attune_emulated::kernel_symbol, "?", "/there/triple.kernel.cu", "", triple_ptx};
ATTUNE_LIST_PTX(triple_ahead)

constexpr auto block = attune::ordinal<"BLOCK">(attune::values(32, 64, 128));
constexpr auto n = attune::input<"n", int>();
using add_kernel = attune::kernel<void(attune::device_span<float>, int)>;

[[nodiscard]] add_kernel device_add()
{
    add_kernel k{"add", attune::embedded_source("device.kernel.cu"), attune::space(block)};
    k.bind<1>(n).grid(attune::ceil_div(n, block)).block(block).shared_bytes(4 * block);
    return k;
}

constexpr auto step = attune::ordinal<"STEP">(attune::values(1, 2, 4, 8));
constexpr auto stepped = attune::space(step);
using bump_kernel = attune::kernel<void(std::span<int>)>;

void by_hand(std::span<int> x) { x[0] = 42; }

[[nodiscard]] int result_of(attune::kernel_description const& k)
{
    void* const address = attune::detail::fallback_of(k);
    REQUIRE(address != nullptr);
    std::vector<int> x{3};
    reinterpret_cast<void (*)(std::span<int>)>(address)(x);
    return x[0];
}

} // namespace

TEST_CASE("a kernel without a function of its own falls back to what was compiled with the program")
{
    bump_kernel k{"bump", attune::embedded_source("support/ahead.kernel.cpp"), stepped};
    CHECK(result_of(k.describe()) == 3 * 2 * 4 + 4);
    k.fallback(&by_hand);
    CHECK(result_of(k.describe()) == 42);
    k.fallback([](std::span<int> x) { x[0] = 43; });
    CHECK(result_of(k.describe()) == 43);
}

TEST_CASE("a kernel of its own text has no fallback, and one of another type a reason")
{
    bump_kernel const k{"bump", attune::source_text("void bump();", "bump.cpp"), stepped};
    CHECK(attune::detail::fallback_of(k.describe()) == nullptr);
    CHECK(attune::detail::find_fallback(k.describe()).reason.empty());
    attune::kernel<void(std::span<double>)> const other{
        "bump", attune::embedded_source("support/ahead.kernel.cpp"), stepped};
    CHECK(attune::detail::fallback_of(other.describe()) == nullptr);
    CHECK_FALSE(attune::detail::find_fallback(other.describe()).reason.empty());
}

TEST_CASE("a template falls back to the default that both the space and CMake name")
{
    constexpr auto width = attune::ordinal<"WIDTH">(attune::values(1, 8, 16));
    bump_kernel const same{"widen<WIDTH>",
                           attune::embedded_source("support/ahead_template.kernel.cpp"),
                           attune::space(width.with_default(8))};
    CHECK(result_of(same.describe()) == 24);
    bump_kernel const differs{"widen<WIDTH>",
                              attune::embedded_source("support/ahead_template.kernel.cpp"),
                              attune::space(width.with_default(16))};
    CHECK(attune::detail::fallback_of(differs.describe()) == nullptr);
}

TEST_CASE("on a device, the driver gets the PTX of the default, launched as the kernel declares")
{
    using namespace attune_test;
    add_kernel const k = device_add();
    attune::description const bound =
        attune::bind_inputs(k.describe().space, {{"n", attune::number::of(std::int64_t{1000})}});
    std::optional<attune::callable> const found = attune::detail::find_fallback_on_device(
        k.describe(), bound, {attune::coordinate{1, 0}}); // 64
    REQUIRE(found);
    attune::cuda_target target = target_without_driver();
    target.driver = recorded_driver();
    attune::detail::cuda_kernel const loaded(target, *found, "add");
    void* none[] = {nullptr};
    loaded.launch(none, nullptr);
    REQUIRE(recorded().launches.size() == 1);
    CHECK(recorded().launches[0].geometry == std::vector<unsigned>{16, 1, 1, 64, 1, 1, 256});
    std::string said;
    for (std::string const& one : recorded().said)
        said += one + '|';
    CHECK(said.find("load " + std::string(reinterpret_cast<char const*>(ptx))) !=
          std::string::npos);
    CHECK(said.find("attribute 8 = 256") != std::string::npos); // how much it takes is unknown
}

TEST_CASE("a kernel without a launch, or of another text, has no PTX")
{
    add_kernel const bare{"add", attune::embedded_source("device.kernel.cu"), attune::space(block)};
    CHECK_FALSE(
        attune::detail::find_fallback_on_device(bare.describe(), bare.describe().space, {}));
    add_kernel other{"add", attune::source_text("void add();", "add.cu"), attune::space(block)};
    other.grid(1).block(block);
    CHECK_FALSE(attune::detail::find_fallback_on_device(other.describe(), other.describe().space,
                                                        {attune::coordinate{0, 0}}));
}

TEST_CASE("a file for both compilers is in the program as a function and, by nvcc, as PTX")
{
    constexpr auto vec = attune::ordinal<"VEC">(attune::values(1, 2));
    constexpr auto block_x = attune::ordinal<"BLOCK_X">(attune::values(64, 128));
    using saxpy_type = void(std::span<float const>, std::span<float>, float, int);
    attune::kernel<saxpy_type> k{"saxpy", attune::embedded_source("../examples/saxpy.kernel.cpp"),
                                 attune::space(block_x, vec)};
    k.bind<3>(n).grid(attune::ceil_div(n, block_x * vec)).block(block_x);
    void* const address = attune::detail::fallback_of(k.describe());
    REQUIRE(address != nullptr);
    std::vector<float> const x{1, 2, 3};
    std::vector<float> y{1, 1, 1};
    reinterpret_cast<saxpy_type*>(address)(x, y, 2.0f, 3);
    CHECK(y == std::vector<float>{3, 5, 7});
#ifdef ATTUNE_TEST_NVCC
    attune::description const bound =
        attune::bind_inputs(k.describe().space, {{"n", attune::number::of(std::int64_t{1000})}});
    std::optional<attune::callable> const found = attune::detail::find_fallback_on_device(
        k.describe(), bound, {attune::coordinate{1, 0}, attune::coordinate{0, 0}});
    REQUIRE(found);
    attune::device_variant const& made = attune::device_variant_of(*found);
    CHECK(made.code.image.find(".entry saxpy(") != std::string::npos);
    CHECK(made.code.architecture >= 50);
    CHECK(made.launch.grid[0] == 8);
#else
    MESSAGE("skipped: PTX by nvcc, which was not found");
#endif
}

TEST_CASE(
    "a call on a device works without NVRTC: the program's own PTX runs, and the report says so")
{
    attune_test::emulated_device const machine(ATTUNE_EMULATED_CUDA);
    attune::kernel<void(std::span<float>, int)> k{
        "triple", attune::embedded_source("triple.kernel.cu"), attune::space(block)};
    k.bind<1>(n).grid(attune::ceil_div(n, block)).block(block);
    attune::nvrtc_options options;
    options.library = "/nowhere/libnvrtc.so";
    options.driver = ATTUNE_EMULATED_CUDA;
    std::vector<std::string> told;
    attune::tuning_options how;
    how.progress = [&](attune::progress const& p) { told.push_back(p.text); };
    auto const call = [&] {
        std::vector<float> y(1000, 2.0f);
        attune::tuned triple{k, attune::nvrtc_compiler{options}, attune::memory_store{}, how};
        triple(y, 1000);
        triple(y, 999);
        CHECK(y[0] == 18.0f);
        CHECK(y[998] == 18.0f);
        CHECK(y[999] == 6.0f);
        return triple.report();
    };
    CHECK_THROWS_AS((void)call(), attune::error); // no code at all

    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    attune::compile_request v = k.describe().signature;
    v.macros = {{"BLOCK", "64"}};
    v.launch.block = {64, 1, 1};
    attune::compile_result const made = compiler.compile(k.describe().source, v);
    REQUIRE(std::holds_alternative<attune::callable>(made));
    std::string const image =
        attune::device_variant_of(std::get<attune::callable>(made)).code.image +
        "\n.target sm_75\n.visible .entry " + attune_emulated::kernel_symbol +
        "(\n.param .u64 y,\n.param .u32 n\n)\n";
    REQUIRE(image.size() < sizeof triple_ptx);
    std::copy(image.begin(), image.end(), triple_ptx);
    told.clear();
    attune::tuning_report const report = call();
    CHECK(report.how == attune::decision::served_fallback);
    CHECK(report.reason.find("/nowhere/libnvrtc.so") != std::string::npos);
    CHECK_FALSE(told.empty());
}
