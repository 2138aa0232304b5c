// tests/tune/device_tensor_cores.cpp - products by matrix instructions, on the emulated device and as code of two architectures.
// SPDX-License-Identifier: MIT
//
// By hand, more configurations: ATTUNE_TEST_DRAWS=50
#include <attune/compile/detail/elf_object.hpp>
#include <attune/compile/nvrtc.hpp>
#include <attune/cuda/code.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/device_runner.hpp"
#include "../support/needs_nvrtc.hpp"
#include "../support/nest_examples.hpp"
#include "../support/rounds.hpp"

namespace {

using enum attune::element_type;

/// @param usual  of a release
int draws(unsigned usual)
{
    return static_cast<int>(
        attune_test::number_from("ATTUNE_TEST_DRAWS", attune_test::rounds(1U, usual)));
}

/// Bytes of other signs.
attune::nest_description bytes(attune::element_type a, attune::element_type b)
{
    attune::nest_description nest = support::batched_int8(2, 17, 19, 37);
    nest.arrays[0].element = a;
    nest.arrays[1].element = b;
    return nest;
}

/// The same with extents that are inputs: M, N, K.
attune::nest_description bytes_of_inputs()
{
    attune::nest_description nest = support::with_elements(support::matmul_of_inputs(), i8, i32);
    for (attune::nest_node& node : nest.nodes)
        node.type = i32;
    nest.statements.front().accumulator = i32;
    return nest;
}

/// A configuration with tensor cores.
attune::point tensor_point(support::device_subject_of const& subject, attune::random_engine& draw)
{
    for (;;) {
        attune::point at = subject.space.sample(draw);
        if (subject.derived.schedule(at).uses_tensor_cores) return at;
    }
}

/// Instructions with these low 12 bits, of 16 bytes each, in the code of a CUBIN: as cuobjdump
/// -sass shows them.
int instructions(std::string_view image, std::uint64_t code)
{
    attune::detail::elf_object const object(image);
    int out = 0;
    for (auto const& section : object.sections()) {
        if (!object.name(section).starts_with(".text.")) continue;
        std::string_view const bytes = object.content(section).value();
        for (std::size_t at = 0; at + 16 <= bytes.size(); at += 16) {
            std::uint64_t low = 0;
            std::memcpy(&low, bytes.data() + at, sizeof low);
            out += (low & 0xfff) == code ? 1 : 0;
        }
    }
    return out;
}
constexpr std::uint64_t hmma = 0x23c;
constexpr std::uint64_t imma = 0x237;
constexpr std::uint64_t ldsm = 0x83b;

/// A number of a kernel's text behind `sign`, which moves behind it.
std::int64_t number_behind(std::string const& text, std::string const& sign, std::size_t& at)
{
    at = text.find(sign, at);
    REQUIRE(at != text.npos);
    at += sign.size();
    return std::stoll(text.substr(at));
}

/// Bytes of shared memory that the tiles of a kernel's text end at: of each operand
///     typedef f16_ tile_of_0_[64][40];
///     tile_of_0_* const tile_0_ = reinterpret_cast<tile_of_0_*>(memory_ + 0); // 3
std::int64_t bytes_in(std::string const& text, std::int64_t element_bytes)
{
    std::int64_t out = 0;
    std::size_t at = 0;
    for (char const* const operand : {"0_", "1_"}) {
        std::int64_t const lines =
            number_behind(text, std::string(" tile_of_") + operand + '[', at);
        std::int64_t const line = number_behind(text, "][", at);
        std::int64_t const begin = number_behind(text, "(memory_ + ", at);
        std::int64_t const stages = number_behind(text, "); // ", at);
        CHECK(begin >= out); // behind the one before
        out = begin + stages * lines * line * element_bytes;
    }
    return out;
}

/// A configuration with tensor cores and more than 96 KiB of shared memory.
attune::point large_point(support::device_subject_of const& subject, attune::random_engine& draw)
{
    for (;;) {
        attune::point at = tensor_point(subject, draw);
        if (geometry_at(subject.launch, subject.bound, at).shared_bytes > 96 * 1024) return at;
    }
}

} // namespace

