// tests/gpu/bad_input.cpp - what a real GPU's driver refuses is said with numbers and names.
// SPDX-License-Identifier: MIT
#include <attune/cuda/code.hpp>
#include <attune/tune/tuned.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

#include "../support/gpu_saxpy.hpp"
#include "../support/needs_nvrtc.hpp"
#include "../support/texts.hpp"

using namespace attune_test;

namespace {

/// A kernel of one configuration, from this text.
template <class Signature>
attune::kernel<Signature> kernel_of(std::string const& name, std::string const& text)
{
    static constexpr auto threads = attune::ordinal<"THREADS">(attune::values(64)).with_default(64);
    attune::kernel<Signature> out{name, attune::source_text(text, "given.cu"),
                                  attune::space(threads)};
    out.grid(4).block(threads);
    return out;
}

template <class Signature>
auto tuned_of(gpu const& g, attune::kernel<Signature> const& kernel)
{
    return attune::tuned{kernel, g.compiler, attune::memory_store{}, gpu_options()};
}

/// The whole number before these words; 0 where they are not.
std::size_t number_before(std::string const& text, std::string const& words)
{
    std::size_t const end = text.find(words);
    if (end == std::string::npos) return 0;
    std::size_t const before = text.find_last_not_of("0123456789", end - 1);
    std::size_t const begin = before == std::string::npos ? 0 : before + 1;
    return begin < end ? std::stoull(text.substr(begin, end - begin)) : 0;
}

constexpr char const* fill_text =
    "extern \"C\" __global__ void fill(float* y, int n)\n"
    "{ for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 256) y[i] = 1; }\n";

} // namespace

TEST_CASE("an array that is too large is an error that says how much was asked, and what is free")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    std::size_t const elements = std::size_t{1} << 40;
    std::string const said = error_of([&] { attune::device_array<float> const a(elements, 0); });
    INFO(said);
    CHECK(has(said, "out of memory"));
    CHECK(has(said, std::to_string(elements * 4) + " bytes"));
    CHECK(has(said, "are free"));
    CHECK(g->is_alive());
}

TEST_CASE("with too little memory for copies the default serves, the report has the bytes, and all "
          "is given back")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    std::size_t const before = g->free_bytes();
    for (attune::isolation const how : {attune::isolation::none, attune::isolation::automatic}) {
        std::size_t const bytes = g->free_bytes() / 10 * 6 / 4 * 4;
        attune::device_array<float> most{bytes / 4, 0};
        attune::tuning_options options = gpu_options();
        options.measuring.protect = how;
        attune::tuned fill{kernel_of<void(attune::device_span<float>, int)>("fill", fill_text),
                           g->compiler, attune::memory_store{}, options};
        fill(most.span(), 1000);
        std::string const said = fill.report().reason;
        INFO(describe(how) << ": " << said);
        CHECK(has(said, "out of memory"));
        CHECK(has(said, "a copy of argument 0: "));
        // With what is kept free beside it, to see who writes there.
        std::size_t const asked = number_before(said, " bytes were asked for");
        CHECK(asked >= bytes);
        CHECK(asked < bytes + (std::size_t{1} << 24));
        CHECK(g->is_alive());
    }
    CHECK(g->free_bytes() >= before - (64 << 20)); // what the driver keeps for itself
}

TEST_CASE("arguments that are not the code's are one sentence, before anything is launched")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::device_array<float> y{1000, 0};
    auto const refused = [&](std::string const& said) {
        INFO(said);
        CHECK(has(said, "attune: kernel 'fill' is declared in the program as void("));
        CHECK(has(said, "given.cu defines it as void (float *, int)"));
        CHECK(g->is_alive());
    };
    auto fewer = tuned_of(*g, kernel_of<void(attune::device_span<float>)>("fill", fill_text));
    refused(error_of([&] { fewer(y.span()); }));
    auto wider = tuned_of(*g, kernel_of<void(attune::device_span<float>, long)>("fill", fill_text));
    refused(error_of([&] { wider(y.span(), 1000); }));
    auto more =
        tuned_of(*g, kernel_of<void(attune::device_span<float>, int, int)>("fill", fill_text));
    refused(error_of([&] { more(y.span(), 1000, 3); }));
    attune::device_array<double> z{1000, 0};
    auto other = tuned_of(*g, kernel_of<void(attune::device_span<double>, int)>("fill", fill_text));
    refused(error_of([&] { other(z.span(), 1000); }));
    auto lost = tuned_of(*g, kernel_of<void(attune::device_span<float>, int)>("fulfil", fill_text));
    std::string const said = error_of([&] { lost(y.span(), 1000); });
    INFO(said);
    CHECK(has(said, "attune: kernel 'fulfil' is not defined in given.cu"));
}

