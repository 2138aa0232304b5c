// attune/opencl/image.hpp - a program binary with the kernel's arguments, as one text.
// SPDX-License-Identifier: MIT
//
// OpenCL's binary does not state the sizes of arguments. An image is read from its address alone.
#pragma once

#include <attune/core/version.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::opencl {

enum class argument_kind : std::uint32_t {
    value, ///< bytes
    array, ///< `global` or `constant`
    local, ///< memory of a work-group: the launch's dynamic bytes
};

struct argument_form {
    argument_kind kind = argument_kind::value;
    std::uint32_t bytes = 0; ///< of a value

    friend bool operator==(argument_form const&, argument_form const&) = default;
};

struct code_image {
    std::string options{}; ///< of the build
    std::vector<argument_form> arguments{};
    std::array<std::uint64_t, 3> declared_size{}; ///< reqd_work_group_size; 0, 0, 0: none
    std::uint64_t start_limit_ms = 60'000; ///< wall time to make code for a size of work-groups
    std::string binary{};                  ///< of CL_PROGRAM_BINARIES, or the program's text
    bool is_text = false;                  ///< `binary` is OpenCL C

    friend bool operator==(code_image const&, code_image const&) = default;
};

inline constexpr std::string_view image_mark = "attune OpenCL 3\n";

/// The image as one text: the mark, its own size, then the members with their sizes.
[[nodiscard]] inline std::string text_of_image(code_image const& image)
{
    std::string out(image_mark);
    auto const put = [&out](std::uint64_t number) {
        out.append(reinterpret_cast<char const*>(&number), sizeof number);
    };
    put(0);
    put(image.options.size());
    put(image.arguments.size());
    put(image.binary.size());
    for (std::uint64_t const one : image.declared_size)
        put(one);
    put(image.start_limit_ms);
    put(image.is_text ? 1 : 0);
    out += image.options;
    for (argument_form const& one : image.arguments)
        put(std::uint64_t{static_cast<std::uint32_t>(one.kind)} << 32 | one.bytes);
    out += image.binary;
    std::uint64_t const all = out.size();
    std::memcpy(out.data() + image_mark.size(), &all, sizeof all);
    return out;
}

/// @param at  the text of an image  @return  empty: it is no image, or a damaged one
[[nodiscard]] inline std::optional<code_image> image_at(void const* at)
{
    char const* const begin = static_cast<char const*>(at);
    if (std::strncmp(begin, image_mark.data(), image_mark.size()) != 0) return {};
    std::uint64_t numbers[9] = {};
    std::memcpy(numbers, begin + image_mark.size(), sizeof numbers);
    std::size_t const head = image_mark.size() + sizeof numbers;
    auto const [all, options, arguments, binary, x, y, z, start_limit_ms, is_text] = numbers;
    constexpr std::uint64_t most = std::uint64_t{1} << 40; // no sum below overflows
    if (options > most || arguments > most || binary > most || is_text > 1 ||
        all != head + options + arguments * sizeof(std::uint64_t) + binary)
        return {};
    code_image out;
    out.declared_size = {x, y, z};
    out.start_limit_ms = start_limit_ms;
    out.is_text = is_text == 1;
    char const* next = begin + head;
    out.options.assign(next, options);
    next += options;
    for (std::uint64_t i = 0; i < arguments; ++i, next += sizeof(std::uint64_t)) {
        std::uint64_t one = 0;
        std::memcpy(&one, next, sizeof one);
        if (one >> 32 > static_cast<std::uint32_t>(argument_kind::local)) return {};
        out.arguments.push_back(
            {static_cast<argument_kind>(one >> 32), static_cast<std::uint32_t>(one)});
    }
    out.binary.assign(next, binary);
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail::opencl