TEST_CASE("matrix instructions compute the same as plain loops, in random configurations")
{
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    // Odd sizes, so that every tile has a tail; each order of the operands in memory.
    std::vector<support::nest_example> const examples = {
        {support::with_elements(support::matmul(37, 29, 21), f16, f16), {}},
        {support::with_elements(support::matmul(64, 48, 64, true), bf16, f32), {}},
        {support::with_elements(support::matmul_of_inputs(), f16, f32), {33, 18, 40}},
        {support::with_elements(support::matmul_of_inputs(), bf16, bf16), {5, 7, 0}},
        {support::with_elements(support::matmul_of_lines(40, 33, 48, false), f16, f32), {}},
        {support::with_elements(support::matmul_of_lines(40, 24, 35, true), bf16, f16), {}},
        {support::with_elements(support::convolution(9, 3, 20, 3, 2, 1), f16, f16), {}},
        {support::with_elements(support::dense_gelu(20, 36, 24), f16, f16), {}},
        {bytes(i8, i8), {}},
        {bytes(i8, u8), {}},
        {bytes(u8, i8), {}},
        {bytes(u8, u8), {}}};
    unsigned seed = 1;
    for (support::nest_example const& one : examples) {
        CAPTURE(one.nest.name);
        support::device_subject_of const subject(one.nest, one.inputs);
        attune::random_engine draw(seed++);
        for (int n = 0; n < draws(2); ++n) {
            attune::point const at = tensor_point(subject, draw);
            CAPTURE(subject.text(at));
            for (char const* const order : {"oldest", "newest"}) {
                attune_test::environment_value const by("ATTUNE_EMULATED_ORDER", order);
                CHECK(support::device_difference(compiler, one.nest, one.inputs, subject, at,
                                                 seed) == "");
            }
        }
    }
}

TEST_CASE("made for a device a block computes the same, with more than 96 KiB, too")
{
    attune::device_limits const limits = attune::detail::limits_of_architecture(90);
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    unsigned seed = 3;
    for (auto const& [nest, element_bytes] :
         {std::pair{support::with_elements(support::matmul(150, 140, 70), f16, f32), 2},
          std::pair{support::with_elements(support::matmul_of_lines(130, 150, 90, true), bf16, f16),
                    2},
          std::pair{support::batched_int8(1, 140, 150, 140), 1}}) {
        CAPTURE(nest.name);
        support::device_subject_of const subject(nest, {}, limits);
        attune::point const standard = subject.standard();
        CHECK(subject.derived.schedule(standard).uses_tensor_cores);
        CHECK(support::device_difference(compiler, nest, {}, subject, standard, seed) == "");
        attune::random_engine draw(seed++);
        for (int n = 0; n < 20; ++n) {
            attune::point const at = large_point(subject, draw);
            CAPTURE(subject.text(at));
            std::int64_t const bytes = subject.request(nest, at).launch.shared_bytes;
            std::string const text = attune::write_device_program(
                subject.derived.schedule(at), attune::device_arguments_of(nest));
            std::int64_t const taken = bytes_in(text, element_bytes);
            CHECK(taken <= bytes);
            CHECK(bytes < taken + 16);
            CHECK(bytes <= limits.shared_bytes_opt_in);
            if (n < draws(1))
                CHECK(support::device_difference(compiler, nest, {}, subject, at, seed) == "");
        }
    }
}

TEST_CASE("a device with less shared memory refuses such a block in a sentence with its size")
{
    attune_test::environment_value const is("ATTUNE_EMULATED_CAPABILITY", "86");
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    attune::nest_description const nest =
        support::with_elements(support::matmul(130, 130, 64), f16, f16);
    support::device_subject_of const subject(nest, {}, attune::detail::limits_of_architecture(90));
    attune::random_engine draw(1);
    attune::point at = large_point(subject, draw);
    while (subject.request(nest, at).launch.shared_bytes <= 99 * 1024)
        at = large_point(subject, draw);
    attune::launch_geometry const launch = subject.request(nest, at).launch;
    std::string const bytes = std::to_string(launch.shared_bytes);
    CHECK(
        attune::detail::launch_objection(attune::detail::limits_of_architecture(86), {}, launch) ==
        "the block takes 0 + " + bytes +
            " bytes of shared memory (static + dynamic), the device allows 101376");
    std::string const said = support::device_difference(compiler, nest, {}, subject, at, 1);
    CAPTURE(said);
    CHECK(said.starts_with("cuFuncSetAttribute for "));
    CHECK(said.find(bytes) != said.npos);
}

