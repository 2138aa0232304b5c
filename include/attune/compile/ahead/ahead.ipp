// attune/compile/ahead/ahead.ipp - compares names, texts, types and flags.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/ahead/ahead.hpp>
#include <attune/compile/source/device_text.hpp>
#include <attune/core/version.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// Returns true if `flags`, each followed by a line feed, contains `wanted`.
[[nodiscard]] inline bool has_flag(std::string_view flags, std::string_view wanted)
{
    while (!flags.empty()) {
        std::size_t const end = flags.find('\n');
        if (flags.substr(0, end) == wanted) return true;
        if (end == std::string_view::npos) break;
        flags.remove_prefix(end + 1);
    }
    return false;
}

/// The first flag of wanted.source that changes the text and is not in `flags`.
[[nodiscard]] inline std::optional<std::string> missing_flag(wanted_ahead const& wanted,
                                                             std::string_view flags)
{
    for (std::string const& flag : wanted.source.flags) {
        bool const changes_text = flag.starts_with("-D") || flag.starts_with("-U") ||
                                  flag == "-include" || flag == "-imacros";
        if (changes_text && !has_flag(flags, flag)) return flag;
    }
    return std::nullopt;
}

/// The first macro of `wanted` to which `flags` gives another value.
[[nodiscard]] inline std::optional<std::string> other_value(wanted_ahead const& wanted,
                                                            std::string_view flags)
{
    for (std::string const& macro : wanted.macros) {
        std::string const start = "-D" + macro.substr(0, macro.find('=') + 1);
        bool const is_defined =
            flags.starts_with(start) || flags.find('\n' + start) != std::string_view::npos;
        if (is_defined && !has_flag(flags, "-D" + macro)) return macro;
    }
    return std::nullopt;
}

/// The reason why code made with `flags` is not the wanted default; empty if it is.
[[nodiscard]] inline std::string made_otherwise(wanted_ahead const& wanted, std::string_view flags)
{
    if (auto const flag = missing_flag(wanted, flags))
        return "was compiled without " + *flag +
               ": give attune_add_kernel the FLAGS of the kernel's source";
    if (auto const macro = other_value(wanted, flags))
        return "was compiled with another value than the default " + *macro;
    return {};
}

[[nodiscard]] inline std::string without_blanks(std::string_view text)
{
    std::string out(text);
    std::erase(out, ' ');
    return out;
}

/// The declared argument types in their form on the device: "float const*, int".
[[nodiscard]] inline std::string device_arguments(compile_request const& signature)
{
    std::string text;
    for (std::string const& type : signature.arguments)
        text += (text.empty() ? "" : ", ") + device_type(type);
    return text;
}

/// The number of parameters of an entry in a PTX text.
[[nodiscard]] inline std::size_t parameters_in_ptx(std::string_view ptx, std::string_view entry)
{
    std::size_t const begin = ptx.find(".entry " + std::string(entry) + '(');
    if (begin == std::string_view::npos) return 0;
    ptx.remove_prefix(begin + entry.size() + 8);
    ptx = ptx.substr(0, ptx.find(')'));
    std::size_t count = 0;
    for (std::size_t at = 0; (at = ptx.find(".param", at)) != std::string_view::npos; ++at)
        ++count;
    return count;
}

/// The number in ".target sm_75": 75.
[[nodiscard]] inline int architecture_of_ptx(std::string_view ptx)
{
    std::size_t at = ptx.find("\n.target sm_");
    if (at == std::string_view::npos) return 0;
    int number = 0;
    for (at += 12; at < ptx.size() && ptx[at] >= '0' && ptx[at] <= '9' && number < 1000; ++at)
        number = 10 * number + (ptx[at] - '0');
    return number;
}

[[nodiscard]] inline found_ptx compare(device_ahead const& k, wanted_ahead const& wanted,
                                       compile_request const& signature)
{
    std::string const subject =
        "the PTX of " + wanted.function + " that was made with the program from " + k.path;
    std::string const declared = device_arguments(signature);
    char const* const ptx = reinterpret_cast<char const*>(k.ptx);
    std::size_t const count = parameters_in_ptx(ptx, k.entry);
    bool const same_types =
        std::string_view(k.types) == "?" || without_blanks(k.types) == without_blanks(declared);
    if (count != signature.arguments.size() || !same_types)
        return {.reason = subject + " takes (" + k.types + "), " + std::to_string(count) +
                          " arguments, and the kernel is declared with (" + declared + ")"};
    if (std::string const problem = made_otherwise(wanted, k.flags); !problem.empty())
        return {.reason = subject + ' ' + problem};
    return {ptx, k.entry, architecture_of_ptx(ptx), {}};
}

[[nodiscard]] inline found_ahead compare(function_ahead const& f, wanted_ahead const& wanted)
{
    std::string const subject =
        "the function " + wanted.function + " that was compiled with the program from " + f.path;
    if (!same_type(f.type, wanted.type))
        return {.reason = subject + " is a " + std::string(written_type(f.type.text)) +
                          ", and the kernel is declared as " +
                          std::string(written_type(wanted.type.text))};
    if (std::string const problem = made_otherwise(wanted, f.flags); !problem.empty())
        return {.reason = subject + ' ' + problem};
    return {f.address(), {}};
}

/// Finds an entry of the wanted name and text for which `compared` gives no reason, and prefers the
/// entry of the kernel's own file. Otherwise returns a result with a reason. Without an entry of
/// this name and text, returns an empty result.
template <class Entry, class Compared>
[[nodiscard]] auto find_among(linked_entries<Entry> const& entries, embedded_files const& files,
                              wanted_ahead const& wanted, Compared const& compared)
{
    decltype(compared(**entries.first)) out{};
    bool is_found = false;
    for (Entry const* const one : entries) {
        if (wanted.function != one->name || !is_embedded(files, one->path, wanted.source.text))
            continue;
        auto found = compared(*one);
        bool const fits = found.reason.empty();
        if (fits && wanted.source.path == one->path) return found;
        if (is_found) continue;
        out = std::move(found);
        is_found = fits;
    }
    return out;
}

ATTUNE_INLINE found_ptx find_ptx(wanted_ahead const& wanted, compile_request const& signature)
{
    auto const among = [&](linked_kernels const& linked) {
        return find_among(linked.ptx, linked.files, wanted,
                          [&](device_ahead const& one) { return compare(one, wanted, signature); });
    };
    found_ptx own = among(wanted.linked);
    if (!own.text.empty()) return own;
    found_ptx other = among(linked_with_caller());
    return other.text.empty() && !own.reason.empty() ? own : other;
}

ATTUNE_INLINE found_ahead find_ahead(wanted_ahead const& wanted)
{
    auto const among = [&](linked_kernels const& linked) {
        return find_among(linked.functions, linked.files, wanted,
                          [&](function_ahead const& one) { return compare(one, wanted); });
    };
    found_ahead own = among(wanted.linked);
    if (own.address != nullptr) return own;
    found_ahead other = among(linked_with_caller());
    return other.address == nullptr && !own.reason.empty() ? own : other;
}

} // namespace attune::inline ATTUNE_ABI::detail
