// tests/tune/device_programs.cpp - programs for a GPU under random configurations, on the emulated device.
// SPDX-License-Identifier: MIT
//
// By hand, more programs from another seed: ATTUNE_TEST_PROGRAMS=500 ATTUNE_TEST_SEED=1000
#include <attune/compile/nvrtc.hpp>
#include <attune/cuda/code.hpp>

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "../support/device_runner.hpp"
#include "../support/needs_nvrtc.hpp"
#include "../support/nest_examples.hpp"
#include "../support/random_nest.hpp"
#include "../support/rounds.hpp"

namespace {

/// Elements of 1 byte and of 8, whose tiles lie behind each other.
attune::nest_description bytes_and_doubles()
{
    attune::nest_description nest = support::with_elements(
        support::matmul(37, 29, 21), attune::element_type::f64, attune::element_type::f64);
    nest.arrays.front().element = attune::element_type::i8;
    return nest;
}

/// The number of channels is an input.
attune::nest_description convolution_of_input()
{
    attune::nest_description nest = support::convolution(9, 4, 20, 3, 1, 1);
    nest.inputs.push_back({"Channels", attune::element_type::i64});
    nest.axes[5].extent = {0, 0};
    nest.arrays[0].extents.back() = {0, 0};
    nest.arrays[1].extents[2] = {0, 0};
    return nest;
}

/// Odd sizes, so that every tile has a tail.
std::vector<support::nest_example> examples()
{
    return {
        {support::matmul(37, 29, 21), {}},
        {support::matmul(64, 64, 32, true), {}},
        {support::matmul_of_inputs(), {33, 18, 40}},
        {support::matmul_of_inputs(), {64, 32, 16}},
        {support::matmul_of_inputs(), {5, 7, 0}},
        {support::matmul_of_inputs(), {0, 7, 9}},
        {support::batched_int8(3, 17, 19, 23), {}},
        {support::convolution(9, 3, 20, 3, 2, 1), {}},
        {support::depthwise(6, 5), {}},
        {support::dense_gelu(20, 36, 24), {}},
        {support::softmax(5, 67), {}},
        {support::argmax(4, 90), {}},
        {support::sums_of_both(70, 45), {}},
        {support::shares(9, 50), {}},
        {support::with_names(support::matmul(37, 29, 21), {"sum_", "tile_0_", "blockIdx"}), {}},
        {support::softmax(6, 96), {}},
        {bytes_and_doubles(), {}},
        {convolution_of_input(), {0}},
        {convolution_of_input(), {3}},
        {convolution_of_input(), {8}},
        {support::argmax(4, 64), {}},
        {support::with_names(support::softmax(5, 67), {"row_", "word_", "e", "at_", "pack_"}), {}}};
}

} // namespace

TEST_CASE("programs of every kind compute the same in blocks of threads, in random configurations")
{
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    unsigned seed = 1;
    for (support::nest_example const& one : examples()) {
        CAPTURE(one.nest.name);
        support::device_subject_of const subject(one.nest, one.inputs);
        attune::random_engine draw(seed++);
        for (std::uint64_t n = 0;
             n < attune_test::number_from("ATTUNE_TEST_DRAWS", attune_test::rounds(1U, 3U)); ++n) {
            attune::point const at = subject.space.sample(draw);
            CAPTURE(subject.text(at));
            for (char const* const order : {"oldest", "newest"}) {
                attune_test::environment_value const by("ATTUNE_EMULATED_ORDER", order);
                CHECK(support::device_difference(compiler, one.nest, one.inputs, subject, at,
                                                 seed) == "");
            }
        }
    }
}

TEST_CASE("the first of the largest numbers is no NaN, whichever thread reads it")
{
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    double const nan = std::numeric_limits<double>::quiet_NaN();
    double const infinity = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> const rows{
        {nan, 5, 7}, {nan}, {nan, nan, nan, -infinity}, {7, nan, 7, 5, nan}};
    for (std::int64_t const columns : {1, 3, 64, 90}) {
        attune::nest_description const nest = support::argmax(4, columns);
        support::device_subject_of const subject(nest, {});
        attune::random_engine draw(11);
        for (std::vector<double> const& given : rows) {
            attune::point const at = subject.space.sample(draw);
            CAPTURE(columns);
            CAPTURE(subject.text(at));
            CHECK(support::device_difference(compiler, nest, {}, subject, at, 1, given) == "");
        }
    }
}

TEST_CASE("random programs compute the same in blocks of threads")
{
    attune_test::emulated_compiler const compiler({.driver = ATTUNE_EMULATED_CUDA});
    std::uint64_t const first = attune_test::number_from("ATTUNE_TEST_SEED", 1);
    std::uint64_t const last =
        first + attune_test::number_from("ATTUNE_TEST_PROGRAMS", attune_test::rounds(8U, 24U));
    int computed = 0;
    int refused = 0;
    for (std::uint64_t seed = first; seed < last; ++seed) {
        CAPTURE(seed);
        support::random_nest const drawn = support::nest_generator(seed).make();
        try {
            support::device_subject_of const subject(drawn.nest, drawn.inputs);
            attune::random_engine draw(seed);
            attune::point const at = subject.space.sample(draw);
            CAPTURE(subject.text(at));
            CHECK(support::device_difference(compiler, drawn.nest, drawn.inputs, subject, at,
                                             static_cast<unsigned>(seed)) == "");
            ++computed;
        } catch (attune::error const& refusal) {
            std::string const said = refusal.what();
            CAPTURE(said);
            bool const is_known = said.find("element type") != said.npos ||
                                  said.find("row stride") != said.npos ||
                                  said.find("block can hold") != said.npos;
            CHECK(is_known);
            ++refused;
        }
    }
    MESSAGE(computed << " programs computed, " << refused << " refused");
    CHECK(computed > refused / 2);
}

TEST_CASE("NVRTC makes code that two architectures can launch of almost every configuration")
{
    std::uint64_t const draws =
        attune_test::number_from("ATTUNE_TEST_DRAWS", attune_test::rounds(1U, 2U));
    std::vector<support::nest_example> const large = {
        {support::matmul(1024, 1024, 1024), {}},
        {support::matmul_of_inputs(), {1000, 900, 800}},
        {support::dense_gelu(256, 512, 384), {}},
        {support::convolution(56, 64, 64, 3, 1, 1), {}},
        {support::batched_int8(16, 128, 128, 64), {}},
        {support::softmax(512, 1024), {}},
        {support::depthwise(28, 28), {}}};
    for (int const architecture : {80, 90}) {
        if (!attune_test::has_nvrtc(architecture)) return;
        attune::nvrtc_compiler const compiler = attune_test::nvrtc_for(architecture);
        attune::device_limits const limits = compiler.target().limits;
        support::launch_count launched;
        for (support::nest_example const& one : large) {
            support::device_subject_of const subject(one.nest, one.inputs);
            attune::random_engine draw(7);
            for (std::uint64_t n = 0; n < draws; ++n) {
                attune::point const at = subject.space.sample(draw);
                launched.add(
                    limits,
                    compiler.compile(subject.source(one.nest, at), subject.request(one.nest, at)),
                    one.nest.name + ' ' + subject.text(at));
            }
        }
        INFO("sm_" << architecture);
        launched.check();
    }
}