TEST_CASE("numbers of 16 bits are computed with by threads, too, in tiles and in rows")
{
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    unsigned seed = 1;
    for (auto const type : {f16, bf16})
        for (attune::nest_description const& nest :
             {support::with_elements(support::matmul(37, 29, 21, true), type, type),
              support::with_elements(support::softmax(5, 67), type, type),
              support::with_elements(support::depthwise(6, 5), type, f64),
              support::with_elements(support::argmax(4, 90), type, type)}) {
            CAPTURE(nest.name);
            support::device_subject_of const subject(nest, {});
            attune::random_engine draw(seed++);
            for (int n = 0; n < draws(2); ++n) {
                attune::point at = subject.space.sample(draw);
                while (subject.derived.schedule(at).uses_tensor_cores)
                    at = subject.space.sample(draw);
                CAPTURE(subject.text(at));
                CHECK(support::device_difference(compiler, nest, {}, subject, at, seed) == "");
            }
        }
}

TEST_CASE("without tensor cores a block of any depth is loaded, also one less deep than 16 bytes")
{
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    std::vector<support::nest_example> const examples = {
        {support::batched_int8(1, 17, 19, 64), {}},
        {support::with_elements(support::matmul_of_inputs(), f16, f32), {17, 19, 64}},
        {support::with_elements(support::matmul(17, 19, 64), f16, f32), {}},
        {bytes_of_inputs(), {17, 19, 64}}};
    for (support::nest_example const& one : examples) {
        CAPTURE(one.nest.name);
        support::device_subject_of const subject(one.nest, one.inputs);
        attune::description const& d = subject.space.describe();
        attune::point at = subject.standard();
        std::uint32_t const deep = d.find_parameter("BLOCK_DEPTH");
        for (std::uint32_t n = 0; n < d.parameters[deep].value_count(); ++n) {
            at[deep] = attune::coordinate{n, 0};
            CAPTURE(subject.text(at));
            REQUIRE(subject.space.contains(at));
            REQUIRE_FALSE(subject.derived.schedule(at).uses_tensor_cores);
            attune::device_program const p = subject.derived.schedule(at);
            std::string const text =
                attune::write_device_program(p, attune::device_arguments_of(one.nest));
            CHECK(text.find("% 0 ") == text.npos);
            CHECK(text.find("/ 0;") == text.npos);
            CHECK(support::device_difference(compiler, one.nest, one.inputs, subject, at, 3) == "");
        }
    }
}

TEST_CASE("floats are rounded to 16 bits as the host rounds them")
{
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    double const infinity = std::numeric_limits<double>::infinity();
    for (auto const type : {bf16, f16}) {
        // Numbers of `bits` significant bits from 2^first on.
        int const bits = type == bf16 ? 8 : 11;
        int const first = type == bf16 ? -126 : -14;
        int const last = type == bf16 ? 127 : 15;
        std::vector<double> at{0, infinity, std::nan("")};
        for (int const power : {first - 1, first, 0, last}) {
            double const step = std::ldexp(1, std::max(power, first) - bits + 1);
            double const begin = std::ldexp(1, power);
            // Ties to an even and to an odd number, what lies beside them, and the largest of all.
            for (double const n : {0.0, 0.5, 1.0, 1.5, 2.5, std::ldexp(1, bits - 1) - 1,
                                   std::ldexp(1, bits - 1) - 0.5})
                for (double const beside : {-0x1p-8, 0.0, 0x1p-8})
                    at.push_back(begin + (n + beside) * step);
        }
        at.push_back(std::ldexp(1, first - bits));     // half of the least: 0
        at.push_back(3 * std::ldexp(1, first - bits)); // a tie of the two least
        for (std::size_t i = 0, count = at.size(); i < count; ++i)
            at.push_back(-at[i]);
        // Numbers beyond the largest float are infinite before they are rounded to 16 bits.
        for (double& one : at)
            one = static_cast<double>(static_cast<float>(one));
        support::nest_builder b("rounded");
        auto const i = b.axis("i", static_cast<std::int64_t>(at.size()));
        auto const X = b.array("X", attune::nest_role::read, {b.of(i)});
        auto const Y = b.array("Y", attune::nest_role::written, {b.of(i)}, type);
        b.statement(Y, {i}, {}, attune::reduction::none, b.read(X, {b.at(i)}));
        REQUIRE(support::is_exact(b.out));
        support::device_subject_of const subject(b.out, {});
        attune::random_engine draw(1);
        CHECK(support::device_difference(compiler, b.out, {}, subject, subject.space.sample(draw),
                                         1, at) == "");
    }
}

