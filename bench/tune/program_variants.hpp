// bench/tune/program_variants.hpp - what variants of a program cost, beside a compiler that is spawned.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>
#include <attune/core/random.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "../support/median.hpp"
#include "../support/variant_cost.hpp"
#include "program_tuning.hpp"

namespace bench {

/// Prints a line for seven random configurations.
/// @return  the median of our processor time over that of clang++ -O3 -shared on the same text
template <class Signature>
double print_variant_cost(std::string const& name, attune::kernel<Signature> const& kernel)
{
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space =
        attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
    attune::clang_compiler const compiler = fresh_compiler();
    std::string const identity = compiler.identity(); // "clang 19.1.7 ..."
    std::string const clang =
        attune::detail::find_program("clang++-" + identity.substr(6, identity.find('.') - 6));
    if (clang.empty()) throw std::runtime_error("clang++ of " + identity + " is not installed");
    attune::detail::temporary_folder const folder;
    attune::random_engine random(1);
    std::vector<double> ours;
    std::vector<double> written;
    std::vector<double> theirs;
    std::vector<double> shares;
    for (int at = -1; at < 7; ++at) { // the first one pays for what is done once
        attune::point const where = space.sample(random);
        double const begin = own_seconds();
        auto const source = attune::detail::source_at(d.source, space.describe(), where);
        auto const* const text = std::get_if<attune::kernel_source>(&source);
        if (text == nullptr) throw std::runtime_error(std::get<attune::failure>(source).reason);
        double const write_s = own_seconds() - begin;
        attune::compile_request const v = attune::detail::make_variant(d, space.describe(), where);
        double const compile_s = in_process_s(compiler, *text, v);
        if (at < 0) continue;
        written.push_back(write_s);
        ours.push_back(write_s + compile_s);
        theirs.push_back(spawned_s(clang, *text, v, folder));
        shares.push_back(ours.back() / theirs.back());
    }
    double const vs_clang = median(shares);
    std::printf("variant %s variant_ms=%.1f write_ms=%.2f clang_ms=%.1f vs_clang=%.3f\n",
                name.c_str(), median(ours) * 1e3, median(written) * 1e3, median(theirs) * 1e3,
                vs_clang);
    return vs_clang;
}

} // namespace bench
