// attune/ship/bake/bake_plan.hpp - the configurations to bake, their flags, and the calls that each serves.
// SPDX-License-Identifier: MIT
// Source   GCC manual, x86 options and AArch64 options
// tested by ship/bake.cpp
#pragma once

#include <attune/compile/source/source.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/problem/call_facts.hpp>
#include <attune/remember/problem/choice_tree.hpp>
#include <attune/remember/record.hpp>
#include <attune/ship/baked/baked_table.hpp>
#include <attune/ship/baked/instruction_level.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// Properties of shapes with right code: see shape_properties.
struct proven_properties {
    std::vector<std::uint64_t> all{};    ///< ascending, each once
    std::vector<std::int64_t> largest{}; ///< by word; empty: no shape
    /// Largest product of two sizes by the place of for_each_product(); empty: there are no two.
    std::vector<double> products{};
};

/// Code for a device: see device_images.hpp.
struct planned_image {
    std::string bytes{}; ///< a binary, or text that a driver compiles; empty: none
    std::string entry{}; ///< the kernel's symbol
    int architecture = 0;
    bool is_text = false; ///< PTX, or OpenCL C
    // OpenCL alone.
    std::string device{};  ///< the store's name; empty: any
    std::string driver{};  ///< version of the driver that made the binary
    std::string options{}; ///< of the build
};

/// The processors that a plan is for.
enum class baked_kind : std::uint8_t { processor, cuda, opencl };

/// Code of a variant for an instruction set, and its proof.
struct planned_build {
    std::string level{};
    baked_proof proof{};
    proven_properties proven{};
    std::size_t checked = 0; ///< shapes that the build of the program verified
    planned_image image{};   ///< code for a device
};

struct planned_variant {
    named_texts configuration{};
    compile_request code{};  ///< its macros and flags
    std::string generated{}; ///< its text, if no kernel file has it
    std::vector<std::int64_t> divisors{};
    std::uint32_t address_modulus = 64; ///< see baked_variant
    proven_properties recorded{};       ///< proofs of the store
    /// Instruction sets of the code with these proofs. A store may have several architectures.
    std::set<instruction_level> recorded_levels{};
    int recorded_architecture = 0; ///< for CUDA: the highest architecture with a verification
    std::set<std::string> recorded_devices{}; ///< devices with a verification
    std::vector<int> predicted_for{};         ///< architectures with a prediction
    std::vector<planned_build> builds{};      ///< the highest level first: see add_builds()

    /// "TILE_M=64 TILE_N=8"
    [[nodiscard]] std::string text() const;
};

/// A processor or device with a tuning or a prediction.
struct planned_device {
    std::string name{};
    std::string vendor{};
    std::uint32_t family = 0;
    std::uint32_t model = 0;
    std::vector<baked_node> tree{};
    int architecture = 0; ///< architecture of a device
    bool is_predicted = false;
};

/// The data to write for one kernel.
struct bake_plan {
    std::string kernel{};
    kernel_source source{}; ///< without a path if the text was generated
    call_facts facts{};
    std::string fallback{};     ///< generated text of the default; empty: the kernel file has it
    bool is_plain = false;      ///< `fallback` is a program's plain nest, not a configuration
    std::string default_text{}; ///< "TILE_M=16 TILE_N=8"
    compile_request default_code{}; ///< its macros, in the form of the kernel file
    std::vector<planned_variant> variants{};
    std::vector<planned_device> devices{};
    /// Words of a shape that trees compare after the inputs: the sizes of a kernel whose winners
    /// are of several ones (options.sizes).
    std::vector<std::size_t> size_words{};
    std::vector<std::vector<std::int64_t>> known_shapes{}; ///< shapes in the store, each once
    std::vector<std::string> compilers{};                  ///< compilers of the winners' tunings
    std::vector<std::string> notices{};
    baked_kind kind = baked_kind::processor;
    std::vector<planned_image> default_images{}; ///< binaries, the highest first, then text