TEST_CASE("the code of sm_80 and sm_90 has each matrix instruction of a step, and can be launched")
{
    std::vector<attune::nest_description> const large = {
        support::with_elements(support::matmul(1024, 1024, 1024), f16, f16),
        support::with_elements(support::matmul_of_lines(512, 768, 512, false), bf16, f32),
        support::with_elements(support::dense_gelu(256, 512, 384), f16, f16),
        support::with_elements(support::convolution(56, 64, 64, 3, 1, 1), bf16, bf16),
        support::batched_int8(16, 128, 128, 64)};
    for (int const architecture : {80, 90}) {
        if (!attune_test::has_nvrtc(architecture)) return;
        attune::nvrtc_compiler const compiler = attune_test::nvrtc_for(architecture);
        attune::device_limits const limits = compiler.target().limits;
        support::launch_count launched;
        for (attune::nest_description const& nest : large) {
            CAPTURE(nest.name);
            support::device_subject_of const subject(nest, {});
            attune::random_engine draw(11);
            for (int n = 0; n < draws(2); ++n) {
                attune::point const at = tensor_point(subject, draw);
                CAPTURE(subject.text(at));
                auto const made =
                    compiler.compile(subject.source(nest, at), subject.request(nest, at));
                attune::device_variant const& what =
                    attune::device_variant_of(attune_test::device_callable(made));
                launched.add(limits, made, nest.name + ' ' + subject.text(at));
                attune::device_program const p = subject.derived.schedule(at);
                std::int64_t const steps = p.block_depth / p.tensor_depth;
                std::int64_t const products = p.thread_rows / 2 * (p.thread_columns / 2);
                std::int64_t const loads = p.thread_rows / 2 + p.thread_columns / 4;
                CHECK(instructions(what.code.image, p.tensor_depth == 16 ? hmma : imma) >=
                      steps * products);
                CHECK(instructions(what.code.image, ldsm) >= steps * loads);
                CHECK(instructions(what.code.image, p.tensor_depth == 16 ? imma : hmma) == 0);
            }
        }
        INFO("sm_" << architecture);
        launched.check();
    }
}

TEST_CASE("the code of sm_90 for more than 96 KiB of shared memory can be launched")
{
    if (!attune_test::has_nvrtc(90)) return;
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for(90);
    attune::device_limits const limits = compiler.target().limits;
    support::launch_count launched;
    for (attune::nest_description const& nest :
         {support::with_elements(support::matmul(4096, 4096, 4096), f16, f16),
          support::with_elements(support::dense_gelu(256, 512, 384), bf16, bf16),
          support::with_elements(support::matmul_of_lines(512, 768, 512, false), f16, f32),
          support::batched_int8(16, 256, 256, 256)}) {
        CAPTURE(nest.name);
        support::device_subject_of const subject(nest, {}, limits);
        attune::random_engine draw(5);
        for (int n = 0; n < draws(1); ++n) {
            attune::point const at = large_point(subject, draw);
            CAPTURE(subject.text(at));
            auto const made = compiler.compile(subject.source(nest, at), subject.request(nest, at));
            static_cast<void>(attune_test::device_callable(made));
            launched.add(limits, made, nest.name + ' ' + subject.text(at));
        }
    }
    launched.check();
}

TEST_CASE("an older device refuses tensor cores in a sentence, and runs the default")
{
    if (!attune_test::has_nvrtc(75)) return;
    attune::nvrtc_compiler const compiler = attune_test::nvrtc_for(75);
    attune::nest_description const nest =
        support::with_elements(support::matmul(64, 64, 64), f16, f16);
    support::device_subject_of const subject(nest, {});
    attune::random_engine draw(1);
    attune::point const at = tensor_point(subject, draw);
    attune::failure const refused = attune_test::device_failure(
        compiler.compile(subject.source(nest, at), subject.request(nest, at)));
    CHECK(refused.reason.find("TENSOR=1 needs a device of sm_80 or later") != std::string::npos);
    attune::point const standard = subject.standard();
    (void)attune_test::device_callable(
        compiler.compile(subject.source(nest, standard), subject.request(nest, standard)));
}
