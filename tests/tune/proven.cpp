// tests/tune/proven.cpp - what the same code was verified for is not verified in the next process.
// SPDX-License-Identifier: MIT
#include <attune/remember/store.hpp>
#include <attune/tune/shape/shape_trust.hpp>
#include <attune/tune/tuned.hpp>

#include <doctest/doctest.h>
#include <string>
#include <sys/stat.h>

#include "../support/faulty_calls.hpp"
#include "../support/notices.hpp"
#include "../support/scratch_directory.hpp"
#include "../support/texts.hpp"

using namespace attune_test;
using bench::shape_arrays;

namespace {

/// What one store remembers of a kernel that is wrong but for multiples of 16.
struct processes {
    support::scratch_directory directory{};
    std::string path = directory.file("store");
    std::size_t which = fault_named("remainder of 16");
    shape_arrays arrays{4'096};

    faulty_tuned<attune::store> next() { return tuned_with_fault(which, attune::store{path}); }
    bool is_right(int n, faulty_tuned<attune::store>& by)
    {
        return arrays.is_right(of_length(n), by);
    }
    /// In the first process: it tunes on 1024, and then verifies this.
    attune::served_shapes verified_first(int n)
    {
        faulty_tuned<attune::store> first = next();
        CHECK(is_right(1'024, first));
        first.wait(); // no proof runs beside the program
        CHECK(is_right(n, first));
        return first.report().shapes;
    }
};

} // namespace

TEST_CASE("a shape that was verified in an earlier process is served at once")
{
    processes of;
    CHECK(of.verified_first(512).verified == 1);
    auto next = of.next();
    CHECK(of.is_right(512, next));
    CHECK(next.report().how == attune::decision::remembered);
    CHECK(next.report().shapes.executions == 0);
    CHECK(next.report().shapes.proofs == 0);
    CHECK(has(next.report().serving, "the variant serves: it was verified for this shape before"));
    // A class is still checked by its first call.
    CHECK(of.is_right(515, next));
    CHECK(next.report().shapes.wrong == 1);
}

TEST_CASE("a shape for which the code was wrong is the default's, in every process")
{
    processes of;
    CHECK(of.verified_first(515).wrong == 1);
    auto next = of.next();
    CHECK(of.is_right(515, next));
    CHECK(next.report().shapes.executions == 0);
    CHECK(has(next.report().serving, "the default serves: the variant was wrong for this shape"));
    CHECK(of.is_right(517, next)); // no class is trusted
    CHECK(of.is_right(517, next));
    CHECK(next.report().shapes.by_class == 0);
}

TEST_CASE("what a store says that another user may write is verified before it serves")
{
    processes of;
    CHECK(of.verified_first(515).wrong == 1);
    std::string text = support::read_file(of.path); // as another user writes it
    std::size_t const at = text.find("\"right\":false");
    REQUIRE(at != text.npos);
    text.replace(at, text.find('\n', at) - at, "\"right\":true}");
    support::write_file(of.path, text);
    {
        auto believing = of.next();
        CHECK(!of.is_right(515, believing));
    }
    REQUIRE(::chmod(of.path.c_str(), 0666) == 0);
    auto next = of.next();
    CHECK(of.is_right(515, next));
    CHECK(next.report().shapes.wrong == 1);
    CHECK(of.is_right(1'024, next));
    CHECK(of.is_right(517, next));
    CHECK(noticed(next.report(), "another user may write it") > 0);
}

TEST_CASE("what was proven by other rules, or for other code, is verified again")
{
    processes of;
    (void)of.verified_first(512);
    auto exact = bench::faulty_kernel(of.which);
    exact.tolerate<1>(attune::tolerance{});
    faulty_tuned<attune::store> next{exact, bench::faulty_compiler{of.which},
                                     attune::store{of.path}, quick_options()};
    CHECK(of.is_right(512, next));
    CHECK(next.report().how == attune::decision::remembered);
    CHECK(next.report().shapes.verified == 1);
}
