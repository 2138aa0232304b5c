// tests/compile/source/matrix_view_text.cpp - a kernel file and the program agree on views.
// SPDX-License-Identifier: MIT
#include <attune/compile/source/matrix_view_text.hpp>

#include <attune/compile/clang.hpp>
#include <attune/compile/source/signature.hpp>
#include <attune/compile/system.hpp>

#include <doctest/doctest.h>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr char const* source = R"(
#include <attune/matrix_view.hpp>
double sum(attune::matrix_view<float const> m, attune::volume_view<float> v)
{
    attune::matrix_view<float const> const same = attune::matrix_view<float>(v.data(), 1, 1);
    attune::volume_view<float const> const read = v;
    double out = 0;
    for (unsigned long i = 0; i < m.rows(); ++i)
        for (unsigned long j = 0; j < m.columns(); ++j)
            out += m(i, j) + m.row(i)[j];
    for (unsigned long k = 0; k < v.slices(); ++k)
        for (unsigned long i = 0; i < v.rows(); ++i)
            for (unsigned long j = 0; j < v.columns(); ++j)
                out += v(k, i, j) + v.slice(k)(i, j) + read(k, i, j) - same.data()[0];
    return out + m.row_stride() + 10 * v.row_stride() + 100 * v.slice_stride();
}
)";

using signature = double(attune::matrix_view<float const>, attune::volume_view<float>);

template <class Compiler>
double answer_of(Compiler compiler)
{
    attune::compile_result const made = compiler.compile(attune::source_text(source, "sum.cpp"),
                                                         attune::variant_of<signature>("sum"));
    if (auto const* const why = std::get_if<attune::failure>(&made)) {
        FAIL_CHECK(why->reason);
        return 0;
    }
    std::vector<float> all(48);
    std::iota(all.begin(), all.end(), 1.0F);
    auto* const code = reinterpret_cast<signature*>(std::get<attune::callable>(made).address);
    return code({all.data(), 2, 3, 8}, {all.data(), 2, 2, 2, 24, 4});
}

} // namespace

TEST_CASE("a view arrives in the kernel as the program has passed it")
{
    // 2 * (1+2+3 + 9+10+11) and 3 * (1+2+5+6 + 25+26+29+30), less 8 times the first element
    double const right = 2 * 36.0 + 3 * 124.0 - 8 + 8 + 40 + 2400;
    attune::clang_compiler const clang;
    if (clang.notice().empty()) CHECK(answer_of(clang) == right);
    attune::system_compiler const other({.command = "g++"});
    if (other.missing().empty()) CHECK(answer_of(other) == right);
}
