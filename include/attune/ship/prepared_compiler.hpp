// attune/ship/prepared_compiler.hpp - compiles winners for other processors, and loads them there.
// SPDX-License-Identifier: MIT
// tested by ship/prepare.cpp
#pragma once

#ifdef ATTUNE_OFF
#include <attune/off/tuned.hpp>
#else
#include <attune/compile/compiler.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// 32 hexadecimal digits of a configuration: the kernel's text, its function, macros and flags.
/// Flags that name a processor do not count. The kernel's headers do not count either, because they
/// may be missing when the program runs.
[[nodiscard]] std::string prepared_key(kernel_source const& kernel, compile_request const& v);

/// "x86_64", "aarch64", "machine 243": the machine of a shared object; empty: no shared object.
[[nodiscard]] std::string machine_of_object(std::string_view bytes);

[[nodiscard]] std::string machine_of_program();

/// @param level  a name of instruction_level_names
[[nodiscard]] std::string prepared_name(std::string const& key, std::string const& machine,
                                        std::string_view level);

/// The file that names the compiler of a machine's objects.
[[nodiscard]] std::string prepared_by_name(std::string const& machine);

/// Returns empty if `path` is no file, or cannot be read.
[[nodiscard]] std::optional<std::string> bytes_of_file(std::string const& path);

/// The kernel, and a function attune_entry that gives the address of the kernel's function.
[[nodiscard]] std::string prepared_text(kernel_source const& kernel, std::string const& function);

struct prepare_request {
    std::string store{};                     ///< path
    std::string kernel_file{};               ///< path
    std::string kernel{};                    ///< name in the store; empty: the only one
    std::vector<std::string> include_dirs{}; ///< folders of the kernel's headers
    std::vector<std::string> levels{};       ///< "base", "armv8.2-a+sve" ...; none: base
    std::string command = "c++";             ///< a compiler, perhaps for another machine
    std::string folder{};                    ///< folder of the objects; created if it is missing
    double limit_s = 120;                    ///< wall seconds for one object
};

/// Compiles the default and at most ten winners of a kernel for each instruction set, as shared
/// objects for prepared_compiler. A compiler for another machine gets no flag -m of a
/// winner.
/// @return  sentences for the user
/// Errors   attune::error, and nothing is written: see bake(); a missing compiler, or one that
///          cannot compile for an instruction set
std::vector<std::string> prepare(prepare_request const& request);

} // namespace attune::inline ATTUNE_ABI::detail

namespace attune::inline ATTUNE_ABI {

/// Loads the code of winners that were compiled on another machine, for the highest instruction set
/// of this processor. Models `compiler`.
///
/// With a shipped store, a winner from another machine is a near choice here: predicted and not
/// measured, as explain() reports. The winner serves a shape after a verification here, beside the
/// default. Give `tuned` a default that needs no compiler (attune_add_kernel, kernel.fallback()).
/// Set options.on_miss = miss_policy::lookup_only, because only prepared configurations can run.
/// Users who may write to the folder decide which code runs. After a change of a header of
/// the kernel, prepare again.
///
/// Example  attune::tuned sgemm{kernel, attune::prepared_compiler{"sgemm.code"},
///              attune::shipped{"sgemm.attune"}, {.on_miss = attune::miss_policy::lookup_only}};
class prepared_compiler {
public:
    /// @param most  highest allowed instruction set: "x86-64-v2", or "base"; empty: any
    explicit prepared_compiler(std::string folder, std::string_view most = {});

    /// Errors   attune::error: the folder has no code for such processors
    [[nodiscard]] compile_result compile(kernel_source const& kernel,
                                         compile_request const& v) const;

    /// "prepared for x86_64 x86-64-v3 by g++ (Debian 12.2.0-14) 12.2.0".
    [[nodiscard]] std::string identity() const;

    /// The quantities of prepared code for kernel.require(...).
    [[nodiscard]] static std::vector<std::string_view> code_quantities() { return {"code_bytes"}; }

private:
    [[nodiscard]] std::string made_by() const;

    std::string folder_;
    std::size_t level_; ///< index in instruction_level_names
};

} // namespace attune::inline ATTUNE_ABI

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/prepared_compiler.ipp>
#endif
#endif // ATTUNE_OFF
