// attune/compile/opencl/spirv.hpp - kernels, their arguments and specialization constants in a SPIR-V module.
// SPDX-License-Identifier: MIT
// Source   Khronos SPIR-V specification 1.6, 2.3 and 3; OpenCL SPIR-V environment specification
#pragma once

#include <attune/compile/opencl/builder.hpp>
#include <attune/compile/source/source.hpp>
#include <attune/core/number_text.hpp>
#include <attune/core/version.hpp>
#include <attune/opencl/library.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

/// A named constant that a program may set before a build.
struct spirv_constant {
    enum class content : std::uint8_t { integer, real, truth };

    std::string name{};   ///< of OpName
    std::uint32_t id = 0; ///< of SpecId
    content of = content::integer;
    std::size_t bytes = 0;
};

/// A kernel of a module.
struct spirv_kernel {
    std::string name{};
    std::vector<defined_argument> arguments{};
};

struct spirv_module {
    std::vector<spirv_constant> constants{};
    std::vector<spirv_kernel> kernels{};
};

/// Reads the parts of a module that attune uses.
class spirv_reader {
public:
    /// @param text  a module  @pre  is_spirv(text)
    explicit spirv_reader(std::string_view text)
        : words_(text.size() / sizeof(std::uint32_t))
    {
        std::memcpy(words_.data(), text.data(), words_.size() * sizeof(std::uint32_t));
    }

    /// @return  empty: the module is damaged
    [[nodiscard]] std::optional<spirv_module> read()
    {
        constexpr std::size_t head = 5;
        for (std::size_t at = head; at < words_.size();) {
            std::size_t const count = words_[at] >> 16;
            if (count == 0 || count > words_.size() - at) return {};
            note(words_[at] & 0xFFFF, std::span(words_).subspan(at + 1, count - 1));
            at += count;
        }
        if (words_.size() < head) return {};
        spirv_module out;
        for (auto const& [id, of] : constant_types_) {
            auto const number = constant_ids_.find(id);
            auto const name = names_.find(id);
            if (number == constant_ids_.end() || name == names_.end()) continue;
            out.constants.push_back({name->second, number->second, content_of(of),
                                     std::max<std::size_t>(types_[of].bytes, 1)});
        }
        for (auto const& [name, function] : entries_) {
            spirv_kernel made{name, {}};
            for (std::uint32_t const parameter : parameters_[function_types_[function]])
                made.arguments.push_back(argument_of(parameter));
            out.kernels.push_back(std::move(made));
        }
        return out;
    }

private:
    using operands = std::span<std::uint32_t const>;

    struct type {
        std::string name{};
        std::size_t bytes = 0;
        opencl::argument_kind kind = opencl::argument_kind::value;
    };

    [[nodiscard]] static std::string text_in(operands from)
    {
        std::string out(from.size_bytes(), '\0');
        std::memcpy(out.data(), from.data(), from.size_bytes());
        return out.substr(0, out.find('\0'));
    }
    [[nodiscard]] spirv_constant::content content_of(std::uint32_t id)
    {
        std::string const& name = types_[id].name;
        return name == "bool"            ? spirv_constant::content::truth
               : name.starts_with("int") ? spirv_constant::content::integer
                                         : spirv_constant::content::real;
    }
    [[nodiscard]] defined_argument argument_of(std::uint32_t id)
    {
        type const& known = types_[id];
        return {known.kind, known.name};
    }

