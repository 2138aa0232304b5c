// attune/ship/tool/detail/selection.hpp - which problems of a store a command is about.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/store_content.hpp>
#include <attune/remember/problem/matching.hpp>
#include <attune/ship/tool/command.hpp>
#include <attune/ship/tool/detail/problem_text.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail::tool {

inline constexpr option kernel_option{"--kernel", "NAME", "the problems of this kernel alone"};
inline constexpr option device_option{"--device", "TEXT",
                                      "those on a device or processor whose name has this text"};
inline constexpr option input_option{"--input", "NAME=VALUE",
                                     "those for this value of an input; may be repeated"};
inline constexpr option json_option{"--json", "", "as JSON"};

struct selection {
    std::string kernel{};
    std::string device{};
    named_texts inputs{};

    [[nodiscard]] bool is_empty() const
    {
        return kernel.empty() && device.empty() && inputs.empty();
    }
    [[nodiscard]] bool fits(stored_problem const& problem) const
    {
        return (kernel.empty() || problem.key.kernel == kernel) &&
               problem.key.device.find(device) != std::string::npos &&
               std::all_of(inputs.begin(), inputs.end(), [&](auto const& wanted) {
                   std::string const* const value = value_of(problem.key.inputs, wanted.first);
                   return value != nullptr && *value == wanted.second;
               });
    }
};

/// Pairs of the values "NAME=VALUE" of an option.
[[nodiscard]] inline named_texts pairs_of(words const& given, std::string_view option)
{
    named_texts out;
    for (std::string const& text : given.values(option)) {
        std::size_t const at = text.find('=');
        if (at == 0 || at == text.npos)
            throw words_error(std::string(option) + " takes NAME=VALUE, not '" + text + "'");
        if (value_of(out, text.substr(0, at)) != nullptr)
            throw words_error(std::string(option) + " is given twice for " + text.substr(0, at));
        out.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return out;
}

[[nodiscard]] inline selection selection_of(words const& given)
{
    return {given.value("--kernel").value_or(""), given.value("--device").value_or(""),
            pairs_of(given, "--input")};
}

/// Reads a store, and tells what is damaged, and who else could have written it.
[[nodiscard]] inline store_content read_store(std::string const& path, console& on)
{
    store_content out = store_content::of_file(path);
    if (!out.damage().empty()) on.err << "attune: " << printable(out.damage()) << '\n';
    if (!out.by_others().empty())
        on.err << "attune: " << printable(path)
               << ": another user may write it: " << printable(out.by_others()) << '\n';
    return out;
}

/// Those that are meant, in the order of their last lines.
[[nodiscard]] inline std::vector<listed_problem> selected(store_content& from,
                                                          selection const& meant)
{
    std::vector<listed_problem> out = from.problems();
    std::erase_if(out, [&](listed_problem const& one) { return !meant.fits(one.problem); });
    return out;
}

/// "sgemm N=1024 on AMD EPYC".
[[nodiscard]] inline std::string name_of(stored_problem const& problem)
{
    std::string out = printable(problem.key.kernel);
    if (!problem.key.inputs.empty()) out += ' ' + text_of(problem.key.inputs);
    if (!problem.key.setting.empty()) out += " (" + text_of(problem.key.setting) + ')';
    return out + " on " + printable(problem.key.device);
}

/// How to say which one is meant, where several are.
[[nodiscard]] inline std::string too_many(std::vector<listed_problem> const& all)
{
    std::string out = std::to_string(all.size()) + " problems are meant (";
    for (std::size_t i = 0; i < all.size() && i < 3; ++i)
        out += (i == 0 ? "" : "; ") + name_of(all[i].problem);
    return out + (all.size() > 3 ? "; ...)" : ")") +
           "; say which by --kernel, --input and --device";
}

} // namespace attune::inline ATTUNE_ABI::detail::tool
