// bench/support/expert.hpp - the expert's configuration of a kernel of examples/kernels, beside a tuned one.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/attune.hpp>
#include <attune/compile/clang.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

#include "duel.hpp"

namespace bench {

/// One configuration of a kernel, compiled.
template <class Kernel>
attune::callable compiled(attune::clang_compiler const& compiler, typename Kernel::config const& at)
{
    auto const kernel = Kernel::kernel();
    attune::kernel_description const& d = kernel.describe();
    attune::chain_of_trees const space =
        attune::detail::space_of_call(d, attune::detail::with_annotated_defaults(d), {});
    auto const where = attune::encode(Kernel::space, space.describe(), at);
    if (!where || !space.contains(*where)) {
        std::fprintf(stderr, "%s: the expert's configuration is not in the space\n", Kernel::name);
        std::exit(1);
    }
    auto result =
        compiler.compile(d.source, attune::detail::make_variant(d, space.describe(), *where));
    if (auto const* why = std::get_if<attune::failure>(&result)) {
        std::fprintf(stderr, "%s: %s\n%s\n", Kernel::name, why->reason.c_str(), why->log.c_str());
        std::exit(1);
    }
    return std::get<attune::callable>(std::move(result));
}

/// The expert's configuration beside the tuned one, in interleaved pairs; nothing where none is
/// known.
template <class Kernel>
std::optional<comparison> beside_expert(Kernel& problem, attune::clang_compiler const& compiler,
                                        auto& tuned)
{
    std::optional const expert = Kernel::expert();
    if (!expert) return {};
    attune::callable const code = compiled<Kernel>(compiler, *expert);
    auto* const entry = code.as<typename Kernel::signature>();
    return duel({}, [&] { problem.call(tuned); }, [&] { problem.call(*entry); }, {.max_s = 5});
}

} // namespace bench