    /// An instruction without its first word; damaged ones are ignored.
    void note(std::uint32_t operation, operands w)
    {
        auto const has = [&](std::size_t count) { return w.size() >= count; };
        switch (operation) {
        case 5: // OpName
            if (has(1)) names_[w[0]] = text_in(w.subspan(1));
            break;
        case 15: // OpEntryPoint, of a kernel
            if (has(2) && w[0] == 6) entries_.emplace_back(text_in(w.subspan(2)), w[1]);
            break;
        case 20: // OpTypeBool
            if (has(1)) types_[w[0]] = {"bool", 1};
            break;
        case 21: // OpTypeInt, which has no sign in a kernel
            if (has(2)) types_[w[0]] = {"int" + std::to_string(w[1]) + "_t", w[1] / 8};
            break;
        case 22: // OpTypeFloat
            if (has(2))
                types_[w[0]] = {w[1] == 16 ? "half" : w[1] == 32 ? "float" : "double", w[1] / 8};
            break;
        case 23: // OpTypeVector
            if (has(3))
                types_[w[0]] = {types_[w[1]].name + std::to_string(w[2]),
                                types_[w[1]].bytes * w[2]};
            break;
        case 25: // OpTypeImage
            note_image(w);
            break;
        case 32: // OpTypePointer
            if (has(3)) note_pointer(w[0], w[1], types_[w[2]].name + '*');
            break;
        case 33: // OpTypeFunction
            if (has(2)) parameters_[w[0]].assign(w.begin() + 2, w.end());
            break;
        case 48: // OpSpecConstantTrue
        case 49: // OpSpecConstantFalse
        case 50: // OpSpecConstant
            if (has(2)) constant_types_[w[1]] = w[0];
            break;
        case 54: // OpFunction
            if (has(4)) function_types_[w[1]] = w[3];
            break;
        case 71:                                                 // OpDecorate
            if (has(3) && w[1] == 1) constant_ids_[w[0]] = w[2]; // SpecId
            break;
        default:
            break;
        }
    }
    void note_image(operands w)
    {
        if (w.size() < 8) return;
        bool const is_flat = w[2] == 1 && w[4] == 0 && w[5] == 0; // 2-D, one, without samples
        bool const is_read = w.size() < 9 || w[8] == 0;
        types_[w[0]] = {is_flat ? "image2d_t" : "image", 0,
                        is_flat && is_read ? opencl::argument_kind::picture
                                           : opencl::argument_kind::array};
    }
    void note_pointer(std::uint32_t id, std::uint32_t storage, std::string name)
    {
        constexpr std::uint32_t constant_memory = 0;
        constexpr std::uint32_t local_memory = 4;
        constexpr std::uint32_t global_memory = 5;
        type made{std::move(name)};
        if (storage == constant_memory || storage == global_memory)
            made.kind = opencl::argument_kind::array;
        if (storage == local_memory) made.kind = opencl::argument_kind::local;
        types_[id] = std::move(made);
    }

    std::vector<std::uint32_t> words_;
    std::map<std::uint32_t, std::string> names_{};
    std::map<std::uint32_t, type> types_{};
    std::map<std::uint32_t, std::vector<std::uint32_t>> parameters_{}; ///< by type of a function
    std::map<std::uint32_t, std::uint32_t> function_types_{};
    std::map<std::uint32_t, std::uint32_t> constant_types_{};
    std::map<std::uint32_t, std::uint32_t> constant_ids_{};
    std::vector<std::pair<std::string, std::uint32_t>> entries_{};
};

/// A value as the bytes of a constant. Empty if it is no such number.
[[nodiscard]] inline std::optional<std::string> bytes_for(spirv_constant const& to,
                                                          std::string_view value)
{
    std::string out(to.bytes, '\0');
    auto const put = [&](auto number) {
        std::memcpy(out.data(), &number, std::min(out.size(), sizeof number));
    };
    while (!value.empty() && std::string_view("uUlLfF").find(value.back()) != value.npos &&
           value.find("inf") == value.npos && value != "true")
        value.remove_suffix(1);
    if (to.of == spirv_constant::content::real) {
        auto const number = real_in_text(value);
        if (!number || (to.bytes != 4 && to.bytes != 8)) return {};
        if (to.bytes == 4)
            put(static_cast<float>(*number));
        else
            put(*number);
        return out;
    }
    if (value == "true" || value == "false") {
        put(std::uint64_t{value == "true"});
        return out;
    }
    auto const number = parse_number<std::int64_t>(value);
    if (!number) return {};
    std::size_t const bits = 8 * to.bytes;
    bool const fits = bits >= 64 || (*number < std::int64_t{1} << bits &&
                                     *number >= -(std::int64_t{1} << (bits - 1)));
    if (!fits) return {};
    put(*number);
    return out;
}

/// The constants that a configuration sets: those with a parameter's name.
/// @param objection  receives a sentence if a value is no number of the constant's type
[[nodiscard]] inline std::vector<opencl_constant>
constants_for(spirv_module const& module, compile_request const& v, std::string& objection)
{
    std::vector<opencl_constant> out;
    for (spirv_constant const& one : module.constants)
        for (macro_definition const& macro : v.macros) {
            if (macro.name != one.name) continue;
            std::optional<std::string> bytes = bytes_for(one, macro.value);
            if (bytes)
                out.push_back({one.id, std::move(*bytes)});
            else
                objection = "has a specialization constant " + one.name + " of " +
                            std::to_string(one.bytes) + " bytes that cannot be " + macro.value;
        }
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
