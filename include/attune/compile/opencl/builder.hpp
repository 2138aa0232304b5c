// attune/compile/opencl/builder.hpp - a program's arguments, and its build by the platform's compiler.
// SPDX-License-Identifier: MIT
// Source   Khronos OpenCL C 3.0 specification, built-in data types
// tested by compile/opencl/arguments.cpp
#pragma once

#include <attune/compile/source/device_text.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/launch.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// The name in OpenCL C of a type of the program: "float*" for "std::span<float const>", "ulong"
/// for "unsigned long". A type that OpenCL C does not have stays as it is.
[[nodiscard]] inline std::string opencl_type(std::string_view type)
{
    std::string text = device_type(type);
    bool const is_array = text.ends_with('*');
    if (is_array) text.pop_back();
    for (std::string_view const word : {"const", "volatile", " "}) {
        for (std::size_t at = 0; (at = text.find(word, at)) != text.npos;) {
            bool const is_blank = word == " ";
            bool const is_outer = at == 0 || at + word.size() == text.size();
            if (is_blank && !is_outer)
                ++at;
            else
                text.erase(at, word.size());
        }
    }
    while (text.ends_with(' '))
        text.pop_back();
    constexpr std::array<std::array<std::string_view, 2>, 13> names{
        {{"unsigned char", "uchar"},
         {"signed char", "char"},
         {"unsigned short", "ushort"},
         {"unsigned int", "uint"},
         {"unsigned", "uint"},
         {"long long", "long"},
         {"unsigned long", "ulong"},
         {"unsigned long long", "ulong"},
         {"long unsigned int", "ulong"},
         {"long int", "long"},
         {"short int", "short"},
         {"bool", "uchar"},
         {"__half", "half"}}};
    for (auto const& [here, there] : names)
        if (text == here) {
            text = there;
            break;
        }
    return is_array ? text + '*' : text;
}

/// Bytes of a value with this name in OpenCL C; empty for an unknown type.
[[nodiscard]] inline std::optional<std::uint32_t> bytes_of_opencl_type(std::string_view type)
{
    struct known_type {
        std::string_view name;
        std::uint32_t bytes;
    };
    constexpr std::array<known_type, 11> known{{{"char", 1},
                                                {"uchar", 1},
                                                {"short", 2},
                                                {"ushort", 2},
                                                {"int", 4},
                                                {"uint", 4},
                                                {"long", 8},
                                                {"ulong", 8},
                                                {"half", 2},
                                                {"float", 4},
                                                {"double", 8}}};
    std::size_t const digits = type.find_first_of("0123456789");
    std::string_view const element = type.substr(0, digits);
    for (known_type const& one : known) {
        if (one.name != element) continue;
        if (digits == type.npos) return one.bytes;
        std::optional<std::uint32_t> const count = parse_number<std::uint32_t>(type.substr(digits));
        if (count == 3U) return 4 * one.bytes; // as four
        if (count == 2U || count == 4U || count == 8U || count == 16U) return *count * one.bytes;
    }
    return {};
}

/// An argument as CL_KERNEL_ARG_INFO describes it.
struct defined_argument {
    opencl::argument_kind kind = opencl::argument_kind::value;
    std::string type{}; ///< "float*"; const and address spaces are not part of it
};

/// Returns true for a type of the program that an image has: an array of bytes that are only read.
[[nodiscard]] inline bool is_picture_type(std::string_view type)
{
    return type == "attune::device_span<std::byte const>" ||
           type == "attune::device_span<const std::byte>" || type == "std::span<std::byte const>" ||
           type == "std::span<const std::byte>";
}

/// The signature that a kernel file defines, as text: "void(global float*, int)".
[[nodiscard]] inline std::string opencl_signature(std::vector<defined_argument> const& defined)
{
    std::string out = "void(";
    for (std::size_t i = 0; i < defined.size(); ++i) {
        if (i > 0) out += ", ";
        if (defined[i].kind == opencl::argument_kind::array) out += "global ";
        if (defined[i].kind == opencl::argument_kind::local) out += "local ";
        out += defined[i].type;
    }
    return out + ')';
}