TEST_CASE("arrays that are no memory of the device, or end too early, are named")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::device_array<float> y{1000, 0};
    auto fill = tuned_of(*g, kernel_of<void(attune::device_span<float>, int)>("fill", fill_text));
    std::vector<float> mine(1000);
    std::string said = error_of([&] { fill({mine.data(), 1000}, 1000); });
    INFO(said);
    CHECK(has(said, "is not in the memory of the device"));
    CHECK(has(said, "argument 0"));
    said = error_of([&] { fill({y.span().data(), std::size_t{1} << 34}, 1000); });
    INFO(said);
    CHECK(has(said, "argument 0 has " + std::to_string(std::size_t{4} << 34) + " bytes"));
    CHECK(has(said, "the allocation ends"));
    fill(y.span(), 1000); // and then it works
    INFO(all_of(fill.report()));
    CHECK(y.to_host() == std::vector<float>(1000, 1.0F));
}

TEST_CASE("code of another architecture runs nothing, and says which device there is")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    for (int const architecture : {75, 80, 100, 120}) {
        // Within a generation older code runs on newer devices.
        if (architecture / 10 == g->limits().architecture / 10) continue;
        CAPTURE(architecture);
        if (!has_nvrtc(architecture)) continue;
        std::string const sm = "sm_" + std::to_string(architecture);
        attune::nvrtc_options options = gpu_compiling();
        options.architecture = architecture;
        attune::nvrtc_compiler const compiler{options};
        std::string const here = "code for " + sm + " was asked for, device 0 (" +
                                 g->limits().name + ") is sm_" +
                                 std::to_string(g->limits().architecture);
        CHECK(compiler.missing() == here);
        attune::device_array<float> y{1000, 0};
        attune::tuned fill{kernel_of<void(attune::device_span<float>, int)>("fill", fill_text),
                           compiler, attune::memory_store{}, gpu_options()};
        std::string const said = error_of([&] { fill(y.span(), 1000); });
        INFO(said);
        CHECK(has(said, "there is no device to run kernel 'fill' on"));
        CHECK(has(said, here));
        CHECK(fill.predict(y.span(), 1000).predicted);

        // What loads such code all the same has the driver's words.
        attune::detail::cuda::context_scope const inside{*g->context};
        attune::compile_result const made =
            compiler.compile(attune::source_text(fill_text, "given.cu"),
                             gpu_variant("fill", {"float*", "int"}, 4, 64));
        auto const loaded = attune::detail::cuda::loaded_code::load(
            g->driver, attune::device_variant_of(device_callable(made)));
        auto const* const why = std::get_if<attune::failure>(&loaded);
        REQUIRE(why != nullptr);
        INFO(why->reason);
        CHECK(why->stage == attune::failure_stage::load);
        CHECK(has(why->reason, "CUDA_ERROR_NO_BINARY_FOR_GPU"));
        CHECK(g->is_alive());
    }
}

TEST_CASE("a launch that no device can do is an error before anything is compiled")
{
    gpu const* const g = gpu_here();
    if (g == nullptr) return;
    attune::device_array<float> y{1000, 0};
    static constexpr auto threads =
        attune::ordinal<"THREADS">(attune::values(2048, 4096)).with_default(2048);
    attune::kernel<void(attune::device_span<float>, int)> kernel{
        "fill", attune::source_text(fill_text, "given.cu"), attune::space(threads)};
    kernel.grid(1).block(threads);
    attune::tuned fill{kernel, g->compiler, attune::memory_store{}, gpu_options()};
    std::string const said = error_of([&] { fill(y.span(), 1000); });
    INFO(said);
    CHECK(has(said, "threads per block of " + g->limits().name));
    CHECK(g->is_alive());
}