    /// `facts` have its launch.
    [[nodiscard]] bool is_for_device() const noexcept { return kind != baked_kind::processor; }
};

/// Filter for the winners of a store.
struct plan_choice {
    std::string kernel{}; ///< name in the store; empty: the only one of this text
    std::size_t most_variants = 10;
    baked_kind kind = baked_kind::processor; ///< of the winners
    bool is_unverified = false;              ///< predicted winners are used without a proof
    /// Returns the build options in a compiler's identity, of which a release has one list; null:
    /// they do not count.
    std::vector<std::string> (*flags_of)(std::string const& identity) = nullptr;
};

/// Returns true for flags that name a processor. Here the levels of instruction sets replace them.
[[nodiscard]] bool is_machine_flag(std::string_view flag);

/// @param store   its text  @param path  of the store, in messages
/// @param source  the kernel file, with include folders; its flags are those of the store. Without
///                a path: plans a generated kernel, whose text the store has
/// Errors   attune::error: see bake()
[[nodiscard]] bake_plan plan_of(std::string const& store, std::string const& path,
                                kernel_source source, plan_choice const& choice);

/// "x86" or "AArch64"; empty for another machine.
/// @param machine  the first word of the compiler's -dumpmachine, or CMake's name of the machine
[[nodiscard]] inline std::string_view architecture_of_machine(std::string_view machine) noexcept
{
    if (machine == "x86_64" || machine == "AMD64" || machine == "amd64") return "x86";
    return machine == "aarch64" || machine == "arm64" ? "AArch64" : "";
}

/// The level of one of instruction_level_names; `base` for another name.
[[nodiscard]] constexpr instruction_level instruction_level_in(std::string_view name) noexcept
{
    for (std::size_t i = 0; i < instruction_level_names.size(); ++i)
        if (instruction_level_names[i] == name) return static_cast<instruction_level>(i);
    return instruction_level::base;
}

/// The architecture of an instruction set; empty for `base`.
[[nodiscard]] constexpr std::string_view architecture_of_level(instruction_level one) noexcept
{
    return x86_levels.has(one) ? "x86" : arm_levels.has(one) ? "AArch64" : "";
}

/// The architecture for which a flag is; empty: for any. Flags that name an instruction set are
/// not here: is_machine_flag() leaves them out.
[[nodiscard]] inline std::string_view architecture_of_flag(std::string_view flag) noexcept
{
    constexpr std::string_view x86[] = {"-mprefer-vector-width=",
                                        "-mrecip",
                                        "-mno-avx",
                                        "-mno-sse",
                                        "-mno-ssse3",
                                        "-mno-mmx",
                                        "-mno-fma",
                                        "-mno-f16c",
                                        "-mno-bmi",
                                        "-mno-lzcnt",
                                        "-mno-popcnt",
                                        "-mno-evex512",
                                        "-mno-vzeroupper",
                                        "-mno-80387",
                                        "-mno-red-zone",
                                        "-mno-push-args",
                                        "-mno-gather",
                                        "-mno-scatter",
                                        "-mno-ieee-fp",
                                        "-mno-align-stringops",
                                        "-mcmodel=kernel",
                                        "-mcmodel=medium"};
    constexpr std::string_view arm[] = {"-mno-outline-atomics", "-mno-low-precision-",
                                        "-mno-fix-cortex-", "-mcmodel=tiny"};
    auto const is_of = [&](auto const& all) {
        return std::any_of(std::begin(all), std::end(all),
                           [&](std::string_view one) { return flag.starts_with(one); });
    };
    return is_of(x86) ? "x86" : is_of(arm) ? "AArch64" : "";
}

/// Returns true if a machine's compiler does not have the flag: "-mprefer-vector-width=512" for
/// "aarch64".
/// @param machine  see architecture_of_machine()
[[nodiscard]] inline bool is_foreign_flag(std::string_view flag, std::string_view machine) noexcept
{
    std::string_view const of = architecture_of_flag(flag);
    return !of.empty() && of != architecture_of_machine(machine);
}

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/ship/bake/bake_plan.ipp>
#endif
