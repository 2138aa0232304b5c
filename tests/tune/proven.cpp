// tests/tune/proven.cpp - what the same code was verified for is not verified in the next process.
// SPDX-License-Identifier: MIT
#include <attune/remember/store.hpp>
#include <attune/tune/dispatch/served/proof_memory.hpp>
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "../../bench/support/shape_calls.hpp"
#include "../support/accumulate.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using bench::faults;
using bench::shape_arrays;
using shape = bench::shape_choice;
using faulty_tuned = attune::tuned<bench::faulty_signature, bench::faulty_compiler, attune::store>;

namespace {

constexpr std::size_t most_elements = 4'096;

/// As a process of its own has it.
faulty_tuned process_of(std::string const& path, std::size_t which)
{
    return {bench::faulty_kernel(which), bench::faulty_compiler{which}, attune::store{path},
            quick_options()};
}

std::size_t index_of(std::string const& name)
{
    std::size_t which = 0;
    while (faults[which].name != name)
        ++which;
    return which;
}

shape of_length(int n)
{
    shape out;
    out.n = n;
    return out;
}

} // namespace

TEST_CASE("a shape that was verified in an earlier process is served at once")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    std::size_t const which = index_of("remainder of 16");
    shape_arrays arrays(most_elements);
    {
        faulty_tuned first = process_of(path, which);
        CHECK(arrays.is_right(of_length(1'024), first)); // tunes
        CHECK(arrays.is_right(of_length(512), first));
        CHECK(first.report().shapes.verified == 1);
    }
    faulty_tuned next = process_of(path, which);
    CHECK(arrays.is_right(of_length(512), next));
    CHECK(next.report().how == attune::decision::remembered);
    CHECK(next.report().shapes.executions == 0);
    CHECK(next.report().shapes.proofs == 0);
    CHECK(has(next.report().serving, "the variant serves: it was verified for this shape before"));
    // A class is still checked by its first call.
    CHECK(arrays.is_right(of_length(515), next));
    CHECK(next.report().shapes.wrong == 1);
}

TEST_CASE("a shape for which the code was wrong is the default's, in every process")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    std::size_t const which = index_of("remainder of 16");
    shape_arrays arrays(most_elements);
    {
        faulty_tuned first = process_of(path, which);
        CHECK(arrays.is_right(of_length(1'024), first));
        CHECK(arrays.is_right(of_length(515), first));
        CHECK(first.report().shapes.wrong == 1);
    }
    faulty_tuned next = process_of(path, which);
    CHECK(arrays.is_right(of_length(515), next));
    CHECK(next.report().shapes.executions == 0);
    CHECK(has(next.report().serving, "the default serves: the variant was wrong for this shape"));
    CHECK(arrays.is_right(of_length(517), next)); // no class is trusted
    CHECK(arrays.is_right(of_length(517), next));
    CHECK(next.report().shapes.by_class == 0);
}

TEST_CASE("what a store says that another user may write is verified before it serves")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    std::size_t const which = index_of("remainder of 16");
    shape_arrays arrays(most_elements);
    {
        faulty_tuned first = process_of(path, which);
        CHECK(arrays.is_right(of_length(1'024), first));
        CHECK(arrays.is_right(of_length(515), first));
        CHECK(first.report().shapes.wrong == 1);
    }
    std::string text = support::read_file(path); // as another user writes it
    std::size_t const at = text.find("\"right\":false");
    REQUIRE(at != text.npos);
    text.replace(at, text.find('\n', at) - at, "\"right\":true}");
    support::write_file(path, text);
    {
        faulty_tuned believing = process_of(path, which);
        CHECK(!arrays.is_right(of_length(515), believing));
    }
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
    faulty_tuned next = process_of(path, which);
    CHECK(arrays.is_right(of_length(515), next));
    CHECK(next.report().shapes.wrong == 1);
    CHECK(arrays.is_right(of_length(1'024), next));
    CHECK(arrays.is_right(of_length(517), next));
    bool is_told = false;
    for (std::string const& notice : next.report().notices)
        is_told = is_told || has(notice, "another user may write it");
    CHECK(is_told);
}

TEST_CASE("what was proven by other rules, or for other code, is verified again")
{
    support::scratch_directory const directory;
    std::string const path = directory.file("store");
    std::size_t const which = index_of("remainder of 16");
    shape_arrays arrays(most_elements);
    {
        faulty_tuned first = process_of(path, which);
        CHECK(arrays.is_right(of_length(1'024), first));
        CHECK(arrays.is_right(of_length(512), first));
    }
    auto exact = bench::faulty_kernel(which);
    exact.tolerate<1>(attune::tolerance{});
    faulty_tuned next{exact, bench::faulty_compiler{which}, attune::store{path}, quick_options()};
    CHECK(arrays.is_right(of_length(512), next));
    CHECK(next.report().how == attune::decision::remembered);
    CHECK(next.report().shapes.verified == 1);
}