/// The arguments of a request, with the local memory that the file adds as the last one.
/// @param objection  receives a sentence if file and program differ; types are compared if OpenCL C
///                   has both, because a typedef is reported by its own name. The file may read an
///                   array by vectors of its elements, as in `global float4*`
[[nodiscard]] inline std::vector<opencl::argument_form>
forms_of(compile_request const& v, std::vector<defined_argument> const& defined,
         std::string& objection)
{
    using opencl::argument_kind;
    bool const has_local = !defined.empty() && defined.back().kind == argument_kind::local;
    std::vector<opencl::argument_form> out;
    bool agrees = defined.size() == v.arguments.size() + (has_local ? 1 : 0);
    std::size_t integers = 0;
    bool has_pictures = false;
    for (std::size_t i = 0; agrees && i < v.arguments.size(); ++i) {
        std::string const wanted = opencl_type(v.arguments[i]);
        bool const is_array = wanted.ends_with('*');
        integers += wanted == "int" || wanted == "uint" || wanted == "long" || wanted == "ulong";
        if (defined[i].kind == argument_kind::picture) {
            if (!is_picture_type(v.arguments[i])) {
                objection = "defines argument " + std::to_string(i) +
                            " as a read-only image; declare it in the program with "
                            "attune::device_span<std::byte const>, not as " +
                            v.arguments[i];
                return {};
            }
            has_pictures = true;
            out.push_back({argument_kind::picture, 0});
            continue;
        }
        agrees = defined[i].kind == (is_array ? argument_kind::array : argument_kind::value);
        if (!agrees) break;
        std::string const there = opencl_type(defined[i].type);
        if (there.starts_with("image") || there.starts_with("sampler") ||
            there.starts_with("pipe") || there.starts_with("queue_t")) {
            objection = "defines argument " + std::to_string(i) + " as a " + there +
                        ", which attune does not pass: pass numbers, arrays and 2-D images that "
                        "are read only";
            return {};
        }
        auto const element = [](std::string const& type) { return type.substr(0, type.find('*')); };
        bool const are_known = bytes_of_opencl_type(element(wanted)).has_value() &&
                               bytes_of_opencl_type(element(there)).has_value();
        auto const scalar = [](std::string const& type) {
            return type.substr(0, type.find_first_of("0123456789*"));
        };
        agrees = !are_known || wanted == there || (is_array && scalar(wanted) == scalar(there));
        std::uint32_t bytes = 0;
        if (!is_array) {
            std::optional<std::uint32_t> const known = bytes_of_opencl_type(wanted);
            if (!known) {
                objection = "argument " + std::to_string(i) + " is a " + v.arguments[i] +
                            ", whose size on the device is unknown: pass numbers and arrays";
                return {};
            }
            bytes = *known;
        }
        out.push_back({is_array ? argument_kind::array : argument_kind::value, bytes});
    }
    if (!agrees)
        objection = "is declared in the program as " + signature_text(v) +
                    ", but the kernel file defines it as " + opencl_signature(defined);
    else if (has_pictures && integers < 2)
        objection = "takes an image and less than two integers; pass its width and its height, "
                    "because attune tells calls apart by them";
    else if (has_local)
        out.push_back({argument_kind::local, 0});
    return out;
}

/// The reason why a kernel cannot get the local memory of its launch; empty if it can.
[[nodiscard]] inline std::string
local_memory_objection(std::vector<opencl::argument_form> const& arguments,
                       compile_request const& v)
{
    bool const has_local =
        !arguments.empty() && arguments.back().kind == opencl::argument_kind::local;
    if (has_local == (v.launch.shared_bytes > 0)) return {};
    if (has_local)
        return "attune: kernel '" + v.function +
               "' takes a local pointer as its last argument, but is launched without local "
               "memory: declare kernel.shared_bytes(bytes)";
    return "attune: kernel '" + v.function + "' is launched with " +
           std::to_string(v.launch.shared_bytes) +
           " bytes of local memory, but its last argument is no local pointer";
}

[[nodiscard]] inline std::string extents_text(std::array<std::int64_t, 3> const& e)
{
    return std::to_string(e[0]) + 'x' + std::to_string(e[1]) + 'x' + std::to_string(e[2]);
}

