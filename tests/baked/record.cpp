// tests/baked/record.cpp - `baked_record FILE` writes the store of scale.kernel.cpp that the tests bake.
// SPDX-License-Identifier: MIT
//
// As a tuner would on a processor of x86-64-v2: a step of 8 won for 64 elements, of 16 for 4096.
#include <attune/remember/record.hpp>

#include <attune/compile/source/source.hpp>
#include <attune/core/posix/replace_file.hpp>
#include <attune/core/shape/call_shape.hpp>
#include <attune/remember/memory_store.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstdio>
#include <exception>
#include <span>
#include <string>

int main(int count, char** arguments)
try {
    attune::detail::call_facts const calls{
        .layout =
            attune::detail::shape_of_call<std::span<float const>, std::span<float>, int>::layout(),
        .inputs = {{"N", 2}},
        .rules = 1};
    attune::memory_store store;
    for (int const n : {64, 4'096}) {
        std::string const size = std::to_string(n);
        attune::record one;
        one.key = {.kernel = "scale",
                   .source =
                       attune::detail::source_fingerprint(attune::source_file("scale.kernel.cpp")),
                   .schema = "s",
                   .compiler = "clang 19",
                   .device = "an older processor",
                   .inputs = {{"N", size}},
                   .signature = "f"};
        one.configuration = {{"STEP", n == 64 ? "8" : "16"}};
        one.best_s = 1;
        one.default_s = 2;
        one.shape = size + ' ' + size + ' ' + size + " 0";
        one.code = "code of " + size;
        one.evaluations = 2;
        one.when = "2026-11-23T12:00:00Z";
        attune::detail::stored_problem problem = attune::detail::problem_of(one);
        problem.facts = {{"isa", "x86-64-v2"}};
        for (auto const& fact : facts_texts(calls))
            problem.facts.push_back(fact);
        store.note(problem,
                   {.values = attune::detail::values_of(one.configuration), .code = one.code});
        store.add(one);
    }
    attune::detail::replace_file(count > 1 ? arguments[1] : "scale.attune", store.text());
} catch (std::exception const& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
}
