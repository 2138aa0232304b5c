// attune/ship/prepared_compiler.hpp - a compiler that compiles nothing: it has what `attune prepare` compiled ahead.
// SPDX-License-Identifier: MIT
// tested by ship/prepare.cpp
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/callable.hpp>
#include <attune/compile/source/compile_request.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI {

/// Loads the code of winners that were compiled on another machine, for the highest instruction set
/// that this processor has. Models `compiler`.
///
/// With a shipped store, what won elsewhere is a near choice here: predicted and not measured, as
/// explain() says. It serves a shape once it was verified here, beside the default. Give `tuned` a
/// default that needs no compiler (attune_add_kernel, kernel.fallback()), and options.on_miss =
/// miss_policy::lookup_only: a configuration that was not prepared cannot be tried. Users who may
/// write to the folder decide which code runs. After a change of a header that the kernel includes,
/// prepare anew.
///
/// Example  attune::tuned sgemm{kernel, attune::prepared_compiler{"sgemm.code"},
///              attune::shipped{"sgemm.attune"}, {.on_miss = attune::miss_policy::lookup_only}};
class prepared_compiler {
public:
    /// @param most  an instruction set that is not exceeded: "x86-64-v2", or "base"; empty: none
    explicit prepared_compiler(std::string folder, std::string_view most = {});

    /// Errors   attune::error: the folder has no code for such processors at all
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "prepared for x86_64 x86-64-v3 by g++ (Debian 12.2.0-14) 12.2.0".
    [[nodiscard]] std::string identity() const;

    /// The quantities for kernel.require(...) that it gives of prepared code.
    [[nodiscard]] static std::vector<std::string_view> code_quantities() { return {"code_bytes"}; }

private:
    [[nodiscard]] std::string made_by() const;

    std::string folder_;
    std::size_t level_; ///< in instruction_level_names
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/prepared_compiler.ipp>
#endif
#endif // ATTUNE_OFF