/// The reason why a device cannot launch code with this geometry; empty if it can.
/// @param declared  reqd_work_group_size of the kernel; 0, 0, 0: none
[[nodiscard]] inline std::string
opencl_launch_objection(device_limits const& device, code_resources const& code,
                        launch_geometry const& launch,
                        std::array<std::uint64_t, 3> const& declared = {})
{
    std::string const group = "the work-group is " + extents_text(launch.block);
    for (std::size_t i = 0; i < 3; ++i) {
        if (launch.block[i] < 1 || launch.grid[i] < 1 || launch.grid[i] > device.grid[i])
            return "no launch has this geometry: " + extents_text(launch.grid) +
                   " work-groups of " + extents_text(launch.block);
        if (launch.block[i] > device.block[i])
            return group + ", the device allows " + extents_text(device.block);
    }
    std::int64_t const items = launch.threads_per_block();
    if (items > device.threads_per_block)
        return group + ", the device allows " + std::to_string(device.threads_per_block) +
               " work-items";
    if (code.most_threads > 0 && items > code.most_threads)
        return group + ", this kernel allows " + std::to_string(code.most_threads) +
               " work-items on the device";
    std::array<std::int64_t, 3> const demanded{static_cast<std::int64_t>(declared[0]),
                                               static_cast<std::int64_t>(declared[1]),
                                               static_cast<std::int64_t>(declared[2])};
    if (demanded[0] > 0 && demanded != launch.block)
        return group + ", the kernel demands " + extents_text(demanded) + " (reqd_work_group_size)";
    if (launch.shared_bytes < 0 ||
        code.static_shared_bytes > device.shared_bytes_opt_in - launch.shared_bytes)
        return "a work-group takes " + std::to_string(code.static_shared_bytes) + " + " +
               std::to_string(launch.shared_bytes) +
               " bytes of local memory (declared + argument), the device allows " +
               std::to_string(device.shared_bytes_opt_in);
    return {};
}

/// The text for the platform's compiler. Messages have the kernel's path and line numbers.
[[nodiscard]] inline std::string opencl_text(kernel_source const& kernel, compile_request const& v)
{
    std::string out = "#define ATTUNE_TUNABLE(name, ...) ATTUNE_VALUE_##name\n";
    for (auto const& [name, value] : macros_defined(v))
        out += "#define " + name + ' ' + value + '\n';
    out += "#line 1 " + detail::quoted(kernel.path.empty() ? "kernel.cl" : kernel.path) + '\n';
    std::string_view rest = kernel.text;
    while (!rest.empty()) {
        std::string_view const line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        bool const is_tunable = line.starts_with('#') && // the macro above takes its place
                                line.find("attune/tunable.hpp") != line.npos;
        if (!is_tunable) out += line;
        out += '\n';
    }
    return out;
}

/// Returns true for a module in SPIR-V, in the order of bytes of this machine.
[[nodiscard]] inline bool is_spirv(std::string_view text)
{
    std::uint32_t mark = 0;
    if (text.size() < sizeof mark) return false;
    std::memcpy(&mark, text.data(), sizeof mark);
    return mark == 0x07230203;
}

/// A specialization constant of SPIR-V with a value.
struct opencl_constant {
    std::uint32_t id = 0;
    std::string bytes{};

    friend bool operator==(opencl_constant const&, opencl_constant const&) = default;
};

struct opencl_build_request {
    std::string text{}; ///< OpenCL C, or a module in SPIR-V
    std::string options{};
    std::string entry{}; ///< the kernel
    bool wants_binary = true;
    std::vector<opencl_constant> constants{}; ///< of the module
};

/// The library's answers, up to the first that is no success.
struct opencl_built {
    opencl::result of_build = opencl::success;
    std::string log{};
    opencl::result of_kernel = opencl::success;
    std::vector<defined_argument> arguments{}; ///< of OpenCL C; a module states its own
    code_resources resources{};
    std::array<std::uint64_t, 3> declared_size{}; ///< reqd_work_group_size; 0, 0, 0: none
    std::string binary{};                         ///< empty unless it is wanted
};

/// Builds in this process and in this thread.
/// Errors   attune::error: the library takes no program
[[nodiscard]] opencl_built build_opencl(int ordinal, opencl_build_request const& what);

/// The reason why a build ended without an answer.
struct opencl_build_loss {
    bool is_late = false; ///< it took longer than the limit
    std::string how{};    ///< how the process of the compiler ended, if it is not late
    std::string log{};    ///< the output of that process
};

/// Builds in processes that end at the limit of a build. Several threads may use it.
class opencl_builder {
public:
    opencl_builder() = default;
    virtual ~opencl_builder() = default;
    opencl_builder(opencl_builder const&) = delete;
    opencl_builder& operator=(opencl_builder const&) = delete;

    /// Builds in this process, without a limit, if no other process can be started.
    /// @param limit_s  wall seconds
    [[nodiscard]] virtual std::variant<opencl_built, opencl_build_loss>
    build(opencl_build_request const& what, double limit_s) = 0;
};

/// Defined by tune/device/opencl/, which has the worker processes.
/// @param ordinal  of the device
[[nodiscard]] std::unique_ptr<opencl_builder> make_opencl_builder(int ordinal);

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/compile/opencl/builder.ipp>
#endif
