// tests/compile/source/own_span.cpp - a generated kernel gets spans without <span>.
// SPDX-License-Identifier: MIT
#include <attune/compile/clang.hpp>
#include <attune/compile/source/entry.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/compile/system.hpp>

#include <doctest/doctest.h>
#include <string>
#include <variant>
#include <vector>

namespace {

// Spans before and behind the last register of arguments.
constexpr char const* source = R"(
double sum(attune_span<float const> a, attune_span<double> b, long c, attune_span<short> d)
{
    double out = c;
    for (unsigned long i = 0; i < a.size(); ++i)
        out += a.data()[i];
    for (unsigned long i = 0; i < b.size(); ++i)
        out += 10 * b.data()[i];
    for (unsigned long i = 0; i < d.size(); ++i)
        out += 100 * d.data()[i];
    return out;
}
)";

using signature = double(std::span<float const>, std::span<double>, long, std::span<short>);

template <class Compiler>
double answer_of(Compiler compiler)
{
    attune::compile_request v = attune::variant_of<signature>("sum");
    for (std::string& type : v.arguments)
        type = attune::detail::with_own_span(type);
    attune::compile_result const made = compiler.compile(
        attune::source_text(attune::detail::own_span_text + std::string(source), "sum.cpp"), v);
    if (auto const* const why = std::get_if<attune::failure>(&made)) {
        FAIL_CHECK(why->reason);
        return 0;
    }
    std::vector<float> const a{1, 2, 3};
    std::vector<double> b{4, 5};
    std::vector<short> d{6, 7, 8, 9};
    auto* const code = reinterpret_cast<signature*>(std::get<attune::callable>(made).address);
    return code(a, b, 1000, d);
}

} // namespace

TEST_CASE("a span of the program's arrives in text that includes nothing")
{
    double const right = 6 + 90 + 1000 + 3000;
    attune::clang_compiler const clang;
    if (clang.notice().empty()) CHECK(answer_of(clang) == right);
    attune::system_compiler const other({.command = "g++"});
    if (other.missing().empty()) CHECK(answer_of(other) == right);
}

TEST_CASE("only spans have another name")
{
    CHECK(attune::detail::with_own_span("std::span<float const>") == "attune_span<float const>");
    CHECK(attune::detail::with_own_span("attune::matrix_view<float>") ==
          "attune::matrix_view<float>");
    CHECK(attune::detail::with_own_span("long") == "long");
}
